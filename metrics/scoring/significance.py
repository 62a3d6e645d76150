"""Is one system better than another, or is it chance? Tests on segment statistics.

*Paired bootstrap* (Koehn 2004, in the form that Moses and sacrebleu use): segments are sampled with
replacement; the absolute difference of each sample, minus the mean of all of them, is compared with the
observed difference. *Approximate randomisation* (Noreen 1989, Riezler & Maxwell 2005): in each trial, the two
outputs of every segment are exchanged with probability ½; the difference is compared with the observed one.

p = (c + 1) / (n + 1), where c of n samples reach the observed difference, so that a system is never
significantly better than itself. Sums of resampled statistics are one matrix product, whatever the metric;
all systems use the same samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import block_sizes, p_value, percentile_interval, sample_counts
from metrics.base import AddableMetric, FloatArray, mean_or_none

CELLS = 4_000_000  # of the matrix of samples that is in memory at one time


@dataclass(frozen=True, slots=True)
class SignificanceResult:
    """One system beside the baseline; ``mean`` and ``interval`` (95 %) come from the bootstrap alone.

    A value is None if the metric is undefined on the test set, or if a single segment cannot be resampled.
    Samples on which a metric is undefined are left out.
    """

    system: str
    score: float | None
    difference: float | None
    p: float | None
    mean: float | None = None
    interval: tuple[float, float] | None = None


def paired_bootstrap(
    metric: AddableMetric,
    statistics: Mapping[str, FloatArray],
    baseline: str,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> list[SignificanceResult]:
    """Compare every system with the baseline, which comes first in the result, with no p-value."""
    _check(statistics, baseline, resamples)
    observed = {name: float(metric.from_statistics(rows.sum(axis=0))) for name, rows in statistics.items()}
    if len(statistics[baseline]) > 1:
        sampled = bootstrap_scores(metric, statistics, resamples=resamples, seed=seed)
    else:  # every sample of one segment is the same, so every difference would seem certain
        sampled = dict.fromkeys(statistics, np.empty(0))
    results = []
    for name in [baseline, *(other for other in statistics if other != baseline)]:
        difference = _finite_or_none(observed[name] - observed[baseline])
        distances = _finite(np.abs(sampled[name] - sampled[baseline]))
        p = None
        if name != baseline and difference is not None and distances.size:
            p = p_value(distances - distances.mean(), abs(difference))
        scores = _finite(sampled[name])
        summary = mean_or_none(scores), percentile_interval(scores)
        results.append(SignificanceResult(name, _finite_or_none(observed[name]), difference, p, *summary))
    return results


def approximate_randomisation(
    metric: AddableMetric,
    statistics: Mapping[str, FloatArray],
    baseline: str,
    *,
    trials: int = 10_000,
    seed: int = 1,
) -> list[SignificanceResult]:
    """Compare every system with the baseline, which comes first in the result, with no p-value."""
    _check(statistics, baseline, trials)
    base = statistics[baseline]
    others = [name for name in statistics if name != baseline]
    observed = {name: float(metric.from_statistics(rows.sum(axis=0))) for name, rows in statistics.items()}
    changes = np.stack([statistics[name] - base for name in others]) if others else np.zeros((0, *base.shape))
    swapped = np.concatenate(list(_products(changes, _coins, trials, seed)), axis=1)
    base_score = _finite_or_none(observed[baseline])
    results = [SignificanceResult(baseline, base_score, None if base_score is None else 0.0, None)]
    for name, moved in zip(others, swapped, strict=True):
        mixed = metric.from_statistics(base.sum(axis=0) + moved)
        rest = metric.from_statistics(statistics[name].sum(axis=0) - moved)
        difference = _finite_or_none(observed[name] - observed[baseline])
        p = None if difference is None else p_value(_finite(np.abs(mixed - rest)), abs(difference))
        results.append(SignificanceResult(name, _finite_or_none(observed[name]), difference, p))
    return results


def bootstrap_scores(
    metric: AddableMetric, statistics: Mapping[str, FloatArray], *, resamples: int, seed: int
) -> dict[str, FloatArray]:
    """Return the score of each system on each resampled test set; all systems use the same samples."""
    stacked = np.stack(list(statistics.values()))
    sums = np.concatenate(list(_products(stacked, sample_counts, resamples, seed)), axis=1)
    return dict(zip(statistics, metric.from_statistics(sums), strict=True))


Sampler = Callable[[int, int, np.random.Generator, int], Iterator[FloatArray]]


def _products(stacked: FloatArray, sampler: Sampler, samples: int, seed: int) -> Iterator[FloatArray]:
    """Yield resampled sums ``[system, sample, k]`` of statistics ``[system, segment, k]``, in blocks."""
    systems, segments, columns = stacked.shape
    beside = np.ascontiguousarray(stacked.transpose(1, 0, 2)).reshape(segments, systems * columns)
    for weights in sampler(segments, samples, np.random.default_rng(seed), CELLS):
        yield (weights @ beside).reshape(-1, systems, columns).transpose(1, 0, 2)


def _coins(segments: int, samples: int, rng: np.random.Generator, cells: int) -> Iterator[FloatArray]:
    for rows in block_sizes(segments, samples, cells):
        yield rng.integers(2, size=(rows, segments), dtype=np.int8).astype(float)


def _finite(sampled: FloatArray) -> FloatArray:
    return np.asarray(sampled[np.isfinite(sampled)])


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _check(statistics: Mapping[str, FloatArray], baseline: str, samples: int) -> None:
    if baseline not in statistics:
        raise ValueError(f"no system is named {baseline!r}; known: {', '.join(statistics)}")
    sizes = {name: len(rows) for name, rows in statistics.items()}
    if len(set(sizes.values())) > 1 or 0 in sizes.values():
        raise ValueError(f"every system needs the same number of segments, at least one: {sizes}")
    if samples < 1:
        raise ValueError(f"at least one sample is needed, not {samples}")
