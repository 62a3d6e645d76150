"""Replications that were asked for on this site, as their owners see them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from evaluation.models import Campaign, Job, Role, Task, User
from metrics.replicate.rendering import figure, provenance
from metrics.replicate.values import Cell, Report, Table, from_dict

KIND = "replicate"


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table with its cells as text: the paper's, ours, and the interval of ours."""

    table: Table
    rows: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...]


@dataclass(frozen=True, slots=True)
class ReplicationPage:
    job: Job
    report: Report
    tables: tuple[ShownTable, ...]
    provenance: list[tuple[str, str]]

    @property
    def names_options(self) -> bool:
        """Whether the notes on what was not run mention options of the command line."""
        return any("--" in one.because for one in self.report.missing)


def replications(user: User) -> list[Job]:
    """The user's own, or everybody's for an administrator, the newest first; one query."""
    found = Job.objects.filter(kind=KIND).listed().select_related("owner")
    return list(found if user.is_superuser else found.filter(owner=user))


def finished(user: User, pk: UUID) -> ReplicationPage | None:
    """A finished one with its tables; one query."""
    jobs = Job.objects.filter(kind=KIND, pk=pk, state=Job.State.DONE)
    job = (jobs if user.is_superuser else jobs.filter(owner=user)).first()
    if job is None:
        return None
    report = from_dict(job.result)
    return ReplicationPage(job, report, tuple(map(_shown, report.tables)), provenance(report))


def campaigns(user: User) -> list[Campaign]:
    """The campaigns of which ``user`` may study every task; one query."""
    mine = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exclude(state=Task.State.IMPORTING)
    others = Task.objects.exclude(state=Task.State.IMPORTING).exclude(pk__in=mine.values("pk"))
    found = Campaign.objects.filter(pk__in=mine.values("campaign"))
    return list(found.exclude(pk__in=others.values("campaign")).order_by("name"))


def _shown(table: Table) -> ShownTable:
    rows = tuple((row.label, tuple(_cell(cell, table.digits) for cell in row.cells)) for row in table.rows)
    return ShownTable(table, rows)


def _cell(cell: Cell, digits: int) -> tuple[str, str, str]:
    ends = [] if cell.ours is None or cell.low is None or cell.high is None else [cell.low, cell.high]
    return (
        figure(cell.paper, digits),
        figure(cell.ours, digits),
        " – ".join(figure(end, digits) for end in ends),
    )
