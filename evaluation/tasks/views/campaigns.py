"""A campaign: its tasks, settings for all of them, members, invitations, cards, crowd platform and copies."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from appraise.lib.problems import InputError
from appraise.lib.tables import to_csv
from evaluation.annotate.views.pairs import begin_task
from evaluation.models import AuditEntry, Campaign, CrowdWorker, Role, Task
from evaluation.tasks.forms.campaigns import (
    CampaignInvitationForm,
    CampaignMemberForm,
    CampaignQuotaForm,
    CampaignSettingsForm,
    CopyForm,
    CrowdForm,
    PeopleForm,
)
from evaluation.tasks.problem_texts import translate_problem
from evaluation.tasks.queries.campaigns import (
    build_campaign_members_page,
    build_campaign_page,
    find_next_task,
    has_work,
)
from evaluation.tasks.queries.crowd import build_pay_sheet, find_outcome, find_return
from evaluation.tasks.services import accounts, campaigns, crowd, management
from evaluation.tasks.services.copies import copy_campaign
from evaluation.web import attachment, get_managed_campaign, get_user, post_only, private_page


@private_page
def detail(request: HttpRequest, slug: str) -> HttpResponse:
    visible = Campaign.objects.with_role(get_user(request), Role.MANAGER, Role.RESEARCHER)
    return _page(request, get_object_or_404(visible, slug=slug))


def _page(
    request: HttpRequest,
    campaign: Campaign,
    *,
    form: CampaignSettingsForm | None = None,
    copy_form: CopyForm | None = None,
) -> HttpResponse:
    user = get_user(request)
    page = build_campaign_page(campaign, request.GET.get("page", ""))
    context = {
        "campaign": campaign,
        "page": page,
        "is_manager": Campaign.objects.with_role(user, Role.MANAGER).filter(pk=campaign.pk).exists(),
        "form": form or CampaignSettingsForm(None, page.all_tasks),
        "copy_form": copy_form or CopyForm(),
    }
    refused = form is not None or copy_form is not None
    return render(request, "evaluation/campaign.html", context, status=422 if refused else 200)


@post_only
def change_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Show what a change would do; with ``apply``, do it."""
    campaign = get_managed_campaign(request, slug)
    tasks = list(campaign.tasks.exclude(state=Task.State.IMPORTING).order_by("pk"))
    form = CampaignSettingsForm(request.POST, tasks)
    if not form.is_valid():
        return _page(request, campaign, form=form)
    chosen, change = form.chosen, form.change
    if "apply" not in request.POST:
        effects = [effect for effect in campaigns.preview_change(chosen, change) if effect.changes]
        context = {
            "campaign": campaign, "form": form, "effects": effects, "chosen": len(chosen),
            "slots": sum(effect.slots for effect in effects),
        }  # fmt: skip
        return render(request, "evaluation/campaign_change.html", context)
    n = campaigns.apply_change(campaign, chosen, change, by=get_user(request), for_all=form.is_for_all)
    message = ngettext("%(n)d task changed.", "%(n)d tasks changed.", n)
    messages.success(request, message % {"n": n})
    return redirect(campaign)


# --- members, invitations and cards -------------------------------------------------------------------


@private_page
def member_list(request: HttpRequest, slug: str) -> HttpResponse:
    return _members_page(request, get_managed_campaign(request, slug))


def _members_page(
    request: HttpRequest,
    campaign: Campaign,
    *,
    member_form: CampaignMemberForm | None = None,
    people_form: PeopleForm | None = None,
    invitation_form: CampaignInvitationForm | None = None,
) -> HttpResponse:
    context = {
        "campaign": campaign,
        "page": build_campaign_members_page(
            campaign, request.GET.get("page", ""), request.GET.get("invitations", "")
        ),
        "member_form": member_form or CampaignMemberForm(initial={"role": Role.ANNOTATOR}),
        "people_form": people_form or PeopleForm(),
        "invitation_form": invitation_form or CampaignInvitationForm(initial={"most_uses": 1, "days": 14}),
        "origin": _origin(request),
    }
    refused = any((member_form, people_form, invitation_form))
    return render(request, "evaluation/campaign_members.html", context, status=422 if refused else 200)


