"""The trend: wins of the systems and agreement over all rounds of a family of campaigns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from appraise.lib.resampling import Interval
from appraise.lib.tables import Table
from evaluation.agreement.report import interval_cells
from evaluation.reports import plots
from evaluation.reports.agreement import get_agreement
from evaluation.reports.registry import FilterOptions, Report, report
from evaluation.reports.scope import Scope, find_scopes, get_study, get_system_pairs
from evaluation.reports.system_results import filter_study
from evaluation.results.shares import WinShare, compute_win_shares
from evaluation.study.systems import collect_system_votes

MAX_ROUNDS = 60


@dataclass(frozen=True, slots=True)
class RoundLine:
    """One campaign of the family: its figures as on its own pages."""

    scope: Scope
    sentences: int
    annotators: int
    kappa: float | None
    kappa_interval: Interval | None
    wins: tuple[WinShare, ...]


@dataclass(frozen=True, slots=True)
class TrendPage:
    scope: Scope
    rounds: tuple[RoundLine, ...]

    @property
    def systems(self) -> list[str]:
        return sorted({line.system for part in self.rounds for line in part.wins})

    @property
    def is_single(self) -> bool:
        return len(self.rounds) < 2

    @property
    def wins(self) -> list[tuple[str, plots.Plot]]:
        """For each system its wins over the rounds."""
        return [(system, _win_plot(system, self.rounds)) for system in self.systems]


@report("trend", title=gettext_lazy("Trend"), section="results")
class Trend(Report[FilterOptions, TrendPage]):
    """Wins of the systems and agreement over all rounds of a family of campaigns, with intervals."""

    options = FilterOptions
    compares_scopes = True
    microseconds_per_ranking = 12
    tables = {"agreement": lambda page: _agreement_table(page), "wins": lambda page: _win_table(page)}
    plots = {"agreement": lambda page: _agreement_plot(page)}

    def compute(self, scope: Scope, options: FilterOptions) -> TrendPage:
        filters = tuple(sorted(options.without))
        rounds = find_rounds(scope, scope.others or find_scopes(scope.viewer))
        return TrendPage(scope, tuple(_measure_round(part, filters) for part in rounds))


def find_rounds(scope: Scope, others: Mapping[str, Scope]) -> list[Scope]:
    """Return the campaigns of the family that may be studied, oldest first; alone, the scope itself."""
    family = scope.campaign.family
    rounds = [
        other
        for other in others.values()
        if other.kind == "campaign" and family and other.campaign.family == family
    ]
    if not rounds:
        return [scope]
    rounds.sort(key=lambda other: (other.campaign.created_at, other.campaign.pk))
    return rounds[-MAX_ROUNDS:]


def _measure_round(scope: Scope, without: tuple[Any, ...]) -> RoundLine:
    agreement = get_agreement(scope, without).report
    study = filter_study(get_study(scope), without)

    def compute() -> tuple[WinShare, ...]:
        return compute_win_shares(collect_system_votes(study, get_system_pairs(scope)))

    return RoundLine(
        scope=scope,
        sentences=study.judgements().sentence_count,
        annotators=len(agreement.annotators),
        kappa=agreement.kappa.value,
        kappa_interval=agreement.kappa.interval,
        wins=scope.cached("win shares", compute, without),
    )


def _agreement_table(page: TrendPage) -> Table:
    columns = ("round", "sentences", "annotators", "kappa", "low", "high")
    rows = tuple(
        (part.scope.name, part.sentences, part.annotators, part.kappa, *interval_cells(part.kappa_interval))
        for part in page.rounds
    )
    return Table("Agreement over the rounds", columns, rows)


def _win_table(page: TrendPage) -> Table:
    rows = tuple(
        (part.scope.name, line.system, line.share, *interval_cells(line.interval))
        for part in page.rounds
        for line in part.wins
    )
    return Table("Wins over the rounds", ("round", "system", "expected wins", "low", "high"), rows)


def _agreement_plot(page: TrendPage) -> plots.Plot:
    values = [(part.scope.name, part.kappa, part.kappa_interval) for part in page.rounds]
    return plots.named_values(_("κ of each round, with intervals over sentences"), "κ", _("round"), values)


def _win_plot(system: str, rounds: tuple[RoundLine, ...]) -> plots.Plot:
    values = [
        (part.scope.name, line.share, line.interval)
        for part in rounds
        for line in part.wins
        if line.system == system
    ]
    label = _("Expected wins of %(system)s in each round") % {"system": system}
    return plots.named_values(label, _("expected wins"), _("round"), values)
