"""Agreement between annotators: κ, κ′ and other coefficients, by task and annotator, and over time."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from django.db.models import Count, Exists, OuterRef
from django.utils.translation import gettext as _, gettext_lazy
from ninja import Field

from appraise.lib.digests import bytes_digest
from appraise.lib.tables import Table
from evaluation.agreement import AgreementReport
from evaluation.agreement.report import to_document
from evaluation.models import Ranking
from evaluation.reports import plots
from evaluation.reports.registry import FilterOptions, Report, report, tables_of
from evaluation.reports.scope import Scope, get_study, get_system_pairs, load_names
from evaluation.schemes import CHOICE_REASONS, SCHEMES, Choice, Scheme
from evaluation.study import AgreementSummary, Filter, summarise_agreement
from evaluation.study.annotators import AnnotatorLine
from evaluation.study.tables import AGREEMENT_TABLES
from evaluation.study.values import name_voter
from evaluation.voters import collect_choices, list_voters
from evaluation.web import numeral

MAX_IN_HEAT_MAP = 30  # annotators
MAX_FOR_TRIADS = 300_000  # answers; beyond that, cyclic triads would take too long


@dataclass(frozen=True, slots=True)
class HeatCell:
    text: str
    note: str
    level: str


EMPTY_CELL = HeatCell("–", "", "x")


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
    voters: list[str]
    selected_voters: list[str]
    reasons: Table

    @property
    def report(self) -> AgreementReport:
        return self.summary.report

    @property
    def annotators(self) -> list[AnnotatorLine]:
        return sorted(self.summary.annotators, key=lambda line: _sort_key(line.annotator, self.names))

    @property
    def leave_one_out_table(self) -> Table:
        lines = sorted(self.report.leave_one_out, key=lambda line: _sort_key(line.annotator, self.names))
        names = self.names
        rows = tuple((names.get(line.annotator, line.annotator), line.pairs, line.kappa) for line in lines)
        return Table(_("Leave one annotator out"), (_("Excluded"), _("Pairs"), "κ"), rows)

    @property
    def wanted_table(self) -> Table:
        rows = tuple((f"± {numeral(str(width))}", more) for width, more in self.summary.wanted)
        return Table(_("Additional answers needed"), (_("Interval"), _("Additional answers")), rows)

    @property
    def scheme(self) -> Scheme:
        """The scheme over which the answers are read: that of the tasks, or what different ones share."""
        return next(scheme for scheme in SCHEMES.values() if scheme.labels == tuple(self.report.labels))

    @property
    def coarse_scheme(self) -> Scheme | None:
        """The scheme of κ′; None where it is the same, because the scheme has no degrees."""
        return None if self.scheme.collapsed == self.scheme else self.scheme.collapsed


def get_agreement(
    scope: Scope, without: Collection[Filter] = (), selected_voters: Sequence[str] = ()
) -> AgreementSummary:
    """Return the summary; cached until a new answer arrives or the votes of the voters change."""
    filters = tuple(sorted(without))
    by_voter = collect_choices(scope.task_ids, selected_voters) if selected_voters else {}
    votes = {name_voter(voter): choices for voter, choices in by_voter.items()}

    def compute() -> AgreementSummary:
        study = get_study(scope)
        system_pairs = get_system_pairs(scope) if len(study) <= MAX_FOR_TRIADS else None
        return summarise_agreement(study, system_pairs, without=filters, votes=votes)

    return scope.cached("agreement", compute, filters, _digest(votes))


class AgreementOptions(FilterOptions):
    voter: list[str] = Field(default_factory=list, description="Include this voter as one more annotator")


@report("agreement", title=gettext_lazy("Agreement"))
class AnnotatorAgreement(Report[AgreementOptions, AgreementPage]):
    """Agreement with intervals: κ, κ′ and other coefficients, by task and by annotator, and over time."""

    options = AgreementOptions
    tables = {
        **tables_of(lambda page: page.summary, AGREEMENT_TABLES),
        "reasons": lambda page: page.reasons,
    }
    plots = {
        "kappa": lambda page: plots.kappa_scale(*_kappa(page)),
        "kappa-prime": lambda page: plots.kappa_scale(*_kappa_prime(page)),
        "collapse": lambda page: plots.two_values(_kappa(page), _kappa_prime(page)),
        "labels": lambda page: plots.label_bars(page.report.labels, page.report.label_totals),
        "over-time": lambda page: plots.over_time(page.summary.windows),
        "times": lambda page: plots.time_bars(page.summary.times),
        "sides": lambda page: plots.side_bars(
            [
                (page.names.get(line.annotator, line.annotator), line.bias.left_share, line.bias.interval)
                for line in page.annotators
            ]
        ),
    }

    def compute(self, scope: Scope, options: AgreementOptions) -> AgreementPage:
        voters = list_voters(scope.task_ids)
        selected_voters = [name for name in voters if name in options.voter]
        summary, names = get_agreement(scope, options.without, selected_voters), load_names(scope)
        names |= {name_voter(voter): _("%(name)s (voter)") % {"name": voter} for voter in selected_voters}
        return AgreementPage(
            scope=scope,
            summary=summary,
            names=names,
            people=_annotator_heat_map(summary.report, names),
            confusion=_confusion_heat_map(summary.report),
            voters=voters,
            selected_voters=selected_voters,
            reasons=_count_reasons(scope),
        )

    def document(self, page: AgreementPage) -> dict[str, Any]:  # Any: JSON
        """Return what the command ``agreement`` prints, with subsets, tasks, annotators and time."""
        summary = page.summary
        return {
            **to_document(summary.report),
            "mixed_schemes": summary.mixed,
            "without": [name.value for name in summary.without],
            "by_task": [asdict(row) for row in summary.by_task.rows],
            "mean_over_tasks": asdict(summary.by_task.mean),
            "pooled": asdict(summary.by_task.pooled),
            "subsets": [
                {"without": [name.value for name in subset.without], **asdict(subset.row)}
                for subset in summary.subsets
            ],
            "annotator_lines": [asdict(line) for line in summary.annotators],
            "over_time": [asdict(window) for window in summary.windows],
        }


def _count_reasons(scope: Scope) -> Table:
    """Return how often each reason was given; no rows if no task asks for reasons."""
    columns = "reason", "answers"
    if not any(task.ask_reasons for task in scope.tasks):
        return Table("Reasons", columns, ())
    same = {name: OuterRef(name) for name in ("annotator", "pair", "presentation")}
    newer = Ranking.objects.filter(**same, version__gt=OuterRef("version"))
    current = Ranking.objects.filter(~Exists(newer), pair__task__in=scope.task_ids)
    counts = dict(current.values_list("reason").annotate(n=Count("pk")).order_by())
    rows = tuple((reason.words, counts.get(reason.code, 0)) for reason in CHOICE_REASONS)
    return Table("Reasons", columns, rows)


def _kappa(page: AgreementPage) -> plots.NamedValue:
    return "κ", page.report.kappa.value, page.report.kappa.interval


def _kappa_prime(page: AgreementPage) -> plots.NamedValue:
    return "κ′", page.report.kappa.prime, page.report.kappa.prime_interval


def _sort_key(annotator: str, names: dict[str, str]) -> tuple[bool, str]:
    """Annotators by displayed name, then voters; the order of database keys differs from site to site."""
    return annotator.startswith(name_voter("")), names.get(annotator, annotator).casefold()


def _annotator_heat_map(report: AgreementReport, names: dict[str, str]) -> HeatMap | None:
    """κ of each two annotators; None where there are too many to read."""
    annotators = sorted(report.annotators, key=lambda annotator: _sort_key(annotator, names))
    if not report.by_annotator_pair or len(annotators) > MAX_IN_HEAT_MAP:
        return None
    cells = {(pair.a, pair.b): pair for pair in report.by_annotator_pair}
    known = [pair.kappa for pair in report.by_annotator_pair if pair.kappa is not None]
    low, high = min(known, default=0.0), max(known, default=1.0)

    def make_cell(a: str, b: str) -> HeatCell:
        pair = cells.get((a, b)) or cells.get((b, a))
        if pair is None or pair.kappa is None:
            return EMPTY_CELL
        return HeatCell(numeral(f"{pair.kappa:.2f}"), str(pair.pairs), heat_level(pair.kappa, low, high))

    rows = [(names.get(a, a), [make_cell(a, b) for b in annotators]) for a in annotators]
    return HeatMap([name for name, _ in rows], rows)


def _confusion_heat_map(report: AgreementReport) -> HeatMap:
    rows = []
    for label, counts in zip(report.labels, report.confusion, strict=True):
        shares = [count / sum(counts) for count in counts] if any(counts) else []
        cells = [
            HeatCell(_("{n}%").replace("{n}", f"{share * 100:.0f}"), "", heat_level(share, 0, 0.65))
            for share in shares
        ]
        rows.append((label, cells or [EMPTY_CELL] * len(counts)))
    return HeatMap(list(report.labels), rows)


def _digest(votes: Mapping[str, Mapping[int, Choice]]) -> str:
    content = [(name, sorted(choices.items())) for name, choices in votes.items()]
    return bytes_digest(repr(content).encode())


def heat_level(value: float, low: float, high: float) -> str:
    """Return the step of the colour ramp, 0 to 5.

    >>> heat_level(0.3, 0.3, 0.9), heat_level(0.9, 0.3, 0.9), heat_level(0.5, 0.5, 0.5)
    ('0', '5', '3')
    """
    if high <= low:
        return "3"
    return str(min(5, max(0, int((value - low) / (high - low) * 6))))
