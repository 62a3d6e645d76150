"""Makes ratings of strict and lenient annotators comparable (Kulesza 2004, paper 000, section 3.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from evaluation.agreement.judgements import Floats


def percentile_normalised(ratings: ArrayLike, raters: ArrayLike | None = None) -> Floats:
    """Replace each rating by its percentile among the ratings of the same rater.

    A rating becomes the share of ratings below it plus half the share of ratings equal to it.

    >>> percentile_normalised([1, 2, 2, 5]).tolist()
    [0.125, 0.5, 0.5, 0.875]
    """
    values = np.asarray(ratings, dtype=np.float64)
    people = np.zeros(len(values), dtype=np.int64) if raters is None else np.asarray(raters)
    if len(people) != len(values):
        raise ValueError(f"one rater for each rating expected, found {len(people)} for {len(values)}")
    found = np.empty(len(values))
    for person in np.unique(people):
        own = people == person
        _, place, often = np.unique(values[own], return_inverse=True, return_counts=True)
        found[own] = ((np.cumsum(often) - often / 2) / own.sum())[place.reshape(-1)]
    return found
