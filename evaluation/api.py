"""The JSON API: what the pages show, for scripts and notebooks. OpenAPI at ``/api/openapi.json``.

A token has the rights of the person who made it; anything that person may not see is a 404. Annotators are
pseudonyms here, always. Another app adds its part with ``api.add_router``.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Field, NinjaAPI, P, PathEx, Query, QueryEx, Schema
from ninja.errors import AuthenticationError, HttpError
from ninja.security import HttpBearer

from evaluation.agreement.rendering import as_json
from evaluation.models import ApiToken, Role, Task, User
from evaluation.problems import InputError
from evaluation.reports import agreement, results
from evaluation.reports import disagreements as disputed
from evaluation.reports.monitor import monitor_page, seats_of
from evaluation.reports.scope import Scope, UnknownScope, find_scope
from evaluation.study import Filter
from evaluation.study.disputes import Split
from evaluation.views.export import send

# What stands in an address, described once for the OpenAPI document and the documentation made from it.
Kind = PathEx[
    Literal["tasks", "campaigns"],
    P(description="Whether the name is that of a task or of a campaign", examples=["tasks"]),
]
Slug = PathEx[
    str, P(description="The name of the task or campaign in its page's address", examples=["evening-news"])
]
ExportFormat = PathEx[
    Literal["csv", "tsv", "jsonl", "xml", "spreadsheet", "latex", "bundle"],
    P(description="The format; docs/researchers.md describes each", examples=["csv"]),
]
Identify = QueryEx[bool, P(description="User names instead of pseudonyms; administrators only")]


class TokenAuth(HttpBearer):
    """``Authorization: Bearer …``; expired, revoked and unknown tokens are answered alike."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        found = ApiToken.objects.valid().filter(digest=ApiToken.digest_of(token), user__is_active=True)
        known = found.select_related("user").first()
        if known is not None and known.last_used_on != timezone.now().date():
            ApiToken.objects.filter(pk=known.pk).update(last_used_on=timezone.now().date())
        return known


