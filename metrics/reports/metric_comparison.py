"""The metrics report of a task: metrics beside people, with a filtered list of phrase pairs."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _
from ninja import Field

from appraise.lib.resampling import Interval, Ints
from appraise.lib.tables import Cell, Table
from evaluation.models import PhrasePair
from evaluation.reports.plots import Plot
from evaluation.reports.registry import FilterOptions, Report, report
from evaluation.reports.scope import Scope
from evaluation.study.systems import NO_VOTE
from metrics.reports.metric_statistics import MetricLine, compute_metric_statistics
from metrics.scoring.plots import scatter, wins_plot
from metrics.scoring.queries import load_runs_and_job
from metrics.scoring.vote_agreement import MetricPairTest, Rate, VoteLine

PAGE_SIZE = 50
SIDES = {1: "A", 0: "tie", -1: "B", NO_VOTE: ""}


class ComparisonOptions(FilterOptions):
    run: int | None = Field(default=None, ge=0, lt=10**9, description="The metric run to plot and filter by")
    show: Literal["all", "agree", "disagree"] = Field(
        default="all", description="Only pairs on which the metric agrees or disagrees with the majority"
    )
    side: Literal["any", "decided", "tie", "split"] = Field(
        default="any",
        description="Only pairs on which the majority prefers a side or sees a tie, or without a majority",
    )
    text: str = Field(default="", max_length=200, description="Only pairs that contain this text")
    page: int = Field(default=1, ge=1, lt=10**9, description="Page of fifty pairs, from 1")


@dataclass(frozen=True, slots=True)
class VoteMark:
    """A metric's vote on a pair; ``agrees`` is None where people have no majority or it has no vote."""

    side: str
    agrees: bool | None


class PairText(NamedTuple):
    first: str
    second: str
    kind: str
    item: str
    position: int


@dataclass(frozen=True, slots=True)
class VotesRow:
    pair: PairText
    people: str
    margin: int
    marks: list[VoteMark]


class MetricComparisonPage:
    """The figures of the page; each part is computed when it is used, so a file costs only itself."""

    def __init__(self, scope: Scope, options: ComparisonOptions) -> None:
        if scope.task is None:
            raise ValueError("metrics are compared within one task")
        self.scope, self.task, self.options = scope, scope.task, options
        self.runs, self.running_job = load_runs_and_job(scope.task.pk)
        self.statistics = compute_metric_statistics(scope, self.runs, options.without)

    @cached_property
    def chosen(self) -> MetricLine | None:
        """The metric that is plotted and filtered by: the chosen one, or the best."""
        voters = self.statistics.voters
        selected = [line for line in voters if line.run.pk == self.options.run]
        return selected[0] if selected else self.statistics.best or (voters[0] if voters else None)

    @cached_property
    def matching(self) -> Ints:
        """The codes of the pairs that match the filters, in the order of the task."""
        people = self.statistics.people
        matches = np.asarray(self.statistics.study.expected == -1)
        if self.chosen is not None and self.options.show in ("agree", "disagree"):
            votes = self.statistics.votes_by_run.get(self.chosen.run.pk)
            if votes is not None:
                counted = (votes[0] != NO_VOTE) & (people.majority != NO_VOTE)
                right = votes[0] == people.majority
                matches &= counted & (right if self.options.show == "agree" else ~right)
        judged = np.isfinite(people.mean)
        if self.options.side == "decided":
            matches &= np.isin(people.majority, (1, -1))
        elif self.options.side == "tie":
            matches &= people.majority == 0
        elif self.options.side == "split":
            matches &= judged & (people.majority == NO_VOTE)
        if self.options.text:
            matches &= np.isin(np.asarray(self.statistics.study.pair_keys), list(self._with_text))
        return np.flatnonzero(matches)

    @cached_property
    def _with_text(self) -> dict[int, PairText]:
        """The pairs that contain the text of the filter; one query serves the filter and the rows."""
        contains = Q(first__icontains=self.options.text) | Q(second__icontains=self.options.text)
        return _texts(PhrasePair.objects.filter(contains, task=self.task))

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.matching) // PAGE_SIZE))

    @property
    def page(self) -> int:
        return min(max(1, self.options.page), self.pages)

    @cached_property
    def rows(self) -> list[VotesRow]:
        codes = self.matching[(self.page - 1) * PAGE_SIZE : self.page * PAGE_SIZE]
        return self._rows(codes, PhrasePair.objects.filter(pk__in=self._keys(codes)))

    def _keys(self, codes: Ints) -> list[int]:
        return [int(self.statistics.study.pair_keys[code]) for code in codes.tolist()]

    def _rows(self, codes: Ints, stored: QuerySet[PhrasePair]) -> list[VotesRow]:
        """Return the rows of the pairs that are among ``stored``."""
        keys = self._keys(codes)
        pairs = self._with_text if self.options.text else _texts(stored)
        people, machine = self.statistics.people, self.statistics.votes_by_run
        return [
            VotesRow(
                pairs[key],
                SIDES[int(people.majority[code])],
                int(people.margin[code]),
                [_mark(int(votes[code]), int(people.majority[code])) for votes, _ in machine.values()],
            )
            for key, code in zip(keys, codes.tolist(), strict=True)
            if key in pairs
        ]

    def phrase_plot(self) -> Plot | None:
        """Plot Δ of the chosen metric against the votes of people; None where it has no votes."""
        votes = self.chosen and self.statistics.votes_by_run.get(self.chosen.run.pk)
        if self.chosen is None or not votes:
            return None
        names = [str(key) for key in self.statistics.study.pair_keys]
        return scatter(self.chosen.run.metric, votes[1], self.statistics.people.mean, names)

    @property
    def pair_tests(self) -> list[tuple[MetricLine, MetricLine, MetricPairTest]]:
        voters = self.statistics.voters
        return [(voters[test.a], voters[test.b], test) for test in self.statistics.pair_tests]

    @property
    def system_scores(self) -> list[tuple[str, list[float | None]]]:
        """Each system with its score by every metric."""
        return [
            (system.line.system, [run.corpus.get(system.line.system) for run in self.runs])
            for system in self.statistics.systems
        ]

    def metric_table(self) -> Table:
        columns = (
            "metric", "signature", *_with_ends("tau"), "sentence pairs", "system rho", "systems",
            *_with_ends("Pearson r"), "Pearson pairs", *_with_ends("same side"), "same side pairs",
            *_with_ends("decided"), "decided pairs", *_with_ends("kappa'"), "kappa' answers",
        )  # fmt: skip
        rows: list[tuple[Cell, ...]] = []
        for line in self.statistics.lines:
            votes = line.phrases
            rows.append(
                (
                    line.run.metric,
                    line.run.signature,
                    line.sentences.tau,
                    *_ends(line.sentences.interval),
                    line.sentences.pairs,
                    line.rho,
                    line.systems,
                    *(_figures(votes) if votes else (None,) * 16),
                )
            )
        return Table("Metrics and votes of annotators", columns, tuple(rows))

    def contest_table(self) -> Table:
        columns = ("a", "b", "pairs", "only a", "only b", "p McNemar", "p permutation", "p Holm")
        rows = tuple(
            (a.run.metric, b.run.metric, *astuple(test)[2:])  # without the numbers of the two metrics
            for a, b, test in self.pair_tests
        )
        return Table("Pairs of metrics", columns, rows)

    def system_table(self) -> Table:
        columns = ("system", "cluster", "expected wins", "low", "high", *(run.metric for run in self.runs))
        rows = tuple(
            (
                system.line.system,
                system.line.cluster,
                system.line.expected_wins,
                *_ends(system.interval),
                *scores,
            )
            for system, (_name, scores) in zip(self.statistics.systems, self.system_scores, strict=True)
        )
        return Table("Systems by annotators and by metrics", columns, rows)

    def pair_table(self) -> Table:
        voters = [line.run.metric for line in self.statistics.voters]
        columns = ("item", "first", "second", "kind", "people", "margin", *voters)
        rows = tuple(
            (
                row.pair.item,
                row.pair.first,
                row.pair.second,
                row.pair.kind,
                row.people,
                row.margin,
                *(mark.side or None for mark in row.marks),
            )
            # By task: a database limits the number of keys in one query.
            for row in self._rows(self.matching, PhrasePair.objects.filter(task=self.task))
        )
        return Table("Phrase pairs", columns, rows)


