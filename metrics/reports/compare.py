"""Metrics next to human votes: everything that the compare page of a task shows, computed once.

Three levels. Phrases: a metric's vote by substitution beside people's majority. Sentences: Kendall's τ of
the metric's scores of two candidates with the side that got more of people's votes on their phrases. Systems:
Spearman's ρ between corpus scores and expected wins.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.agreement.bootstrap import percentile_interval, resampled_totals
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, study_of
from evaluation.reports.votes import met, places
from evaluation.results import SystemLine
from evaluation.results.systems import expected_wins, system_results
from evaluation.study import Filter, Meetings, Study, kept, study_votes
from evaluation.study.disputes import vote_counts
from metrics.datasets import Comparisons
from metrics.metaeval.kendall import TieRule, outcome_counts, tau
from metrics.metaeval.resampling import bootstrap_tau
from metrics.metaeval.systems import system_level
from metrics.models import MetricRun
from metrics.reports.machine import MachineVotes, SentenceScores, machine_votes_of, read, sides_of
from metrics.sidebyside import (
    NONE,
    Contest,
    Floats,
    Interval,
    Ints,
    People,
    VoteLine,
    contests,
    people,
    vote_line,
)

RULE = TieRule.WMT14


@dataclass(frozen=True, slots=True)
class SentenceLine:
    """τ over pairs of candidates on which people have a side; None without any."""

    tau: float | None
    interval: Interval | None
    pairs: int


@dataclass(frozen=True, slots=True)
class MetricLine:
    """One metric at all three levels; ``phrases`` is None where it has no votes (imported scores)."""

    run: MetricRun
    phrases: VoteLine | None
    sentences: SentenceLine
    rho: float | None
    accuracy: float | None
    systems: int


@dataclass(frozen=True, slots=True)
class HumanSystem:
    line: SystemLine
    interval: Interval | None


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """All that is known about the metrics of a task, beside the votes of its people."""

    study: Study
    said: People
    machine: MachineVotes
    lines: tuple[MetricLine, ...]
    contests: tuple[Contest, ...]
    systems: tuple[HumanSystem, ...]

    @property
    def voters(self) -> list[MetricLine]:
        """The metrics that vote on phrases, in the order of ``machine`` and of the contests' numbers."""
        return [line for line in self.lines if line.phrases is not None]

    @property
    def best(self) -> MetricLine | None:
        """The best predictor of people: the highest share of pairs on the same side."""
        known = [line for line in self.voters if line.phrases and line.phrases.same.value is not None]
        return max(
            known, key=lambda line: (line.phrases.same.value or 0) if line.phrases else 0, default=None
        )

    @property
    def only_ties(self) -> bool:
        """Whether no exchange of phrases changed any score: then no metric predicts anything."""
        votes = [of for line in self.voters if (of := self.machine.of(line.run.pk)) is not None]
        return all(not side[side != NONE].any() for side, _deltas in votes)

    @property
    def best_against(self) -> list[tuple[MetricLine, int, int, Contest]]:
        """The best predictor's contests: the other, pairs that only the best and only the other got right."""
        voters = self.voters
        if self.best is None:
            return []
        number = voters.index(self.best)
        return [
            (voters[one.b], one.only_a, one.only_b, one)
            if one.a == number
            else (voters[one.a], one.only_b, one.only_a, one)
            for one in self.contests
            if number in (one.a, one.b)
        ]


def comparison(scope: Scope, runs: Sequence[MetricRun], without: Collection[Filter] = ()) -> Comparison:
    """Computed once, then cached until a new answer or a new run arrives."""
    left_out = tuple(sorted(without))
    mark = tuple(run.pk for run in runs)
    return remembered(
        ("compare", mark, left_out, *scope.key), lambda: _compute(scope, runs, left_out), scope.state
    )


def _compute(scope: Scope, runs: Sequence[MetricRun], left_out: tuple[Filter, ...]) -> Comparison:
    whole, where = study_of(scope), places(scope.tasks)
    study = whole.where(kept(whole, left_out)) if left_out else whole
    counts = vote_counts(study)
    said = people(counts, study.scheme)
    sentences = study.pair_sentences.astype(np.int64)
    keys, numbers = np.asarray(study.pair_keys), [run.pk for run in runs]
    stored = read(scope.tasks[0].pk, numbers)
    machine = machine_votes_of(numbers, stored.votes, keys)
    systems = _systems(study, met(whole, where, stored.writers))
    human = sides_of(where, keys, counts)
    lines = []
    for run in runs:
        votes = machine.of(run.pk)
        phrases = None if votes is None else vote_line(*votes, said, sentences)
        lines.append(_line(run, phrases, _sentences(run, stored.scores, human), systems))
    voters = [votes[0] for run in runs if (votes := machine.of(run.pk)) is not None]
    tests = contests(voters, said, sentences)
    return Comparison(study, said, machine, tuple(lines), tuple(tests), systems)


def _line(
    run: MetricRun, phrases: VoteLine | None, sentences: SentenceLine, systems: Sequence[HumanSystem]
) -> MetricLine:
    sign = 1.0 if run.higher_is_better else -1.0
    corpus = {name: sign * value for name, value in run.corpus.items() if value is not None}
    wins = {s.line.system: s.line.expected_wins for s in systems if s.line.expected_wins is not None}
    level = system_level(corpus, wins)
    return MetricLine(run, phrases, sentences, level.rho, level.accuracy, level.systems)


def _sentences(run: MetricRun, scores: SentenceScores, human: tuple[Ints, Ints, Ints]) -> SentenceLine:
    """``human`` is (better candidate, worse candidate, item) of every decided comparison."""
    better, worse, items = human
    values = scores.of(run.pk, np.concatenate([better, worse]), higher_is_better=run.higher_is_better)
    known = np.isfinite(values[: len(better)]) & np.isfinite(values[len(better) :])
    if not known.any():
        return SentenceLine(None, None, 0)
    n = int(known.sum())
    both = np.concatenate([known, known])
    cells = Comparisons(np.arange(n), np.arange(n) + n, np.empty((0, 2), dtype=np.int64))
    rows = outcome_counts(values[both], cells, np.concatenate([items[known], items[known]]))
    value: float = tau(rows.sum(axis=0), RULE).item()
    return SentenceLine(value, bootstrap_tau(rows, RULE), n)


def _systems(study: Study, meetings: Meetings) -> tuple[HumanSystem, ...]:
    """People's ranking, with an interval of expected wins over resampled sentences."""
    votes = study_votes(study, meetings)
    size = len(votes.system_names)
    drawn = resampled_totals(votes.columns, 1000, 1) if len(votes) else None
    intervals: dict[str, Interval | None] = {}
    if drawn is not None:
        tables: Floats = np.maximum(drawn.T.reshape(-1, 2, size, size)[:, 0], 0)
        shares = expected_wins(tables)
        intervals = {
            name: percentile_interval(shares[:, place]) for place, name in enumerate(votes.system_names)
        }
    found = system_results(votes)
    ranked = sorted(found.systems, key=lambda line: -(line.expected_wins or 0.0))
    return tuple(HumanSystem(line, intervals.get(line.system)) for line in ranked)