@post_only
def add_members(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = get_managed_campaign(request, slug)
    form = CampaignMemberForm(request.POST)
    added = form.add_to(campaign, by=get_user(request))
    if added is None:
        return _members_page(request, campaign, member_form=form)
    messages.success(request, _("Added: %(names)s") % {"names": ", ".join(u.username for u in added) or "–"})
    return redirect("campaign-members", slug=slug)


@post_only
def change_member(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change the quota and languages of a member, or remove the member."""
    campaign = get_managed_campaign(request, slug)
    members = campaign.memberships.filter(task=None).select_related("user", "campaign")
    membership = get_object_or_404(members, pk=pk)
    user = get_user(request)
    if "remove" in request.POST:
        if membership.user == user and membership.role == Role.MANAGER:
            messages.error(request, _("You cannot remove yourself as a manager."))
        else:
            management.remove_member(membership, by=user)
            messages.success(
                request,
                _("%(name)s was removed. Their answers are kept.") % {"name": membership.user.username},
            )
        return redirect("campaign-members", slug=slug)
    form = CampaignQuotaForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        management.set_quota(membership, data["quota"], by=user, languages=data["languages"])
        messages.success(request, _("Saved."))
    else:
        messages.error(request, _("Enter a quota of 1 or more, or nothing, and language codes such as de."))
    return redirect("campaign-members", slug=slug)


@post_only
def add_people(request: HttpRequest, slug: str) -> HttpResponse:
    """Create accounts from a table and show their cards, which are stored nowhere."""
    campaign = get_managed_campaign(request, slug)
    form = PeopleForm(request.POST, request.FILES)
    if not form.is_valid():
        return _members_page(request, campaign, people_form=form)
    text, file = form.source
    try:
        cards = accounts.add_people(campaign, accounts.read_people(text, file=file), by=get_user(request))
    except InputError as error:
        for problem in error.problems:
            message, remedy = map(translate_problem, (problem.message, problem.remedy))
            form.add_error(None, str(replace(problem, message=message, remedy=remedy)))
        return _members_page(request, campaign, people_form=form)
    return _cards_page(request, campaign, cards)


@post_only
def renew_cards(request: HttpRequest, slug: str) -> HttpResponse:
    """Make new cards for the chosen people, or for everybody who has one."""
    campaign = get_managed_campaign(request, slug)
    users = [int(value) for value in request.POST.getlist("user") if value.isdecimal() and len(value) < 10]
    if "all" in request.POST:
        users = list(campaign.access_cards.values_list("user", flat=True))
    return _cards_page(request, campaign, accounts.renew_cards(campaign, users, by=get_user(request)))


def _cards_page(request: HttpRequest, campaign: Campaign, cards: list[accounts.IssuedCard]) -> HttpResponse:
    context = {"campaign": campaign, "cards": cards, "origin": _origin(request)}
    response = render(request, "evaluation/cards.html", context, status=201)
    response["Cache-Control"] = "no-store"
    return response


def _origin(request: HttpRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


@post_only
def invite(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = get_managed_campaign(request, slug)
    form = CampaignInvitationForm(request.POST)
    if not form.is_valid():
        return _members_page(request, campaign, invitation_form=form)
    management.create_invitation(campaign, by=get_user(request), **form.cleaned_data)
    messages.success(request, _("Invitation link created."))
    return redirect("campaign-members", slug=slug)


@post_only
def revoke_invitation(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    campaign = get_managed_campaign(request, slug)
    invitation = get_object_or_404(campaign.invitations.select_related("campaign"), pk=pk)
    management.revoke_invitation(invitation, by=get_user(request))
    messages.success(request, _("Link revoked. People who joined with it remain members."))
    return redirect("campaign-members", slug=slug)


# --- crowd platform -----------------------------------------------------------------------------------


@login_required
@never_cache
@require_http_methods(["GET", "POST"])
def crowd_settings(request: HttpRequest, slug: str) -> HttpResponse:
    campaign = get_managed_campaign(request, slug)
    typed = request.POST if request.method == "POST" else None
    form = CrowdForm(typed, instance=crowd.get_platform(campaign))
    if form.is_valid():
        form.save()
        AuditEntry.objects.record(get_user(request), "crowd platform", campaign)
        messages.success(request, _("Saved."))
        return redirect("campaign-crowd", slug=slug)
    context = {
        "campaign": campaign, "form": form, "presets": crowd.PRESETS,
        "workers": campaign.crowd_workers.count(),
    }  # fmt: skip
    status = 422 if request.method == "POST" else 200
    return render(request, "evaluation/campaign_crowd.html", context, status=status)


@private_page
def pay_sheet(request: HttpRequest, slug: str) -> HttpResponse:
    """The ids of the platform with what the pay depends on, for managers of the campaign only."""
    campaign = get_managed_campaign(request, slug)
    AuditEntry.objects.record(get_user(request), "export", campaign, {"format": "pay sheet"})
    return attachment(f"{slug}-pay.csv", "text/csv; charset=utf-8", to_csv(build_pay_sheet(campaign)))


# --- the next round -----------------------------------------------------------------------------------


@post_only
def copy(request: HttpRequest, slug: str) -> HttpResponse:
    campaign, form = get_managed_campaign(request, slug), CopyForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, copy_form=form)
    data = form.cleaned_data
    made = copy_campaign(campaign, data["name"], by=get_user(request), with_people=data["people"])
    messages.success(request, _("The campaign is copied. Upload new files for its tasks."))
    return redirect(made)


# --- annotators ---------------------------------------------------------------------------------------


@post_only
def work(request: HttpRequest, slug: str) -> HttpResponse:
    """Open the next sentence of the task of the campaign that needs the annotator most."""
    user = get_user(request)
    campaign = get_object_or_404(_list_own_campaigns(request), slug=slug)
    task = find_next_task(campaign, user)
    return begin_task(request, task, user) if task else redirect("campaign-finished", slug=slug)


@private_page
def finished(request: HttpRequest, slug: str) -> HttpResponse:
    """The end of a campaign for an annotator; people from a crowd platform get what they take back."""
    user = get_user(request)
    workers = CrowdWorker.objects.filter(user=user, campaign__slug=slug)
    worker = workers.select_related("campaign__crowd_platform").first()
    if worker is None:
        campaign = get_object_or_404(_list_own_campaigns(request), slug=slug)
        return render(
            request, "evaluation/campaign_finished.html",
            {"campaign": campaign, "has_more": has_work(campaign, user)},
        )  # fmt: skip
    platform = crowd.get_platform(worker.campaign)
    if not worker.outcome and (outcome := find_outcome(platform, user)):
        crowd.end_visit(worker, outcome)
    context = {
        "campaign": worker.campaign,
        "has_more": not worker.outcome,
        "taken_back": find_return(platform, worker.outcome) if worker.outcome else None,
    }
    return render(request, "evaluation/campaign_finished.html", context)


def _list_own_campaigns(request: HttpRequest) -> QuerySet[Campaign]:
    tasks = Task.objects.annotated_by(get_user(request))
    shown = tasks.filter(state__in=[Task.State.OPEN, Task.State.CLOSED])
    return Campaign.objects.filter(pk__in=shown.values("campaign"))
