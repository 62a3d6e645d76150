"""The agreement page: one summary of the study with its tables and plots."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.utils.translation import gettext as _

from evaluation.agreement import AgreementReport
from evaluation.agreement.rendering import Table
from evaluation.agreement.stability import Without
from evaluation.numerals import numeral
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, names, study_of
from evaluation.schemes import Choice
from evaluation.study import AgreementSummary, Filter, agreement_summary
from evaluation.study.annotators import AnnotatorLine
from evaluation.study.machines import machine_name
from evaluation.study.tables import agreement_tables
from evaluation.votes import chosen_votes, machine_voters

MOST_IN_HEAT_MAP = 30
TRIADS_UP_TO = 300_000  # answers; beyond that, cyclic triads are for the results page


@dataclass(frozen=True, slots=True)
class HeatCell:
    text: str
    note: str
    level: str


@dataclass(frozen=True, slots=True)
class HeatMap:
    columns: list[str]
    rows: list[tuple[str, list[HeatCell]]]


@dataclass(frozen=True, slots=True)
class AgreementPage:
    scope: Scope
    summary: AgreementSummary
    names: dict[str, str]
    people: HeatMap | None
    confusion: HeatMap
    plots: dict[str, plots.Plot]

    @property
    def report(self) -> AgreementReport:
        return self.summary.report

    @property
    def annotators(self) -> list[AnnotatorLine]:
        return sorted(self.summary.annotators, key=lambda line: _place(line.annotator, self.names))

    @property
    def leave_one_out(self) -> list[Without]:
        return sorted(self.report.leave_one_out, key=lambda one: _place(one.annotator, self.names))


def summary(scope: Scope, without: Collection[Filter] = (), machines: Sequence[str] = ()) -> AgreementSummary:
    """Computed once, then cached until a new answer arrives or the votes of machines change."""
    left_out = tuple(sorted(without))
    said = chosen_votes([task.pk for task in scope.tasks], machines) if machines else {}
    votes = {machine_name(voter): choices for voter, choices in said.items()}

    def compute() -> AgreementSummary:
        study = study_of(scope)
        meetings = meetings_of(scope) if len(study) <= TRIADS_UP_TO else None
        return agreement_summary(study, meetings, without=left_out, machines=votes)

    key = ("agreement", left_out, _digest(votes), *scope.key)
    return remembered(key, compute, scope.state)


def offered_machines(scope: Scope) -> list[str]:
    """Machines that have voted here and could take part."""
    return machine_voters([task.pk for task in scope.tasks])


def agreement_page(
    scope: Scope, without: Collection[Filter] = (), machines: Sequence[str] = ()
) -> AgreementPage:
    found, called = summary(scope, without, machines), names(scope)
    called |= {machine_name(voter): _("%(name)s (machine)") % {"name": voter} for voter in machines}
    return AgreementPage(
        scope=scope,
        summary=found,
        names=called,
        people=_people(found.report, called),
        confusion=_confusion(found.report),
        plots=agreement_plots(found, called),
    )


def tables(scope: Scope, without: Collection[Filter] = (), machines: Sequence[str] = ()) -> dict[str, Table]:
    """Every table of the page by its name, under pseudonyms."""
    return agreement_tables(summary(scope, without, machines))


def agreement_plots(found: AgreementSummary, called: dict[str, str] | None = None) -> dict[str, plots.Plot]:
    """Every plot of the page by its name."""
    report, called = found.report, called or {}
    kappa = report.kappa
    return {
        "kappa": plots.kappa_scale("κ", kappa.value, kappa.interval),
        "kappa-prime": plots.kappa_scale("κ′", kappa.prime, kappa.prime_interval),
        "collapse": plots.two_values(
            ("κ", kappa.value, kappa.interval), ("κ′", kappa.prime, kappa.prime_interval)
        ),
        "labels": plots.label_bars(report.labels, report.label_totals),
        "over-time": plots.over_time(found.windows),
        "times": plots.time_bars(found.times),
        "sides": plots.side_bars(
            [
                (called.get(line.annotator, line.annotator), line.bias.left_share, line.bias.interval)
                for line in sorted(found.annotators, key=lambda line: _place(line.annotator, called))
            ]
        ),
    }


def _place(annotator: str, called: dict[str, str]) -> tuple[bool, str]:
    """Sort key: people by displayed name, then machines; database keys differ from site to site."""
    return annotator.startswith(machine_name("")), called.get(annotator, annotator).casefold()


def _people(report: AgreementReport, called: dict[str, str]) -> HeatMap | None:
    """Annotator × annotator; None where it would be too large to read."""
    who = sorted(report.annotators, key=lambda one: _place(one, called))
    if not report.by_annotator_pair or len(who) > MOST_IN_HEAT_MAP:
        return None
    cells = {(pair.a, pair.b): pair for pair in report.by_annotator_pair}
    known = [pair.kappa for pair in report.by_annotator_pair if pair.kappa is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)
    rows = []
    for a in who:
        row = []
        for b in who:
            pair = cells.get((a, b)) or cells.get((b, a))
            if pair is None or pair.kappa is None:
                row.append(HeatCell("–", "", "x"))
            else:
                row.append(
                    HeatCell(numeral(f"{pair.kappa:.2f}"), str(pair.pairs), level(pair.kappa, low, high))
                )
        rows.append((called.get(a, a), row))
    return HeatMap([called.get(a, a) for a in who], rows)


def _confusion(report: AgreementReport) -> HeatMap:
    rows = []
    for label, counts in zip(report.labels, report.confusion, strict=True):
        total = sum(counts)
        shares = [count / total if total else None for count in counts]
        cells = [
            HeatCell("–", "", "x")
            if share is None
            else HeatCell(_("{n}%").replace("{n}", f"{share * 100:.0f}"), "", level(share, 0, 0.65))
            for share in shares
        ]
        rows.append((label, cells))
    return HeatMap(list(report.labels), rows)


def _digest(votes: Mapping[str, Mapping[int, Choice]]) -> str:
    return sha256(repr([(name, sorted(said.items())) for name, said in votes.items()]).encode()).hexdigest()


def level(value: float, low: float, high: float) -> str:
    """The step of the colour ramp, 0 to 5.

    >>> level(0.3, 0.3, 0.9), level(0.9, 0.3, 0.9), level(0.5, 0.5, 0.5)
    ('0', '5', '3')
    """
    if high <= low:
        return "3"
    return str(min(5, max(0, int((value - low) / (high - low) * 6))))
