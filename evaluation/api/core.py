"""The JSON API: the content of the pages for scripts and notebooks. OpenAPI at ``/api/openapi.json``.

A token has the rights of its user; whatever the user may not see is a 404. Annotators are always shown under
pseudonyms. Other apps add endpoints with ``api.add_router``.
"""

from __future__ import annotations

from dataclasses import replace
from inspect import Parameter, Signature
from typing import Any, Literal

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone, translation
from ninja import NinjaAPI, P, PathEx, Query, QueryEx, Schema
from ninja.errors import AuthenticationError, HttpError
from ninja.security import HttpBearer

from appraise.lib.problems import InputError
from evaluation.models import ApiToken, Role, Task, User
from evaluation.reports.registry import AnyReport, load_reports
from evaluation.reports.report_job import ReportPending, compute_report
from evaluation.reports.scope import Scope, find_scope
from evaluation.reports.views import send_export
from evaluation.study import AnswerKind
from evaluation.tasks.queries.progress import build_monitor_page, count_slots

# Path parameters, described once for the OpenAPI document and the documentation.
Kind = PathEx[
    Literal["tasks", "campaigns"],
    P(description="Whether the slug belongs to a task or a campaign", examples=["tasks"]),
]
Slug = PathEx[
    str,
    P(description="The slug of the task or campaign, as in the URL of its page", examples=["evening-news"]),
]
ExportFormat = PathEx[
    Literal[
        "csv", "tsv", "jsonl", "xml", "spreadsheet", "mtme", "appraise-csv", "mqm-tsv", "latex", "bundle"
    ],
    P(description="The format; docs/researchers.md describes each", examples=["csv"]),
]
Answers = QueryEx[AnswerKind | None, P(description="Answers about phrases or about whole sentences")]
Identify = QueryEx[bool, P(description="User names instead of pseudonyms; administrators only")]


class TokenAuth(HttpBearer):
    """``Authorization: Bearer …``; expired, revoked and unknown tokens get the same response."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        tokens = ApiToken.objects.valid().filter(digest=ApiToken.digest_of(token), user__is_active=True)
        known = tokens.select_related("user").first()
        if known is not None and known.last_used_on != timezone.now().date():
            ApiToken.objects.filter(pk=known.pk).update(last_used_on=timezone.now().date())
        return known


class WriteAuth(TokenAuth):
    """Accepts only tokens with the scope *write*."""

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        known = super().authenticate(request, token)
        if known is not None and known.scope != ApiToken.Scope.WRITE:
            raise HttpError(
                401, "this token is read-only; create one with write access on the page “API tokens”"
            )
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
def handle_authentication_error(request: HttpRequest, error: AuthenticationError) -> HttpResponseBase:
    detail = "send a valid token as “Authorization: Bearer TOKEN”; you make one on the page “API tokens”"
    return api.create_response(request, {"detail": detail}, status=401)


@api.exception_handler(InputError)
def handle_input_error(request: HttpRequest, error: InputError) -> HttpResponseBase:
    problems = [problem.as_dict() for problem in error.problems]
    status = 413 if any(problem.code == "too_large" for problem in error.problems) else 422
    return api.create_response(request, {"problems": problems}, status=status)


class PendingOut(Schema):
    """A report that is being computed in the background: ask again."""

    detail: str
    job: str
    state: str
    done: int
    total: int


@api.exception_handler(ReportPending)
def handle_pending_report(request: HttpRequest, pending: ReportPending) -> HttpResponseBase:
    job = pending.job
    detail = "the computation failed; ask again in a minute" if job.is_over else "being computed; ask again"
    state = {"job": str(job.pk), "state": job.state, "done": job.done, "total": job.total}
    response = api.create_response(request, {"detail": detail, **state}, status=202)
    response["Retry-After"] = "60" if job.is_over else "2"
    return response


class TaskOut(Schema):
    slug: str
    name: str
    campaign: str
    scheme: str
    state: str
    source_language: str
    target_language: str
    comparisons: int
    slots: int
    slots_done: int


class ProgressOut(Schema):
    slots: int
    slots_done: int
    pairs: int
    answers: int
    by_label: dict[str, int]


@api.get("/tasks", response=list[TaskOut], summary="Your tasks")
def tasks(request: HttpRequest) -> list[dict[str, Any]]:
    """The tasks that you manage or study."""
    visible = Task.objects.with_role(user_of(request), Role.MANAGER, Role.RESEARCHER)
    own_tasks = list(visible.select_related("campaign"))
    slots = count_slots(own_tasks)
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
            "slots": slots[task.pk].total,
            "slots_done": slots[task.pk].done,
        }
        for task in own_tasks
    ]


@api.get("/tasks/{slug}/progress", response=ProgressOut, summary="Progress of a task")
def progress(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """Finished slots (`slots_done` of `slots`), the number of answers, and the counts of each label."""
    scope = scope_of(request, "tasks", slug)
    page = build_monitor_page(scope.tasks[0])
    return {
        "slots": page.slots,
        "slots_done": page.slots_done,
        "pairs": page.pairs,
        "answers": page.answers,
        "by_label": {choice.value: n for choice, n in page.by_label},
    }


def _add_report(report: AnyReport) -> None:
    """Add the operation of a registered report; its options are the parameters."""

    def operation(request: HttpRequest, **values: Any) -> Any:  # Any: described by the signature below
        scope = scope_of(request, values.get("kind", "tasks"), values["slug"])
        options = values.get("query") or report.options()
        return report.document(compute_report(report, replace(scope, managed=False), options).summary)

    is_for_campaigns = "campaign" in report.scopes
    parameters: dict[str, Any] = {"kind": Kind} if is_for_campaigns else {}  # Any: types
    parameters["slug"] = Slug
    if report.options.model_fields:
        parameters["query"] = Query[report.options]  # type: ignore[misc, name-defined]  # a value, not a name
    operation.__signature__ = Signature(  # type: ignore[attr-defined]  # read by inspect
        [
            Parameter("request", Parameter.POSITIONAL_OR_KEYWORD, annotation=HttpRequest),
            *(Parameter(name, Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in parameters.items()),
        ]
    )
    operation.__name__, operation.__doc__ = f"report_{report.name}", report.description
    path = f"/{{kind}}/{{slug}}/{report.path}" if is_for_campaigns else f"/tasks/{{slug}}/{report.path}"
    responses = {200: report.response, 202: PendingOut}
    api.get(path, response=responses, summary=str(report.title))(operation)


with translation.override("en"):
    for registered in load_reports().values():
        _add_report(registered)


@api.get("/{kind}/{slug}/export/{form}", summary="Exports")
def export(
    request: HttpRequest,
    kind: Kind,
    slug: Slug,
    form: ExportFormat,
    identify: Identify = False,
    answers: Answers = None,
) -> HttpResponseBase:
    """Answers as a file, every table as LaTeX, or data and tables together as a bundle."""
    scope = scope_of(request, kind, slug)
    return send_export(user_of(request), scope, form, identify=identify, answers=answers)


def user_of(request: HttpRequest) -> User:
    token: ApiToken = request.auth  # type: ignore[attr-defined]  # set by ninja after authentication
    return token.user


def scope_of(request: HttpRequest, kind: Kind, slug: str) -> Scope:
    return find_scope(user_of(request), kind.removesuffix("s"), slug)
