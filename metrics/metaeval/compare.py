"""Is one metric better than another? Tests between all pairs of metrics on one set, corrected together."""

from __future__ import annotations

from collections.abc import Sequence

from metrics.datasets import FloatArray, Ratings
from metrics.metaeval.correlation import holm, pearson, williams_test
from metrics.metaeval.report import Evaluation
from metrics.metaeval.resampling import permutation_p

Contest = tuple[Evaluation, FloatArray, Evaluation, FloatArray]
Test = dict[str, float | None]


def compare(contests: Sequence[Contest], human: Ratings, *, resamples: int, seed: int) -> list[Test]:
    """For each pair the two-sided permutation test of τ and Williams's test of Pearson's r.

    ``…_holm`` are the same p-values after Holm's correction over all the pairs given.
    """
    taus = [
        permutation_p(first.counts, second.counts, first.rule, resamples=resamples, seed=seed)
        for first, _, second, _ in contests
    ]
    correlations = [_williams(contest, human) for contest in contests]
    columns = (taus, _corrected(taus), correlations, _corrected(correlations))
    names = ("tau_p", "tau_p_holm", "pearson_p", "pearson_p_holm")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _williams(contest: Contest, human: Ratings) -> float | None:
    """Two-sided: twice the smaller of the two one-sided values."""
    first, ours, second, theirs = contest
    between = pearson(ours[human.cells], theirs[human.cells])
    if first.pearson is None or second.pearson is None or between is None:
        return None
    p = williams_test(first.pearson, second.pearson, between, first.items)
    return None if p is None else min(1.0, 2 * min(p, 1 - p))


def _corrected(values: list[float | None]) -> list[float | None]:
    known = iter(holm([p for p in values if p is not None]))
    return [None if p is None else next(known) for p in values]
