"""Paired differences between metrics on one set, with intervals and permutation tests over segments.

Tie thresholds stay as calibrated on the whole set. A permutation exchanges the metrics in random segments.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from appraise.lib.resampling import Interval, block_sizes, percentile_interval
from metrics.metaeval.datasets import FloatArray
from metrics.metaeval.evaluation import Evaluation, HumanJudgements, drop_undefined
from metrics.metaeval.kendall import (
    CELLS_AT_ONCE,
    TieRule,
    accuracy_by_segment,
    bootstrap_sums,
    outcome_counts,
    permutation_p,
    tau,
)


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """The figures of one metric minus those of another; None without data."""

    tau: float | None
    tau_ci: Interval | None
    tau_p: float | None
    acc_eq: float | None
    acc_eq_ci: Interval | None
    acc_eq_p: float | None

    def as_json(self) -> dict[str, object]:
        return asdict(self)

    @property
    def mirrored(self) -> MetricDifference:
        """The difference in the other order."""
        return MetricDifference(
            _negate(self.tau), _turn(self.tau_ci), self.tau_p,
            _negate(self.acc_eq), _turn(self.acc_eq_ci), self.acc_eq_p,
        )  # fmt: skip


def compare_metrics(
    first: tuple[Evaluation, FloatArray],
    second: tuple[Evaluation, FloatArray],
    human: HumanJudgements,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> MetricDifference:
    """Compare two metrics on the cells that both can score."""
    rule, undefined = first[0].rule, np.isnan(first[1]) | np.isnan(second[1])
    scores = [np.where(undefined, np.nan, cells) for _, cells in (first, second)]
    one, other = (outcome_counts(cells, human.comparisons, human.segments) for cells in scores)
    rows = np.hstack([one, other])
    gap = _tau_gap(rows.sum(axis=0)[None].astype(np.float64), rule)
    has_pairs = len(rows) > 0 and bool(np.isfinite(gap[0]))
    intervals = percentile_interval(bootstrap_sums(rows, lambda sums: _tau_gap(sums, rule), resamples, seed))
    p = permutation_p(one, other, rule, resamples=resamples, seed=seed) if has_pairs else None
    changes = _accuracy_changes((first[0], scores[0]), (second[0], scores[1]), human)
    return MetricDifference(
        float(gap[0]) if has_pairs else None,
        intervals if has_pairs else None,
        p,
        float(changes.mean()) if len(changes) else None,
        _mean_interval(changes, resamples, seed),
        _sign_test(changes, resamples, seed),
    )


def _accuracy_changes(
    first: tuple[Evaluation, FloatArray], second: tuple[Evaluation, FloatArray], human: HumanJudgements
) -> FloatArray:
    """The differences of the calibrated accuracies, segment by segment."""
    if first[0].by_item is None or second[0].by_item is None:
        return np.empty(0)
    one, other = (
        accuracy_by_segment(
            cells, drop_undefined(human.comparisons, cells), human.segments, evaluation.by_item.threshold
        )
        for evaluation, cells in (first, second)
        if evaluation.by_item
    )
    return np.array([one[segment] - other[segment] for segment in one], dtype=np.float64)


def _tau_gap(sums: FloatArray, rule: TieRule) -> FloatArray:
    one, other = np.split(sums, 2, axis=-1)
    return tau(one, rule) - tau(other, rule)


def _mean_interval(values: FloatArray, resamples: int, seed: int) -> Interval | None:
    rows = np.column_stack([values, np.ones(len(values))])
    return percentile_interval(bootstrap_sums(rows, lambda sums: sums[:, 0] / sums[:, 1], resamples, seed))


def _sign_test(values: FloatArray, resamples: int, seed: int) -> float | None:
    """The two-sided p of the mean, with the signs of the values exchanged at random."""
    if not len(values) or not resamples:
        return None
    rng, observed, extreme = np.random.default_rng(seed), abs(values.sum()), 0
    for size in block_sizes(len(values), resamples, CELLS_AT_ONCE):
        signs = rng.choice([-1.0, 1.0], size=(size, len(values)))
        extreme += int(np.count_nonzero(np.abs(signs @ values) >= observed - 1e-9))
    return (1 + extreme) / (1 + resamples)


def _negate(value: float | None) -> float | None:
    return None if value is None else 0.0 - value


def _turn(interval: Interval | None) -> Interval | None:
    return None if interval is None else (0.0 - interval[1], 0.0 - interval[0])