class WriteAuth(TokenAuth):
    """The same, for tokens that may change something."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        known = super().authenticate(request, token)
        if known is not None and known.scope != ApiToken.Scope.WRITE:
            raise HttpError(401, "this token may only read; make one that may write on the page “API tokens”")
        return known


# Ninja's own documentation page loads scripts from another site, which our CSP forbids; see docs/api.md.
api = NinjaAPI(
    title="Appraise",
    version="1",
    description="Phrase-based human evaluation of machine translation",
    docs_url=None,
    auth=TokenAuth(),
    urls_namespace="api",
)


@api.exception_handler(AuthenticationError)
def unknown(request: HttpRequest, error: AuthenticationError) -> HttpResponseBase:
    said = "send a valid token as “Authorization: Bearer TOKEN”; you make one on the page “API tokens”"
    return api.create_response(request, {"detail": said}, status=401)


@api.exception_handler(InputError)
def refused(request: HttpRequest, error: InputError) -> HttpResponseBase:
    problems = [problem.as_dict() for problem in error.problems]
    status = 413 if any(problem.code == "too_large" for problem in error.problems) else 422
    return api.create_response(request, {"problems": problems}, status=status)


class TaskOut(Schema):
    slug: str
    name: str
    campaign: str
    scheme: str
    state: str
    source_language: str
    target_language: str
    comparisons: int
    seats: int
    seats_done: int


class ProgressOut(Schema):
    seats: int
    seats_done: int
    pairs: int
    answers: int
    by_label: dict[str, int]


class PairOut(Schema):
    task: str
    item: str
    pair: str
    kind: str
    first: str
    second: str
    votes: dict[str, int]
    entropy: float
    machines: dict[str, str]
    adjudication: str | None


class DisagreementsOut(Schema):
    matching: int
    page: int
    pairs: list[PairOut]


class Without(Schema):
    """What is left out of a report."""

    without: list[Filter] = Field(
        default_factory=list,
        description="Leave out annotators who failed checks or were too fast, or surplus answers",
    )


class DisagreementsQuery(Schema):
    order: disputed.Order = Field(
        disputed.Order.ENTROPY,
        description="First come pairs that divide people, those on which machines contradict them, or those"
        " that divide people while machines are sure",
    )
    kind: Literal["", "different", "one_sided", "moved"] = Field("", description="Only pairs of this kind")
    split: Split = Field(
        Split.ANY, description="Only votes for opposite sides, or that differ in degree only"
    )
    annotator: str = Field("", description="Only pairs that this pseudonym has judged")
    text: str = Field("", description="Only pairs that contain this text")
    page: int = Field(1, description="Twenty pairs a page, from 1")


@api.get("/tasks", response=list[TaskOut], summary="Your tasks")
def tasks(request: HttpRequest) -> list[dict[str, Any]]:
    """The tasks that you organise or study."""
    mine = Task.objects.with_role(user_of(request), Role.MANAGER, Role.RESEARCHER)
    found = list(mine.select_related("campaign"))
    seats = seats_of(found)
    return [
        {
            "slug": task.slug,
            "name": task.name,
            "campaign": task.campaign.slug,
            "scheme": task.scheme_name,
            "state": task.state,
            "source_language": task.source_language,
            "target_language": task.target_language,
            "comparisons": task.size,
            "seats": seats[task.pk].total,
            "seats_done": seats[task.pk].done,
        }
        for task in found
    ]


@api.get("/tasks/{slug}/progress", response=ProgressOut, summary="Progress of a task")
def progress(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """How many seats are done, how many answers there are, and how often each label was chosen."""
    scope = scope_of(request, "tasks", slug)
    page = monitor_page(scope.tasks[0])
    return {
        "seats": page.seats,
        "seats_done": page.seats_done,
        "pairs": page.pairs,
        "answers": page.answers,
        "by_label": {choice.value: n for choice, n in page.by_label},
    }


@api.get("/{kind}/{slug}/agreement", response=dict[str, Any], summary="Agreement with intervals")
def agreement_report(request: HttpRequest, kind: Kind, slug: Slug, query: Query[Without]) -> dict[str, Any]:
    """What the command ``agreement`` prints, with subsets, tasks, annotators and changes over time."""
    found = agreement.summary(scope_of(request, kind, slug), query.without)
    return {
        **as_json(found.report),
        "mixed_schemes": found.mixed,
        "without": [name.value for name in found.without],
        "by_task": [asdict(row) for row in found.by_task.rows],
        "mean_over_tasks": asdict(found.by_task.mean),
        "pooled": asdict(found.by_task.pooled),
        "subsets": [
            {"without": [name.value for name in subset.without], **asdict(subset.row)}
            for subset in found.subsets
        ],
        "annotator_lines": [asdict(line) for line in found.annotators],
        "over_time": [asdict(window) for window in found.windows],
    }


@api.get("/{kind}/{slug}/results", response=dict[str, Any], summary="System results")
def system_results(request: HttpRequest, kind: Kind, slug: Slug, query: Query[Without]) -> dict[str, Any]:
    """Wins, strengths, rank ranges and clusters of the systems, and sign tests between every two."""
    return asdict(results.results(scope_of(request, kind, slug), query.without))


@api.get("/{kind}/{slug}/disagreements", response=DisagreementsOut, summary="Disagreements")
def disagreements(
    request: HttpRequest, kind: Kind, slug: Slug, query: Query[DisagreementsQuery]
) -> dict[str, Any]:
    """Pairs on which votes differ, twenty at a time, with the votes of people and machines."""
    asked = disputed.Query(
        order=query.order,
        kind=query.kind,
        split=query.split,
        annotator=query.annotator,
        text=query.text,
        page=max(1, query.page),
    )
    page = disputed.disagreements_page(scope_of(request, kind, slug), asked)
    return {
        "matching": page.matching,
        "page": asked.page,
        "pairs": [
            {
                "task": row.pair.task.slug,
                "item": row.pair.owner.item.key,
                "pair": row.pair.key,
                "kind": row.pair.kind,
                "first": row.pair.first,
                "second": row.pair.second,
                "votes": {choice.value: n for choice, n in row.votes},
                "entropy": row.entropy,
                "machines": {vote.voter: vote.choice.value for vote in row.machines},
                "adjudication": row.adjudication.choice if row.adjudication else None,
            }
            for row in page.rows
        ],
    }


@api.get("/{kind}/{slug}/export/{form}", summary="Exports")
def export(
    request: HttpRequest, kind: Kind, slug: Slug, form: ExportFormat, identify: Identify = False
) -> HttpResponseBase:
    """Answers as a file, every table as LaTeX, or data and tables together as a bundle."""
    return send(user_of(request), scope_of(request, kind, slug), form, identify=identify)


def user_of(request: HttpRequest) -> User:
    token: ApiToken = request.auth  # type: ignore[attr-defined]  # set by ninja after authentication
    return token.user


def scope_of(request: HttpRequest, kind: Kind, slug: str) -> Scope:
    try:
        return find_scope(user_of(request), kind.removesuffix("s"), slug)
    except UnknownScope as error:
        raise Http404(str(error)) from error
