"""Is one metric better than another? Tests between all pairs of metrics on one set, corrected together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics.datasets import FloatArray, IntArray, Ratings
from metrics.metaeval.correlation import holm, pearson, williams_test
from metrics.metaeval.kendall import outcome_counts
from metrics.metaeval.report import Evaluation, Judgements
from metrics.metaeval.resampling import permutation_p

Contest = tuple[Evaluation, FloatArray, Evaluation, FloatArray]
Test = dict[str, float | None]


def compare(contests: Sequence[Contest], human: Judgements, *, resamples: int, seed: int) -> list[Test]:
    """For each pair the two-sided permutation test of τ and Williams's test of Pearson's r.

    Both metrics of a pair are compared on what both can score. ``…_holm`` are the same p-values after Holm's
    correction over all the pairs given.
    """
    taus = [
        permutation_p(*_common_counts(contest, human), contest[0].rule, resamples=resamples, seed=seed)
        for contest in contests
    ]
    correlations = [_williams(contest, human.ratings) for contest in contests]
    columns = (taus, _corrected(taus), correlations, _corrected(correlations))
    names = ("tau_p", "tau_p_holm", "pearson_p", "pearson_p_holm")
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _common_counts(contest: Contest, human: Judgements) -> tuple[IntArray, IntArray]:
    first, ours, second, theirs = contest
    if not first.undefined and not second.undefined:
        return first.counts, second.counts
    nowhere = np.isnan(ours) | np.isnan(theirs)
    one, other = (
        outcome_counts(np.where(nowhere, np.nan, scores), human.comparisons, human.segments)
        for scores in (ours, theirs)
    )
    return one, other


def _williams(contest: Contest, human: Ratings) -> float | None:
    """Two-sided: twice the smaller of the two one-sided values."""
    ours, theirs = contest[1][human.cells], contest[3][human.cells]
    both = ~np.isnan(ours) & ~np.isnan(theirs)
    ours, theirs, people = ours[both], theirs[both], human.values[both]
    mine, yours, between = pearson(ours, people), pearson(theirs, people), pearson(ours, theirs)
    if mine is None or yours is None or between is None:
        return None
    p = williams_test(mine, yours, between, len(people))
    return None if p is None else min(1.0, 2 * min(p, 1 - p))


def _corrected(values: list[float | None]) -> list[float | None]:
    known = iter(holm([p for p in values if p is not None]))
    return [None if p is None else next(known) for p in values]
