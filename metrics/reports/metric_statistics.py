"""Metrics beside human votes: the statistics behind the metrics report of a task.

Three levels. Phrases: a metric's vote by substitution beside the majority of people. Sentences: Kendall's τ
between the metric's scores of two candidates and the side that got more votes on their phrases. Systems:
Spearman's ρ between corpus scores and expected wins.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Value

from appraise.lib.resampling import Floats, Interval, Ints, percentile_interval, resample_totals
from evaluation.models import Output
from evaluation.reports.cache import get_or_compute
from evaluation.reports.results import filter_study
from evaluation.reports.scope import Scope, get_study
from evaluation.reports.study_query import (
    OccurrenceColumns,
    SystemOutputs,
    encode_system_outputs,
    join_system_pairs,
    load_occurrences,
)
from evaluation.results import SystemLine
from evaluation.results.systems import compute_system_results, expected_wins
from evaluation.schemes import Choice
from evaluation.study import Filter, Study, SystemPairs, collect_system_votes
from evaluation.study.disagreements import count_votes
from evaluation.study.systems import NO_VOTE, SIGNS
from metrics.metaeval.datasets import Comparisons
from metrics.metaeval.kendall import TieRule, bootstrap_tau, outcome_counts, tau
from metrics.metaeval.systems import system_level
from metrics.models import MetricRun, PhraseVote, SegmentScore
from metrics.scoring import vote_agreement

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
    phrases: vote_agreement.VoteLine | None
    sentences: SentenceLine
    rho: float | None
    systems: int


@dataclass(frozen=True, slots=True)
class HumanSystem:
    line: SystemLine
    interval: Interval | None


@dataclass(frozen=True, slots=True, eq=False)
class MetricStatistics:
    """Everything about the metrics of a task, beside the votes of people."""

    study: Study
    people: vote_agreement.HumanVotes
    votes_by_run: VotesByRun
    lines: tuple[MetricLine, ...]
    pair_tests: tuple[vote_agreement.MetricPairTest, ...]
    systems: tuple[HumanSystem, ...]

    @property
    def voters(self) -> list[MetricLine]:
        """The metrics that vote on phrases, in the order of ``votes_by_run`` and ``pair_tests``."""
        return [line for line in self.lines if line.phrases is not None]

    @property
    def best(self) -> MetricLine | None:
        """The best predictor of people: the metric with the highest share of pairs on the same side."""
        known = [line for line in self.voters if line.phrases and line.phrases.same.value is not None]
        return max(
            known, key=lambda line: (line.phrases.same.value or 0) if line.phrases else 0, default=None
        )

    @property
    def only_ties(self) -> bool:
        """Whether no substitution changed any score, so that no metric predicts anything."""
        runs = [run for line in self.voters if (run := self.votes_by_run.get(line.run.pk)) is not None]
        return all(not votes[votes != NO_VOTE].any() for votes, _deltas in runs)

    @property
    def best_against(self) -> list[tuple[MetricLine, int, int, vote_agreement.MetricPairTest]]:
        """The tests of the best metric: the other metric, and the pairs that only one got right."""
        voters = self.voters
        if self.best is None:
            return []
        number = voters.index(self.best)
        return [
            (voters[test.b], test.only_a, test.only_b, test)
            if test.a == number
            else (voters[test.a], test.only_b, test.only_a, test)
            for test in self.pair_tests
            if number in (test.a, test.b)
        ]


def compute_metric_statistics(
    scope: Scope, runs: Sequence[MetricRun], without: Collection[Filter] = ()
) -> MetricStatistics:
    """Return the statistics; cached until a new answer or a new run arrives."""
    filters = tuple(sorted(without))
    run_ids = tuple(run.pk for run in runs)
    return get_or_compute(
        ("metrics", run_ids, filters, *scope.key), lambda: _compute(scope, runs, filters), scope.state
    )


def _compute(scope: Scope, runs: Sequence[MetricRun], filters: tuple[Filter, ...]) -> MetricStatistics:
    everything, occurrences = get_study(scope), load_occurrences(scope.tasks)
    study = filter_study(everything, filters)
    counts = count_votes(study)
    people = vote_agreement.count_human_votes(counts, study.scheme)
    sentences = study.pair_sentences.astype(np.int64)
    keys, run_ids = np.asarray(study.pair_keys), [run.pk for run in runs]
    stored = load_runs(scope.tasks[0].pk, run_ids)
    votes_by_run = arrange_votes(run_ids, stored.votes, keys)
    systems = _rank_systems(study, join_system_pairs(everything, occurrences, stored.outputs))
    preferred = find_preferred_candidates(occurrences, keys, counts)
    lines = []
    for run in runs:
        votes = votes_by_run.get(run.pk)
        phrases = None if votes is None else vote_agreement.vote_line(*votes, people, sentences)
        lines.append(_line(run, phrases, _sentence_line(run, stored.scores, preferred), systems))
    voters = [votes[0] for run in runs if (votes := votes_by_run.get(run.pk)) is not None]
    tests = vote_agreement.compare_metric_pairs(voters, people, sentences)
    return MetricStatistics(study, people, votes_by_run, tuple(lines), tuple(tests), systems)


def _line(
    run: MetricRun,
    phrases: vote_agreement.VoteLine | None,
    sentences: SentenceLine,
    systems: Sequence[HumanSystem],
) -> MetricLine:
    sign = 1.0 if run.higher_is_better else -1.0
    corpus = {name: sign * value for name, value in run.corpus.items() if value is not None}
    wins = {s.line.system: s.line.expected_wins for s in systems if s.line.expected_wins is not None}
    level = system_level(corpus, wins)
    return MetricLine(run, phrases, sentences, level.rho, level.systems)


def _sentence_line(
    run: MetricRun,
    scores: Mapping[tuple[int, int], float],
    preferred: tuple[Ints, Ints, Ints],
) -> SentenceLine:
    """``preferred`` is (better candidate, worse candidate, item) of every decided comparison."""
    better, worse, items = preferred
    sign = 1.0 if run.higher_is_better else -1.0
    candidates = [*better.tolist(), *worse.tolist()]
    values = np.array([sign * scores.get((run.pk, candidate), np.nan) for candidate in candidates])
    known = np.isfinite(values[: len(better)]) & np.isfinite(values[len(better) :])
    if not known.any():
        return SentenceLine(None, None, 0)
    n = int(known.sum())
    both = np.concatenate([known, known])
    cells = Comparisons(np.arange(n), np.arange(n) + n)
    rows = outcome_counts(values[both], cells, np.concatenate([items[known], items[known]]))
    value: float = tau(rows.sum(axis=0), RULE).item()
    return SentenceLine(value, bootstrap_tau(rows, RULE), n)


def _rank_systems(study: Study, system_pairs: SystemPairs) -> tuple[HumanSystem, ...]:
    """Rank systems by human votes, with an interval of expected wins over resampled sentences."""
    votes = collect_system_votes(study, system_pairs)
    size = len(votes.system_names)
    totals = resample_totals(votes.columns, 1000, 1) if len(votes) else None
    intervals: dict[str, Interval | None] = {}
    if totals is not None:
        tables: Floats = np.maximum(totals.T.reshape(-1, 2, size, size)[:, 0], 0)
        shares = expected_wins(tables)
        intervals = {
            name: percentile_interval(shares[:, place]) for place, name in enumerate(votes.system_names)
        }
    ranked = sorted(compute_system_results(votes).systems, key=lambda line: -(line.expected_wins or 0.0))
    return tuple(HumanSystem(line, intervals.get(line.system)) for line in ranked)


SIGN_OF_CHOICE = {choice.value: NO_VOTE if choice.sign is None else choice.sign for choice in Choice}


VotesByRun = Mapping[int, tuple[Ints, Floats]]
"""Run → its vote on each pair (``NO_VOTE`` where there is none) and Δ (NaN there); only runs with votes."""


@dataclass(frozen=True, slots=True)
class StoredRuns:
    """Everything stored for some runs, and which systems produced the scored candidates."""

    votes: list[tuple[int, int, str, float]]  # run, pair, choice, Δ
    scores: Mapping[tuple[int, int], float]  # by run and candidate; systems with one output share it
    outputs: SystemOutputs


def load_runs(task_id: int, runs: Sequence[int]) -> StoredRuns:
    """Read votes on phrases, scores of candidates and outputs, in one query."""
    votes = PhraseVote.objects.filter(run__in=runs).order_by()
    scores = SegmentScore.objects.filter(run__in=runs, value__isnull=False).order_by()
    outputs = Output.objects.filter(item__task=task_id).order_by()
    kind = {name: Value(name) for name in ("vote", "score", "output")}
    nothing = Value(0.0)
    rows = outputs.values_list(kind["output"], Value(0), "candidate_id", "system__name", nothing).union(
        votes.values_list(kind["vote"], "run_id", "pair_id", "choice", "delta"),
        scores.values_list(kind["score"], "run_id", "output__candidate_id", Value(""), "value"),
        all=True,
    )
    by_kind: dict[str, list[tuple[int, int, str, float]]] = {name: [] for name in kind}
    for name, *row in rows:
        by_kind[name].append(tuple(row))
    candidates_of: dict[str, list[int]] = defaultdict(list)
    for _, candidate, system, _ in by_kind["output"]:
        candidates_of[system].append(candidate)
    return StoredRuns(
        by_kind["vote"],
        {(run, candidate): value for run, candidate, _, value in by_kind["score"]},
        encode_system_outputs([(name, np.array(candidates)) for name, candidates in candidates_of.items()]),
    )


def arrange_votes(
    runs: Sequence[int], rows: Sequence[tuple[int, int, str, float]], pair_keys: Ints
) -> VotesByRun:
    """Arrange (run, pair, choice, Δ) of each vote; ``pair_keys`` are the ids of the pairs, ascending."""
    voting, pairs = {row[0] for row in rows}, len(pair_keys)
    votes = {run: (np.full(pairs, NO_VOTE), np.full(pairs, np.nan)) for run in runs if run in voting}
    places = np.searchsorted(pair_keys, [row[1] for row in rows])
    for (run, _, choice, delta), place in zip(rows, places.tolist(), strict=True):
        votes[run][0][place], votes[run][1][place] = SIGN_OF_CHOICE[choice], delta
    return votes


def find_preferred_candidates(
    occurrences: OccurrenceColumns, pair_keys: Ints, counts: Ints
) -> tuple[Ints, Ints, Ints]:
    """Return (better candidate, worse candidate, item) of comparisons in which one side got more votes.

    Every vote on a phrase pair counts wherever the pair occurs in the newest alignment of two candidates.
    """
    net = (counts @ np.where(SIGNS == NO_VOTE, 0, SIGNS))[np.searchsorted(pair_keys, occurrences.pairs)]
    # A comparison is its two candidates; which of them has the pair's first text differs from pair to pair.
    low = np.minimum(occurrences.first, occurrences.second)
    high = np.maximum(occurrences.first, occurrences.second)
    _, start, codes = np.unique(np.stack([low, high]), axis=1, return_index=True, return_inverse=True)
    sums = np.bincount(codes.reshape(-1), np.where(occurrences.first == low, net, -net), minlength=len(start))
    decided = np.flatnonzero(sums)
    lower, higher, items = low[start[decided]], high[start[decided]], occurrences.items[start[decided]]
    is_ahead = sums[decided] > 0
    return np.where(is_ahead, lower, higher), np.where(is_ahead, higher, lower), items
