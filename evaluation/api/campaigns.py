"""Campaigns by API: settings and states, members with quotas, accounts in bulk, invitations and copies.

For managers of the whole campaign, with their checks and forms; names of people are theirs to see here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from ninja import Field, P, PathEx, Router, Schema, Status

from evaluation.api.core import WriteAuth, user_of
from evaluation.models import Campaign, Role
from evaluation.tasks.forms.campaigns import (
    CampaignInvitationForm,
    CopyForm,
    add_named_members,
    apply_settings,
    check_form,
)
from evaluation.tasks.queries.campaigns import build_campaign_page, list_members
from evaluation.tasks.services import accounts, management
from evaluation.tasks.services.copies import copy_campaign

router = Router(tags=["campaigns"])
CampaignSlug = PathEx[
    str, P(description="The slug of the campaign, as in the URL of its page", examples=["demo"])
]
InvitationId = PathEx[int, P(description="The ID in the list of invitations", examples=[1], ge=1, le=10**9)]


class CampaignOut(Schema):
    slug: str
    name: str
    family: str
    tasks: int


class CampaignTaskOut(Schema):
    slug: str
    name: str
    state: str
    overlap: int
    most_per_person: int | None
    opens_at: datetime | None
    closes_at: datetime | None
    slots: int
    slots_done: int


class CampaignDetailOut(CampaignOut):
    members: int
    slots: int
    slots_done: int
    all_tasks: list[CampaignTaskOut]


class CampaignSettingsIn(Schema):
    """What to set; what is left out stays as it is."""

    tasks: list[str] | None = Field(None, description="Slugs of the tasks; all if left out")
    state: Literal["open", "closed", "archived"] | None = Field(
        None, description="The state of the tasks", examples=["closed"]
    )
    overlap: int | None = Field(None, description="People per comparison")
    most_per_person: int | None = Field(None, description="Comparisons of a task for one person, at most")
    opens_at: datetime | None = Field(None, description="When the tasks open")
    closes_at: datetime | None = Field(None, description="When the tasks close")
    practice: bool | None = Field(None, description="A practice round before the first sentence")
    practice_from: str | None = Field(None, description="Slug of the task whose practice questions to copy")
    ask_sentence: bool | None = Field(None, description="Ask which whole sentence is better")
    ask_reasons: bool | None = Field(None, description="Ask for the reason of each choice")
    instructions: str | None = Field(None, description="The guidelines")
    completion_code: str | None = Field(None, description="Shown at the end of a task")
    completion_url: str | None = Field(None, description="The address to return to")
    clear: list[str] = Field(default_factory=list, description="Settings to empty")


class MemberIn(Schema):
    names: list[str] = Field(description="User names", examples=[["wren", "lark"]])
    role: Role = Field(Role.ANNOTATOR, description="annotator, manager or researcher")
    quota: int | None = Field(None, description="Comparisons in the whole campaign, at most")
    languages: list[str] = Field(default_factory=list, description="Target languages; all if empty")


class MemberOut(Schema):
    name: str
    role: str
    quota: int | None
    languages: list[str]
    done: int


class MemberRemovalIn(Schema):
    name: str = Field(description="The user name", examples=["wren"])
    role: Role = Field(Role.ANNOTATOR, description="annotator, manager or researcher")


class PeopleIn(Schema):
    table: str = Field(
        description="Names, one per line, or CSV with the columns name, quota and languages",
        examples=["name,quota\nwren,140\nlark,"],
    )


class CardOut(Schema):
    """``link`` signs the person in; it is empty for an account that existed before."""

    name: str
    link: str


class CardsIn(Schema):
    names: list[str] = Field(description="User names of accounts that the campaign made", examples=[["wren"]])


class InvitationIn(Schema):
    most_uses: int = Field(1, description="How often the link works", examples=[20])
    days: int = Field(14, description="For how many days it works")
    note: str = Field("", description="For yourself")
    is_crowd: bool = Field(False, description="For people whom a crowd platform identifies")


class InvitationOut(Schema):
    """``link`` is in the answer to the request that makes it only."""

    id: int
    note: str
    state: str
    uses: int
    most_uses: int
    expires_at: datetime
    link: str = ""


class CopyIn(Schema):
    name: str = Field(description="The name of the new campaign", examples=["December"])
    people: bool = Field(True, description="With all members, not only managers and researchers")


class ChangedOut(Schema):
    changed: int


@router.get("/campaigns", response=list[CampaignOut], summary="Your campaigns")
def list_campaigns(request: HttpRequest) -> list[dict[str, Any]]:
    """The campaigns that you manage or study as a whole."""
    visible = Campaign.objects.with_role(user_of(request), Role.MANAGER, Role.RESEARCHER)
    return [_describe(campaign) for campaign in visible.prefetch_related("tasks")]


@router.get("/campaigns/{slug}", response=CampaignDetailOut, summary="A campaign")
def detail(request: HttpRequest, slug: CampaignSlug) -> dict[str, Any]:
    """The tasks of a campaign with their settings and progress."""
    visible = Campaign.objects.with_role(user_of(request), Role.MANAGER, Role.RESEARCHER)
    campaign = get_object_or_404(visible.prefetch_related("tasks"), slug=slug)
    names = ("slug", "name", "state", "overlap", "most_per_person", "opens_at", "closes_at")
    figures = build_campaign_page(campaign).describe(*names)
    return figures | {"all_tasks": figures["tasks"], "tasks": len(campaign.tasks.all())}


@router.post("/campaigns/{slug}/settings", response=ChangedOut, auth=WriteAuth(), summary="Change settings")
def change_settings(request: HttpRequest, slug: CampaignSlug, settings: CampaignSettingsIn) -> dict[str, int]:
    """Set the state, quotas, times, guidelines and questions of all tasks, or of some."""
    typed = {name: _as_form_value(value) for name, value in settings.dict().items() if value is not None}
    return {"changed": apply_settings(_get_managed(request, slug), typed, by=user_of(request))}


@router.get("/campaigns/{slug}/members", response=list[MemberOut], summary="Members")
def members(request: HttpRequest, slug: CampaignSlug) -> list[dict[str, Any]]:
    """The members of the campaign with their roles, quotas, languages and finished comparisons."""
    return [
        {
            "name": member.membership.user.username,
            "role": member.membership.role,
            "quota": member.membership.quota,
            "languages": member.membership.languages.split(),
            "done": member.done,
        }
        for member in list_members(_get_managed(request, slug))[0]
    ]


@router.post("/campaigns/{slug}/members", response=ChangedOut, auth=WriteAuth(), summary="Add members")
def add_members(request: HttpRequest, slug: CampaignSlug, member: MemberIn) -> dict[str, int]:
    """Give existing users a role; those who have it get the new quota and languages."""
    people = add_named_members(
        _get_managed(request, slug), member.names, by=user_of(request), role=member.role, quota=member.quota,
        languages=" ".join(member.languages),
    )  # fmt: skip
    return {"changed": len(people)}


@router.post(
    "/campaigns/{slug}/members/remove", response=ChangedOut, auth=WriteAuth(), summary="Remove a member"
)
def remove_member(request: HttpRequest, slug: CampaignSlug, member: MemberRemovalIn) -> dict[str, int]:
    """Remove a member from all tasks of the campaign; the answers are kept."""
    own = _get_managed(request, slug).memberships.filter(task=None).select_related("user", "campaign")
    management.remove_member(
        get_object_or_404(own, user__username=member.name, role=member.role), by=user_of(request)
    )
    return {"changed": 1}


@router.post(
    "/campaigns/{slug}/people", response={201: list[CardOut]}, auth=WriteAuth(), summary="Create accounts"
)
def add_people(request: HttpRequest, slug: CampaignSlug, people: PeopleIn) -> Status[list[dict[str, str]]]:
    """Make everybody in a table an annotator; each new account has a link to sign in, shown only here."""
    campaign = _get_managed(request, slug)
    cards = accounts.add_people(campaign, accounts.read_people(people.table), by=user_of(request))
    return Status(201, _describe_cards(request, cards))


@router.post(
    "/campaigns/{slug}/cards", response={201: list[CardOut]}, auth=WriteAuth(), summary="Renew cards"
)
def renew_cards(request: HttpRequest, slug: CampaignSlug, cards: CardsIn) -> Status[list[dict[str, str]]]:
    """New links for accounts that the campaign made; the old ones end."""
    campaign = _get_managed(request, slug)
    users = campaign.access_cards.filter(user__username__in=cards.names).values_list("user", flat=True)
    renewed = accounts.renew_cards(campaign, users, by=user_of(request))
    return Status(201, _describe_cards(request, renewed))


@router.get("/campaigns/{slug}/invitations", response=list[InvitationOut], summary="Invitation links")
def invitations(request: HttpRequest, slug: CampaignSlug) -> list[Any]:
    """The invitation links of the campaign, without the links themselves."""
    return list(_get_managed(request, slug).invitations.order_by("-pk"))


@router.post(
    "/campaigns/{slug}/invitations", response={201: InvitationOut}, auth=WriteAuth(), summary="Invite"
)
def invite(request: HttpRequest, slug: CampaignSlug, invitation: InvitationIn) -> Status[dict[str, Any]]:
    """Make a link by which people become annotators of all tasks of the campaign."""
    campaign = _get_managed(request, slug)
    form = CampaignInvitationForm(invitation.dict())
    check_form(form)
    made = management.create_invitation(campaign, by=user_of(request), **form.cleaned_data)
    names = ("note", "state", "uses", "most_uses", "expires_at")
    link = request.build_absolute_uri(reverse("join", args=[made.token]))
    return Status(201, {"id": made.pk, "link": link, **{name: getattr(made, name) for name in names}})


@router.post(
    "/campaigns/{slug}/invitations/{pk}/revoke",
    response=ChangedOut,
    auth=WriteAuth(),
    summary="Revoke an invitation",
)
def revoke(request: HttpRequest, slug: CampaignSlug, pk: InvitationId) -> dict[str, int]:
    """Nobody can join by the link any more; those who did remain members."""
    own = _get_managed(request, slug).invitations.select_related("campaign")
    management.revoke_invitation(get_object_or_404(own, pk=pk), by=user_of(request))
    return {"changed": 1}


@router.post(
    "/campaigns/{slug}/copy", response={201: CampaignOut}, auth=WriteAuth(), summary="Copy a campaign"
)
def copy(request: HttpRequest, slug: CampaignSlug, model: CopyIn) -> Status[dict[str, Any]]:
    """Make the next round: settings, guidelines and people of the campaign, without its tasks."""
    campaign = _get_managed(request, slug)
    form = CopyForm(model.dict())
    check_form(form)
    data = form.cleaned_data
    made = copy_campaign(campaign, data["name"], by=user_of(request), with_people=data["people"])
    return Status(201, _describe(made))


def _get_managed(request: HttpRequest, slug: str) -> Campaign:
    return get_object_or_404(Campaign.objects.with_role(user_of(request), Role.MANAGER), slug=slug)


def _describe(campaign: Campaign) -> dict[str, Any]:
    names = ("slug", "name", "family")
    return {**{name: getattr(campaign, name) for name in names}, "tasks": len(campaign.tasks.all())}


def _describe_cards(request: HttpRequest, cards: list[accounts.IssuedCard]) -> list[dict[str, str]]:
    def link(code: str) -> str:
        return request.build_absolute_uri(reverse("come-back", args=[code])) if code else ""

    return [{"name": card.name, "link": link(card.code)} for card in cards]


def _as_form_value(value: Any) -> Any:  # Any: a value of the schema, and what a browser would send
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, datetime):
        local = timezone.localtime(value) if timezone.is_aware(value) else value
        return local.strftime("%Y-%m-%dT%H:%M")
    return value
