"""Agreement while a study grows, in one pass.

Gives the same result as ``evaluation.agreement.agreement_over_time`` for judgements without repeats, but
needs two sorts instead of one tally per stretch of time.
"""

from __future__ import annotations

import numpy as np

from evaluation.agreement import Judgements
from evaluation.agreement.coefficients import corrected, defined, ratio
from evaluation.agreement.judgements import Codes, Ints
from evaluation.agreement.stability import Window


def timeline(judgements: Judgements, windows: int = 10) -> tuple[Window, ...]:
    """P(A) and κ with fixed chance; a pair belongs to the stretch in which its later judgement arrived.

    Rows are taken to be in the order of time, and nobody judged an item twice.
    """
    n = len(judgements)
    ends = np.linspace(0, n, min(windows, n) + 1).astype(int)
    items = judgements.items.astype(np.int64)
    pairs = _summed(_earlier(items), ends)
    agreeing = _summed(_earlier(items * judgements.size + judgements.labels), ends)
    p_a = ratio(agreeing.astype(float), pairs.astype(float))
    kappa = corrected(p_a, np.asarray(1 / judgements.size))
    return tuple(
        Window(int(size), int(number), defined(share), defined(value))
        for size, number, share, value in zip(np.diff(ends), pairs, p_a, kappa, strict=True)
    )


def _earlier(cells: Codes) -> Ints:
    """How many earlier rows are in the same cell.

    >>> _earlier(np.array([5, 3, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(cells, kind="stable")
    sorted_cells = cells[order]
    first = np.flatnonzero(np.diff(sorted_cells, prepend=-1))
    length = np.diff(first, append=len(cells))
    found = np.empty(len(cells), dtype=np.int64)
    found[order] = np.arange(len(cells)) - np.repeat(first, length)
    return found


def _summed(values: Ints, ends: Ints) -> Ints:
    return np.diff(np.concatenate([[0], np.cumsum(values)])[ends])
