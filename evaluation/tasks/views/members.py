"""Members, invitations and the state of a task, for managers; and the page behind an invitation link."""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from evaluation.annotate.services.assignments import count_left
from evaluation.annotate.views.pairs import begin_task
from evaluation.models import Campaign, Invitation, Role, Task, User
from evaluation.tasks.forms.management import CompletionForm, InvitationForm, MemberForm, QuotaForm
from evaluation.tasks.queries.campaigns import find_next_task
from evaluation.tasks.queries.members import build_members_page
from evaluation.tasks.services import crowd, management
from evaluation.tasks.services.accounts import find_card_holder
from evaluation.web import get_managed_task, get_user, post_only

LISTS = ("page", "invitations")  # each list has its own page number


@login_required
@never_cache
@require_GET
def member_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, get_managed_task(request, slug))


@post_only
def add_members(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    form = MemberForm(request.POST)
    added = form.add_to(task, by=get_user(request))
    if added is None:
        return _page(request, task, member_form=form)
    messages.success(request, _("Added: %(names)s") % {"names": ", ".join(u.username for u in added) or "–"})
    return _redirect_back(request, slug)


@post_only
def change_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change the quota of a member, revoke a guest's return link, or remove the member.

    Members of the campaign are changed in the admin.
    """
    task = get_managed_task(request, slug)
    membership = get_object_or_404(task.memberships.select_related("user", "task"), pk=pk)
    if "remove" in request.POST:
        management.remove_member(membership, by=get_user(request))
        messages.success(
            request, _("%(name)s was removed. Their answers are kept.") % {"name": membership.user.username}
        )
        return _redirect_back(request, slug)
    if "revoke" in request.POST and membership.user.is_guest:
        management.revoke_return_link(membership, by=get_user(request))
        messages.success(request, _("Return link revoked. The guest’s browser shows a new one."))
        return _redirect_back(request, slug)
    form = QuotaForm(request.POST)
    if form.is_valid():
        management.set_quota(membership, form.cleaned_data["quota"], by=get_user(request))
        messages.success(request, _("Quota saved."))
    else:
        messages.error(request, _("Enter a quota of 1 or more, or leave it empty for no limit."))
    return _redirect_back(request, slug)


@post_only
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, task, invitation_form=form)
    management.create_invitation(task, by=get_user(request), **form.cleaned_data)
    uses = form.cleaned_data["most_uses"]
    message = ngettext(
        "Invitation link created. One person can join with it.",
        "Invitation link created. %(n)d people can join with it.",
        uses,
    )
    messages.success(request, message % {"n": uses})
    return _redirect_back(request, slug, "page")  # the new link is on the first page of links


@post_only
def revoke_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    task = get_managed_task(request, slug)
    invitation = get_object_or_404(task.invitations.select_related("task"), pk=pk)
    management.revoke_invitation(invitation, by=get_user(request))
    messages.success(request, _("Link revoked. People who joined with it remain members."))
    return _redirect_back(request, slug)


@post_only
def change_state(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    try:
        management.change_state(task, request.POST.get("state", ""), by=get_user(request))
    except management.TransitionNotAllowed:
        return _changed_meanwhile(request, slug)
    return _redirect_back(request, slug)


@post_only
def delete_task(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    if not management.is_deletable(task):
        return _changed_meanwhile(request, slug)
    return redirect(management.begin_deletion(task, by=get_user(request)))


def _changed_meanwhile(request: HttpRequest, slug: str) -> HttpResponse:
    messages.error(
        request,
        _("The state of the task was not changed. Someone else may have changed it; reload the page."),
    )
    return _redirect_back(request, slug)


@post_only
def set_completion(request: HttpRequest, slug: str) -> HttpResponse:
    task = get_managed_task(request, slug)
    form = CompletionForm(request.POST)
    if not form.is_valid():
        return _page(request, task, completion_form=form)
    data = form.cleaned_data
    management.set_completion(
        task, code=data["completion_code"], url=data["completion_url"], by=get_user(request)
    )
    messages.success(request, _("Saved. Annotators see it when they finish the task."))
    return _redirect_back(request, slug)


@never_cache
@require_http_methods(["GET", "POST"])
def join_task(request: HttpRequest, token: str) -> HttpResponse:
    """Show the invitation; only a POST accepts it, because programs that preview links send a GET."""
    invitations = Invitation.objects.select_related("task__campaign", "campaign__crowd_platform")
    invitation = get_object_or_404(invitations, token=token)
    user = request.user if isinstance(request.user, User) else None
    if invitation.is_crowd and invitation.campaign is not None:
        return _join_from_platform(request, invitation, invitation.campaign)
    if request.method == "POST":
        try:
            person = management.accept_invitation(invitation, user)
        except management.InvitationGone as gone:
            return _invitation_page(request, invitation, gone.state)
        if user is None:
            login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
        return _begin(request, invitation, person)
    return _invitation_page(request, invitation)


def _join_from_platform(request: HttpRequest, invitation: Invitation, campaign: Campaign) -> HttpResponse:
    """Join as the person that the platform names, whoever was signed in before.

    The page repeats the parameters in its form, so that they are in no address after this one.
    """
    platform = crowd.get_platform(campaign)
    given = request.POST if request.method == "POST" else request.GET
    visit = crowd.read_visit(platform, given.dict())
    if visit is None:
        return _invitation_page(request, invitation, "unidentified")
    if request.method == "GET":
        names = platform.worker_parameter, platform.study_parameter, platform.session_parameter
        hidden = [(name, given[name]) for name in names if name in given]
        is_known = crowd.is_known(campaign, visit)
        return _invitation_page(request, invitation, "usable" if is_known else "", hidden=hidden)
    try:
        worker = crowd.accept_visit(invitation, visit)
    except management.InvitationGone as gone:
        return _invitation_page(request, invitation, gone.state)
    login(request, worker.user, backend=settings.AUTHENTICATION_BACKENDS[0])
    if worker.outcome:
        return redirect("campaign-finished", slug=campaign.slug)
    return _begin(request, invitation, worker.user)


def _begin(request: HttpRequest, invitation: Invitation, person: User) -> HttpResponse:
    """Open the first sentence, in a campaign of the task that needs the person most."""
    campaign = invitation.campaign
    task = invitation.task if campaign is None else find_next_task(campaign, person)
    if task is not None and task.is_open:
        return begin_task(request, task, person)
    if task is None and campaign is not None and campaign.tasks.open().exists():
        return redirect("campaign-finished", slug=campaign.slug)
    messages.info(
        request, _("You have joined, but the task is not open at the moment. Please come back later.")
    )
    return redirect("home")


@never_cache
@require_http_methods(["GET", "POST"])
def use_return_link(request: HttpRequest, token: str) -> HttpResponse:
    """The return link of a guest, or a card: a page to confirm, then the home page."""
    try:
        person = management.find_returning_guest(token) or find_card_holder(token)
    except management.ReturnLinkGone:
        return render(request, "evaluation/return.html", {"person": None}, status=410)
    if person is None:
        raise Http404
    if request.method == "GET":
        return render(request, "evaluation/return.html", {"person": person})
    login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
    request.session[management.RETURNED] = True
    return redirect("home")


def _invitation_page(
    request: HttpRequest, invitation: Invitation, state: str = "", *, hidden: Sequence[tuple[str, str]] = ()
) -> HttpResponse:
    user = request.user if isinstance(request.user, User) and not hidden else None
    tasks = management.list_invited_tasks(invitation)
    open_tasks = [task for task in tasks if task.is_open]
    left = sum(count_left(open_tasks, user).values()) if open_tasks else sum(t.per_person for t in tasks)
    state = state or management.find_invitation_state(invitation, user, left)
    # A full campaign lets people from a platform in, because they have to take a code back.
    state = "usable" if state == "full" and hidden else state
    context = {
        "invitation": invitation, "subject": invitation.subject, "task": invitation.task, "state": state,
        "left": left, "hidden": hidden,
    }  # fmt: skip
    return render(request, "evaluation/invitation.html", context, status=200 if state == "usable" else 410)


def _redirect_back(request: HttpRequest, slug: str, *lists: str) -> HttpResponse:
    """Redirect to the current pages of these lists (default: all)."""
    return redirect(reverse("members", args=[slug]) + _page_query(request, *lists))


def _page_query(request: HttpRequest, *lists: str) -> str:
    pages = {key: request.GET.get(key, "") for key in lists or LISTS}
    kept = {key: number for key, number in pages.items() if number.isdecimal()}
    return f"?{urlencode(kept)}" if kept else ""


def _page(
    request: HttpRequest,
    task: Task,
    *,
    member_form: MemberForm | None = None,
    invitation_form: InvitationForm | None = None,
    completion_form: CompletionForm | None = None,
) -> HttpResponse:
    context = {
        "task": task,
        "page": build_members_page(task, request.GET.get("page", ""), request.GET.get("invitations", "")),
        "member_form": member_form or MemberForm(initial={"role": Role.ANNOTATOR}),
        "invitation_form": invitation_form or InvitationForm(initial={"most_uses": 1, "days": 14}),
        "completion_form": completion_form
        or CompletionForm(
            initial={"completion_code": task.completion_code, "completion_url": task.completion_url}
        ),
        "transitions": management.TRANSITIONS[task.state],
        "removable": management.is_deletable(task),
        "here": _page_query(request),
        "return_days": settings.RETURN_LINK_DAYS,
        "origin": request.build_absolute_uri("/").rstrip("/"),
    }
    refused = any((member_form, invitation_form, completion_form))
    return render(request, "evaluation/members.html", context, status=422 if refused else 200)
