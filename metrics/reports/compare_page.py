"""The compare page of a task: filtered rows, plots, and every table by its name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from django.db.models import Q, QuerySet

from evaluation.agreement.rendering import Cell, Table
from evaluation.models import PhrasePair
from evaluation.reports.plots import Plot
from evaluation.reports.scope import Scope
from evaluation.study import Filter
from metrics.reports.charts import scatter, system_chart
from metrics.reports.compare import Comparison, MetricLine, comparison
from metrics.reports.runs import runs_and_work
from metrics.sidebyside import NONE, Contest, Interval, Ints, Rate, VoteLine

ROWS = 50
SIDES = {1: "A", 0: "tie", -1: "B", NONE: ""}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the reader chose: a metric, a filter for pairs, a page."""

    run: int | None = None
    show: str = "all"
    side: str = "any"
    text: str = ""
    page: int = 1
    without: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
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
class PairRow:
    pair: PairText
    people: str
    margin: int
    marks: list[Mark]


@dataclass(frozen=True, slots=True)
class Choices:
    """What the filters offer."""

    show = ("all", "agree", "disagree")
    side = ("any", "decided", "tie", "split")


class ComparePage:
    """Everything on the page; parts are computed when asked for, so that a file costs only itself."""

    choices = Choices()

    def __init__(self, scope: Scope, wanted: Wanted) -> None:
        if scope.task is None:
            raise ValueError("metrics are compared task by task")
        self.scope, self.task, self.wanted = scope, scope.task, wanted
        self.runs, self.busy = runs_and_work(scope.task.pk)
        self.found: Comparison = comparison(scope, self.runs, wanted.without)

    @cached_property
    def chosen(self) -> MetricLine | None:
        """The metric that is plotted and filtered by: the chosen one, or the best."""
        voters = self.found.voters
        asked = [line for line in voters if line.run.pk == self.wanted.run]
        return asked[0] if asked else self.found.best or (voters[0] if voters else None)

    @cached_property
    def matching(self) -> Ints:
        """The codes of the pairs that the filters let through, in the order of the task."""
        said = self.found.said
        chosen = np.asarray(self.found.study.expected == -1)
        if self.chosen is not None and self.wanted.show in ("agree", "disagree"):
            votes = self.found.machine.of(self.chosen.run.pk)
            if votes is not None:
                counted = (votes[0] != NONE) & (said.majority != NONE)
                right = votes[0] == said.majority
                chosen &= counted & (right if self.wanted.show == "agree" else ~right)
        judged = np.isfinite(said.mean)
        if self.wanted.side == "decided":
            chosen &= np.isin(said.majority, (1, -1))
        elif self.wanted.side == "tie":
            chosen &= said.majority == 0
        elif self.wanted.side == "split":
            chosen &= judged & (said.majority == NONE)
        if self.wanted.text:
            chosen &= np.isin(np.asarray(self.found.study.pair_keys), list(self._with_text))
        return np.flatnonzero(chosen)

    @cached_property
    def _with_text(self) -> dict[int, PairText]:
        """The pairs in which the text stands that was asked for; one query for the filter and the rows."""
        holds = Q(first__icontains=self.wanted.text) | Q(second__icontains=self.wanted.text)
        return _texts(PhrasePair.objects.filter(holds, task=self.task))

    @property
    def pages(self) -> int:
        return max(1, -(-len(self.matching) // ROWS))

    @property
    def page(self) -> int:
        return min(max(1, self.wanted.page), self.pages)

    @cached_property
    def rows(self) -> list[PairRow]:
        codes = self.matching[(self.page - 1) * ROWS : self.page * ROWS]
        return self._rows(codes, PhrasePair.objects.filter(pk__in=self._keys(codes)))

    def _keys(self, codes: Ints) -> list[int]:
        return [int(self.found.study.pair_keys[code]) for code in codes.tolist()]

    def _rows(self, codes: Ints, stored: QuerySet[PhrasePair]) -> list[PairRow]:
        """The rows of pairs that are among those ``stored``."""
        keys = self._keys(codes)
        pairs = self._with_text if self.wanted.text else _texts(stored)
        said, machine = self.found.said, self.found.machine
        return [
            PairRow(
                pairs[key],
                SIDES[int(said.majority[code])],
                int(said.margin[code]),
                [_mark(int(vote), int(said.majority[code])) for vote in machine.votes[:, code]],
            )
            for key, code in zip(keys, codes.tolist(), strict=True)
            if key in pairs
        ]

    @cached_property
    def plots(self) -> dict[str, Plot]:
        found = {"systems": system_chart(self.found.systems)}
        votes = self.chosen and self.found.machine.of(self.chosen.run.pk)
        if self.chosen is not None and votes:
            names = [str(key) for key in self.found.study.pair_keys]
            found["phrases"] = scatter(self.chosen.run.metric, votes[1], self.found.said.mean, names)
        return found

    @property
    def contests(self) -> list[tuple[MetricLine, MetricLine, Contest]]:
        voters = self.found.voters
        return [(voters[one.a], voters[one.b], one) for one in self.found.contests]

    @property
    def system_scores(self) -> list[tuple[str, list[float | None]]]:
        """Each system with what every metric says of it."""
        return [
            (one.line.system, [run.corpus.get(one.line.system) for run in self.runs])
            for one in self.found.systems
        ]

    def table(self, name: str) -> dict[str, Table]:
        """The table of that name, under it; the pairs as filtered, all pages of them."""
        made = {
            "metrics": self._metric_table,
            "contests": self._contest_table,
            "systems": self._system_table,
            "pairs": self._pair_table,
        }
        return {name: made[name]()} if name in made else {}

    def _metric_table(self) -> Table:
        columns = (
            "metric", "signature", *_with_ends("tau"), "sentence pairs", "system rho", "systems",
            *_with_ends("Pearson r"), "Pearson pairs", *_with_ends("same side"), "same side pairs",
            *_with_ends("decided"), "decided pairs", *_with_ends("kappa'"), "kappa' answers",
        )  # fmt: skip
        rows: list[tuple[Cell, ...]] = []
        for line in self.found.lines:
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
        return Table("Metrics next to human votes", columns, tuple(rows))

    def _contest_table(self) -> Table:
        columns = ("a", "b", "pairs", "only a", "only b", "p McNemar", "p permutation", "p Holm")
        rows = tuple(
            (a.run.metric, b.run.metric, one.pairs, one.only_a, one.only_b, one.mcnemar, one.p, one.p_holm)
            for a, b, one in self.contests
        )
        return Table("Metric against metric", columns, rows)

    def _system_table(self) -> Table:
        columns = ("system", "cluster", "expected wins", "low", "high", *(run.metric for run in self.runs))
        rows = tuple(
            (one.line.system, one.line.cluster, one.line.expected_wins, *_ends(one.interval), *scores)
            for one, (_name, scores) in zip(self.found.systems, self.system_scores, strict=True)
        )
        return Table("Systems by people and by metrics", columns, rows)

    def _pair_table(self) -> Table:
        voters = [line.run.metric for line in self.found.voters]
        columns = ("item", "first", "second", "kind", "people", "margin", *voters)
        rows = tuple(
            (
                row.pair.item,
                row.pair.first,
                row.pair.second,
                row.pair.kind,
                row.people,
                row.margin,
                *_sides(row.marks),
            )
            # By their task: a database takes only so many keys in one query.
            for row in self._rows(self.matching, PhrasePair.objects.filter(task=self.task))
        )
        return Table("Phrase pairs", columns, rows)


def _texts(pairs: QuerySet[PhrasePair]) -> dict[int, PairText]:
    rows = pairs.order_by().values_list(
        "pk", "first", "second", "kind", "owner__item__key", "owner__item__position"
    )
    return {pk: PairText(first, second, kind, item, place) for pk, first, second, kind, item, place in rows}


def _mark(vote: int, majority: int) -> Mark:
    known = vote != NONE and majority != NONE
    return Mark(SIDES[vote], vote == majority if known else None)


def _sides(marks: Sequence[Mark]) -> list[Cell]:
    return [mark.side or None for mark in marks]


def _figures(votes: VoteLine) -> tuple[Cell, ...]:
    """What is known from phrases: Pearson's r, both rates and κ′, each with its interval and n."""
    return (
        *(votes.pearson, *_ends(votes.pearson_interval), votes.measured),
        *_rate(votes.same),
        *_rate(votes.decided),
        *(votes.kappa, *_ends(votes.kappa_interval), votes.answers),
    )


def _with_ends(name: str) -> tuple[str, str, str]:
    """Three columns that no other figure's are mistaken for."""
    return name, f"{name} low", f"{name} high"


def _rate(rate: Rate) -> tuple[Cell, ...]:
    return (rate.value, *_ends(rate.interval), rate.n)


def _ends(interval: Interval | None) -> tuple[Cell, Cell]:
    return (None, None) if interval is None else interval
