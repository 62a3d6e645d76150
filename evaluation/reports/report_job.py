"""Reports that would take a web thread too long: a job computes them, and pages show the shared results.

Whether a report is left to a job is estimated from the number of rankings. A result is shown while no newer
answer has arrived, and for ``MAX_STALENESS`` after it was computed: on a busy site every result would
otherwise be outdated before anybody has seen it.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.http import Http404
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext, gettext_noop

from appraise.lib.digests import text_digest
from evaluation import jobs
from evaluation.models import Job
from evaluation.reports.cache import DatabaseState, NotShared, is_settled, read_results, share_results
from evaluation.reports.registry import AnyReport, ReportOptions, load_reports
from evaluation.reports.scope import Scope, find_scope, find_scopes, get_study

logger = logging.getLogger(__name__)

MAX_INLINE_SECONDS = 1.0
MAX_STALENESS = timedelta(minutes=5)
RETRY_AFTER = timedelta(minutes=1)


class ReportPending(Exception):
    """The report is not available yet; ``job`` computes it, or has failed."""

    def __init__(self, job: Job) -> None:
        super().__init__(str(job.pk))
        self.job = job


class ComputedReport(NamedTuple):
    """``as_of`` is set if there are newer answers, which the summary does not contain."""

    summary: Any  # Any: of the report's own type
    as_of: datetime | None = None


def compute_report(report: AnyReport, scope: Scope, options: ReportOptions) -> ComputedReport:
    """Return the summary of a report for a page or the API; ``ReportPending`` if it is left to a job."""
    if report.estimate_seconds(scope, options) <= MAX_INLINE_SECONDS:
        return ComputedReport(report.compute(scope, options))
    arguments: dict[str, object] = {
        "report": report.name,
        "scope": [scope.kind, scope.slug],
        "options": options.model_dump(mode="json"),
        "url": scope.url(report.path),
    }
    key = text_digest(report.name, repr(arguments["options"]), repr(scope.key))
    job = Job.objects.filter(kind="report", arguments__key=key).order_by("-created_at").first()
    if job is not None:
        state = _find_state(job, scope)
        if state is not None:
            try:
                with read_results():
                    summary = report.compute(_pin_state(scope, state), options)
                is_newest = scope.state is not None and state.ids == scope.state.ids
                return ComputedReport(summary, None if is_newest else job.started_at)
            except NotShared as error:
                logger.warning("report %s: nothing is stored for %s", report.name, error)
        if not job.is_over or _ended_within(job, RETRY_AFTER):
            raise ReportPending(job)
    title = gettext("Compute %(report)s of %(name)s") % {"report": report.title, "name": scope.name}
    raise ReportPending(
        jobs.enqueue("report", title, owner=scope.viewer, task=scope.task, key=key, **arguments)
    )


def _find_state(job: Job, scope: Scope) -> DatabaseState | None:
    """Return the state of the database at which a job has computed its report, if that can still be shown."""
    if job.state != Job.State.DONE or job.started_at is None or "ids" not in (job.result or {}):
        return None
    at = job.result["newest_at"]
    state = DatabaseState(tuple(job.result["ids"]), parse_datetime(at) if at else None, is_pinned=True)
    is_newest = scope.state is not None and state.ids == scope.state.ids
    if is_newest and is_settled(job.started_at, state.newest_at, timezone.now()):
        return state
    return state if _ended_within(job, MAX_STALENESS) else None


def _ended_within(job: Job, period: timedelta) -> bool:
    return job.finished_at is not None and timezone.now() - job.finished_at < period


def _pin_state(scope: Scope, state: DatabaseState) -> Scope:
    others = scope.others and {name: replace(other, state=state) for name, other in scope.others.items()}
    return replace(scope, state=state, others=others)


@jobs.handler("report")
def run_report(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    report = load_reports()[job.arguments["report"]]
    options = report.options.model_validate(job.arguments["options"])
    try:
        scope = _find_scope(job, report)
    except Http404:  # deleted, or its owner may no longer study it
        return {}
    state = scope.state or DatabaseState((0,), None)
    with share_results():
        progress.update(0, 2, gettext_noop("The answers are being read."))
        get_study(scope)
        progress.update(1, 2, gettext_noop("The figures are being computed."))
        report.compute(scope, options)
    progress.update(2, 2)
    return {"ids": state.ids, "newest_at": state.newest_at and state.newest_at.isoformat()}


def _find_scope(job: Job, report: AnyReport) -> Scope:
    kind, slug = job.arguments["scope"]
    if job.owner is None:
        raise Http404(slug)
    scope = find_scope(job.owner, kind, slug)
    if not report.compares_scopes:
        return scope
    # The same state for all of them, as on the page.
    return _pin_state(replace(scope, others=find_scopes(job.owner)), scope.state or DatabaseState((0,), None))
