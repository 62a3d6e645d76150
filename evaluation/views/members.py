"""Members, invitations and the state of a task, for those who manage it; and the page behind a link."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_http_methods

from evaluation.forms_upload import CompletionForm, InvitationForm, MemberForm, QuotaForm
from evaluation.models import Invitation, Role, Task, User
from evaluation.reports.members import members_page, state_of
from evaluation.services import people, removal
from evaluation.views.annotate import begin, posted, signed_in

LISTS = ("page", "invitations")  # each list has its own page number


def managed_task(request: HttpRequest, slug: str) -> Task:
    tasks = Task.objects.with_role(signed_in(request), Role.MANAGER).select_related("campaign")
    return get_object_or_404(tasks.exclude(state=Task.State.IMPORTING), slug=slug)


@login_required
@never_cache
@require_GET
def members(request: HttpRequest, slug: str) -> HttpResponse:
    return _page(request, managed_task(request, slug))


@posted
def add(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    form = MemberForm(request.POST)
    if not form.is_valid():
        return _page(request, task, member_form=form)
    data = form.cleaned_data
    try:
        added = people.add_members(
            task, data["names"], by=signed_in(request), group=data["group"], role=data["role"],
            quota=data["quota"],
        )  # fmt: skip
    except people.UnknownPeople as error:
        form.add_error(
            "names", _("Nobody is called %(names)s. Nobody was added.") % {"names": ", ".join(error.names)}
        )
        return _page(request, task, member_form=form)
    messages.success(request, _("Added: %(names)s") % {"names": ", ".join(u.username for u in added) or "–"})
    return _back(request, slug)


@posted
def change(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A new quota, or removal; members of the whole campaign are changed there."""
    task = managed_task(request, slug)
    membership = get_object_or_404(task.memberships.select_related("user", "task"), pk=pk)
    if "remove" in request.POST:
        people.remove_member(membership, by=signed_in(request))
        messages.success(
            request, _("%(name)s was removed; every answer stays.") % {"name": membership.user.username}
        )
        return _back(request, slug)
    form = QuotaForm(request.POST)
    if form.is_valid():
        people.set_quota(membership, form.cleaned_data["quota"], by=signed_in(request))
        messages.success(request, _("The quota is saved."))
    else:
        messages.error(request, _("A quota is a whole number from 1, or empty for no limit."))
    return _back(request, slug)


@posted
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    form = InvitationForm(request.POST)
    if not form.is_valid():
        return _page(request, task, invitation_form=form)
    people.invite(task, by=signed_in(request), **form.cleaned_data)
    uses = form.cleaned_data["most_uses"]
    message = ngettext(
        "The link is below. One person can join with it.",
        "The link is below. %(n)d people can join with it.",
        uses,
    )
    messages.success(request, message % {"n": uses})
    return _back(request, slug, "page")  # the new link is on the first page of links


@posted
def revoke(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    task = managed_task(request, slug)
    invitation = get_object_or_404(task.invitations.select_related("task"), pk=pk)
    people.revoke(invitation, by=signed_in(request))
    messages.success(request, _("The link is revoked. Everyone who has joined with it stays."))
    return _back(request, slug)


@posted
def state(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    try:
        people.change_state(task, request.POST.get("state", ""), by=signed_in(request))
    except people.NotAllowed:
        return _changed_meanwhile(request, slug)
    return _back(request, slug)


@posted
def delete(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    if not removal.is_removable(task):
        return _changed_meanwhile(request, slug)
    return redirect(removal.begin_removal(task, by=signed_in(request)))


def _changed_meanwhile(request: HttpRequest, slug: str) -> HttpResponse:
    messages.error(
        request, _("The task cannot be changed like this; somebody may have changed it in the meantime.")
    )
    return _back(request, slug)


@posted
def completion(request: HttpRequest, slug: str) -> HttpResponse:
    task = managed_task(request, slug)
    form = CompletionForm(request.POST)
    if not form.is_valid():
        return _page(request, task, completion_form=form)
    data = form.cleaned_data
    people.set_completion(
        task, code=data["completion_code"], url=data["completion_url"], by=signed_in(request)
    )
    messages.success(request, _("Saved. Those who finish the task see it from now on."))
    return _back(request, slug)


@never_cache
@require_http_methods(["GET", "POST"])
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Opening the link only shows a page: programs that preview links must not use it up."""
    invitation = get_object_or_404(Invitation.objects.select_related("task__campaign"), token=token)
    user = request.user if isinstance(request.user, User) else None
    if request.method == "POST":
        try:
            person = people.accept(invitation, user)
        except people.InvitationGone:
            return _door(request, invitation, user)
        if user is None:
            login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
        if not invitation.task.is_open:
            messages.info(request, _("You have joined, but the task is not open now. Come back later."))
            return redirect("home")
        return begin(request, invitation.task, person)
    return _door(request, invitation, user)


@never_cache
@require_http_methods(["GET", "POST"])
def come_back(request: HttpRequest, token: str) -> HttpResponse:
    """A guest's return link: a page to confirm, then their tasks."""
    person = people.returning(token)
    if person is None:
        raise Http404
    if request.method == "GET":
        return render(request, "evaluation/return.html", {"person": person})
    login(request, person, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect("home")


def _door(request: HttpRequest, invitation: Invitation, user: User | None) -> HttpResponse:
    gone = state_of(invitation)
    if user is not None and Task.objects.annotated_by(user).filter(pk=invitation.task_id).exists():
        gone = "usable"  # those who have joined may come back by the same link
    context = {"invitation": invitation, "task": invitation.task, "state": gone}
    return render(request, "evaluation/invitation.html", context, status=200 if gone == "usable" else 410)


def _back(request: HttpRequest, slug: str, *lists: str) -> HttpResponse:
    """Redirect to the current pages of these lists (default: all). Only numbers come from the request."""
    return redirect(reverse("members", args=[slug]) + _turned(request, *lists))


def _turned(request: HttpRequest, *lists: str) -> str:
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
        "page": members_page(task, request.GET.get("page", ""), request.GET.get("invitations", "")),
        "member_form": member_form or MemberForm(initial={"role": Role.ANNOTATOR}),
        "invitation_form": invitation_form or InvitationForm(initial={"most_uses": 1, "days": 14}),
        "completion_form": completion_form
        or CompletionForm(
            initial={"completion_code": task.completion_code, "completion_url": task.completion_url}
        ),
        "transitions": people.TRANSITIONS[task.state],
        "removable": removal.is_removable(task),
        "here": _turned(request),
        "origin": request.build_absolute_uri("/").rstrip("/"),
    }
    refused = any((member_form, invitation_form, completion_form))
    return render(request, "evaluation/members.html", context, status=422 if refused else 200)