@report("metrics", title=_("Metrics"), scopes=("task",))
class MetricComparison(Report[ComparisonOptions, MetricComparisonPage]):
    """Metrics beside people: how often each is on the side of the majority, its κ′ and correlations."""

    options = ComparisonOptions
    tables = {
        "metrics": MetricComparisonPage.metric_table,
        "contests": MetricComparisonPage.contest_table,
        "systems": MetricComparisonPage.system_table,
        "pairs": MetricComparisonPage.pair_table,
    }
    plots = {
        "systems": lambda page: wins_plot(
            [
                (system.line.system, system.line.expected_wins, system.interval, system.line.cluster)
                for system in page.statistics.systems
            ]
        ),
        "phrases": MetricComparisonPage.phrase_plot,
    }
    response = list[dict[str, Any]]

    def compute(self, scope: Scope, options: ComparisonOptions) -> MetricComparisonPage:
        return MetricComparisonPage(scope, options)

    def document(self, page: MetricComparisonPage) -> list[dict[str, Any]]:  # Any: JSON
        return [
            {
                "metric": line.run.metric,
                "signature": line.run.signature,
                "same_side": line.phrases and line.phrases.same.value,
                "same_side_ci": line.phrases and line.phrases.same.interval,
                "pairs": line.phrases.same.n if line.phrases else 0,
                "decided": line.phrases and line.phrases.decided.value,
                "kappa_prime": line.phrases and line.phrases.kappa,
                "pearson": line.phrases and line.phrases.pearson,
                "tau": line.sentences.tau,
                "tau_ci": line.sentences.interval,
                "system_rho": line.rho,
            }
            for line in page.statistics.lines
        ]


def _texts(pairs: QuerySet[PhrasePair]) -> dict[int, PairText]:
    rows = pairs.order_by().values_list(
        "pk", "first", "second", "kind", "owner__item__key", "owner__item__position"
    )
    return {pk: PairText(first, second, kind, item, place) for pk, first, second, kind, item, place in rows}


def _mark(vote: int, majority: int) -> VoteMark:
    known = vote != NO_VOTE and majority != NO_VOTE
    return VoteMark(SIDES[vote], vote == majority if known else None)


def _figures(votes: VoteLine) -> tuple[Cell, ...]:
    """Return Pearson's r, both rates and κ′ over phrases, each with its interval and n."""
    return (
        *(votes.pearson, *_ends(votes.pearson_interval), votes.measured),
        *_rate(votes.same),
        *_rate(votes.decided),
        *(votes.kappa, *_ends(votes.kappa_interval), votes.answers),
    )


def _with_ends(name: str) -> tuple[str, str, str]:
    """Return three columns that cannot be mistaken for those of another figure."""
    return name, f"{name} low", f"{name} high"


def _rate(rate: Rate) -> tuple[Cell, ...]:
    return (rate.value, *_ends(rate.interval), rate.n)


def _ends(interval: Interval | None) -> tuple[Cell, Cell]:
    return (None, None) if interval is None else interval
