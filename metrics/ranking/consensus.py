"""Consensus features: how much an output agrees with what the other systems wrote for the same source.

A named extension, not in paper 001: what several systems say independently is more often right, the idea
behind minimum-Bayes-risk decoding. For every output: the mean F₁ of n-gram overlap with each other output,
for word n-grams of order 1 to 4 and for character 4-grams, and the agreement in length. An output never
meets itself, and an equal text of another system counts as agreement. A source with one output has no
consensus: the features are missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy import sparse

from metrics.ranking.loess import FloatArray

ORDERS = (1, 2, 3, 4)
CHARACTERS = 4
NAMES = (*(f"consensus{n}" for n in ORDERS), "consensus_chars", "consensus_length")


def consensus(outputs: Sequence[Sequence[str]]) -> FloatArray:
    """One row per tokenised output of a source, columns as ``NAMES``.

    >>> consensus([["a", "b"], ["a", "b"], ["c"]])[:, 0].tolist()
    [0.5, 0.5, 0.0]
    """
    if len(outputs) < 2:
        return np.full((len(outputs), len(NAMES)), np.nan)
    columns = [_mean_f1([_ngrams(words, n) for words in outputs]) for n in ORDERS]
    columns.append(_mean_f1([_ngrams(" ".join(words), CHARACTERS) for words in outputs]))
    columns.append(_length_agreement(np.array([len(words) for words in outputs], np.float64)))
    return np.column_stack(columns)


def _ngrams(text: Sequence[str] | str, n: int) -> Counter[tuple[str, ...]]:
    return Counter(zip(*(text[k:] for k in range(n)), strict=False))


def _mean_f1(bags: Sequence[Counter[tuple[str, ...]]]) -> FloatArray:
    """Mean over the others of 2·|A ∩ B| / (|A| + |B|); two empty bags agree on nothing."""
    ids: dict[tuple[str, ...], int] = {}
    # A bag becomes a 0/1 row with one column per (n-gram, occurrence), so that a product counts the overlap.
    rows, columns = [], []
    for row, bag in enumerate(bags):
        for gram, count in bag.items():
            for k in range(count):
                rows.append(row)
                columns.append(ids.setdefault((*gram, str(k)), len(ids)))
    matrix = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(bags), max(1, len(ids))))
    overlap = np.asarray((matrix @ matrix.T).todense())
    sizes = np.array([bag.total() for bag in bags], np.float64)
    both = sizes[:, None] + sizes[None, :]
    f1 = np.divide(2 * overlap, both, out=np.zeros_like(both), where=both > 0)
    np.fill_diagonal(f1, 0.0)
    return np.asarray(f1.sum(axis=1) / (len(bags) - 1))


def _length_agreement(lengths: FloatArray) -> FloatArray:
    """Minus the absolute log ratio of an output's length to the mean length of the others."""
    others = (lengths.sum() - lengths) / (len(lengths) - 1)
    return np.asarray(-np.abs(np.log((lengths + 1) / (others + 1))))
