"""How the work of people from a crowd platform has ended, and the pay sheet of a campaign."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q, Sum

from appraise.lib.tables import Cell, Table
from evaluation.annotate.services.assignments import count_left
from evaluation.models import Assignment, Campaign, CrowdPlatform, CrowdWorker, Ranking, Task, User
from evaluation.tasks.queries.members import CheckCounts, count_checks


@dataclass(frozen=True, slots=True)
class CrowdReturn:
    """With what somebody goes back to the platform; code and address may be empty."""

    outcome: str
    code: str
    url: str


def find_return(platform: CrowdPlatform, outcome: str) -> CrowdReturn:
    return CrowdReturn(outcome, getattr(platform, f"{outcome}_code"), getattr(platform, f"{outcome}_url"))


def find_outcome(platform: CrowdPlatform, user: User) -> str:
    """Return how the work of somebody in the campaign has ended; empty while there is more to do."""
    tasks = list(Task.objects.annotated_by(user).filter(campaign=platform.campaign_id))
    is_open = Q(finished_at=None, task__state=Task.State.OPEN, task__in=tasks)
    is_done = Q(finished_at__isnull=False, skip_reason="")
    counts = Assignment.objects.filter(annotator__user=user, task__campaign=platform.campaign_id).aggregate(
        open=Count("pk", filter=is_open),
        done=Count("pk", filter=is_done),
    )
    if counts["open"] or any(count_left(tasks, user).values()):
        return ""
    if not counts["done"]:
        return CrowdWorker.Outcome.SCREENED_OUT
    checks = CheckCounts()
    if platform.least_checks:
        checks = next(iter(count_checks(*tasks, user=user).values()), checks)
    has_failed = checks.share is not None and checks.share * 100 < platform.least_checks
    return CrowdWorker.Outcome.FAILED if has_failed else CrowdWorker.Outcome.PASSED


def build_pay_sheet(campaign: Campaign) -> Table:
    """Return one row for each person of the platform, with what the pay depends on; six queries.

    The time is that in which pages were visible and used; sentences that were skipped, or given to somebody
    else after a long break, count only with their time.
    """
    workers = list(campaign.crowd_workers.select_related("user__annotator").order_by("created_at", "pk"))
    of_workers = {"annotator__user__crowd_worker__campaign": campaign}
    is_done = Q(finished_at__isnull=False, skip_reason="")
    assignments = Assignment.objects.filter(task__campaign=campaign, **of_workers).order_by()
    work = {
        annotator: counts
        for annotator, *counts in assignments.values_list("annotator").annotate(
            ms=Sum("active_ms"), done=Count("pk", filter=is_done)
        )
    }
    is_newest = ~Exists(
        Ranking.objects.filter(
            annotator=OuterRef("annotator"), pair=OuterRef("pair"), presentation=OuterRef("presentation"),
            version__gt=OuterRef("version"),
        )
    )  # fmt: skip
    is_open = Exists(
        Assignment.objects.unfinished().filter(
            annotator=OuterRef("annotator"), comparison=OuterRef("pair__owner"),
            presentation=OuterRef("presentation"),
        )
    )  # fmt: skip
    rankings = Ranking.objects.filter(pair__task__campaign=campaign, **of_workers).order_by()
    answers = {
        annotator: counts
        for annotator, *counts in rankings.values_list("annotator").annotate(
            n=Count("pk", filter=Q(is_newest, choice__isnull=False)), ms=Sum("active_ms", filter=Q(is_open))
        )
    }
    checks = count_checks(*campaign.tasks.all())
    rows: list[tuple[Cell, ...]] = []
    for worker in workers:
        annotator = getattr(worker.user, "annotator", None)
        pk = annotator.pk if annotator else 0
        (ms, done), own = work.get(pk, (0, 0)), checks.get(pk, CheckCounts())
        answered, open_ms = answers.get(pk, (0, 0))
        minutes = round((ms + (open_ms or 0)) / 60_000, 2)
        arrived = worker.created_at.isoformat(timespec="seconds")
        ended = worker.ended_at.isoformat(timespec="seconds") if worker.ended_at else None
        person = worker.worker, worker.study, worker.session, worker.user.username, worker.visits
        counted = minutes, done, answered, own.seen, own.passed
        rows.append((*person, arrived, ended, worker.outcome, *counted))
    columns = ("worker", "study", "session", "account", "visits", "arrived", "ended", "outcome", "minutes",
               "sentences", "answers", "checks", "checks passed")  # fmt: skip
    return Table(f"Pay sheet of {campaign.slug}", columns, tuple(rows))
