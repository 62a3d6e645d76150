"""From rankings to pairs and back (Avramidis et al. 2011, paper 001, section 2.2).

The n outputs of one source give n(n−1) ordered pairs. A pair is an example of class 1 if the first output has
the better (smaller) rank and of class 0 if it has the worse one; ties give no example. A pair is described
by the difference of the two outputs' features. Back again, an output's place follows from how many pairs it
wins; equally many wins are a tie. The soft version adds up probabilities instead of verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from metrics.ranking.classifiers import Classifier
from metrics.ranking.loess import FloatArray

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Feature differences, 1.0 where the first output won, and the rows (i, j) that were compared."""

    differences: FloatArray
    won: FloatArray
    rows: IntArray


def decided(ranks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ordered pairs (better, worse) of one ranking given as (row, rank); ties give none.

    >>> decided([(0, 2), (1, 1), (2, 2)])
    [(1, 0), (1, 2)]
    """
    return [(i, j) for i, first in ranks for j, second in ranks if first < second]


def examples(features: FloatArray, better: Sequence[int], worse: Sequence[int]) -> Pairs:
    """Both directions of every decided pair: the winner first, and the loser first.

    >>> both = examples(np.array([[3.0], [1.0]]), [0], [1])
    >>> both.differences.tolist(), both.won.tolist(), both.rows.tolist()
    ([[2.0], [-2.0]], [1.0, 0.0], [[0, 1], [1, 0]])
    """
    one_way = np.column_stack([np.asarray(better, np.int64), np.asarray(worse, np.int64)]).reshape(-1, 2)
    rows = np.concatenate([one_way, one_way[:, ::-1]])
    won = np.repeat([1.0, 0.0], len(one_way))
    return Pairs(features[rows[:, 0]] - features[rows[:, 1]], won, rows)


def preferences(features: FloatArray, classifier: Classifier) -> FloatArray:
    """p[i, j]: how probable it is that output i of a source is better than output j; ½ on the diagonal.

    Asked in both directions, so that p[i, j] + p[j, i] = 1.
    """
    return preferences_of([features], classifier)[0]


def preferences_of(groups: Sequence[FloatArray], classifier: Classifier) -> list[FloatArray]:
    """The same for the outputs of many sources, with one question to the classifier."""
    upper = [np.triu_indices(len(group), 1) for group in groups]
    differences = [group[i] - group[j] for group, (i, j) in zip(groups, upper, strict=True)]
    together = np.concatenate(differences) if differences else np.zeros((0, 0))
    found = np.zeros(0)
    if len(together):
        found = (classifier.probability(together) + 1 - classifier.probability(-together)) / 2
    matrices, start = [], 0
    for group, (i, j) in zip(groups, upper, strict=True):
        matrix = np.full((len(group), len(group)), 0.5)
        matrix[i, j] = found[start : start + len(i)]
        matrix[j, i] = 1 - matrix[i, j]
        matrices.append(matrix)
        start += len(i)
    return matrices


def wins(matrix: FloatArray) -> FloatArray:
    """Pairs that each output wins; an undecided pair (exactly ½) is nobody's.

    >>> wins(np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.5], [0.6, 0.5, 0.5]])).tolist()
    [1.0, 0.0, 1.0]
    """
    return np.asarray((matrix > 0.5).sum(axis=1), np.float64)


def soft_wins(matrix: FloatArray) -> FloatArray:
    """Expected wins: the sum of an output's probabilities against all others."""
    return np.asarray(matrix.sum(axis=1) - 0.5)


def win_shares(matrix: FloatArray) -> FloatArray:
    """Of each output the expected share of the others that it beats; ½ where it stands alone.

    >>> win_shares(np.array([[0.5, 0.75], [0.25, 0.5]])).tolist(), win_shares(np.array([[0.5]])).tolist()
    ([0.75, 0.25], [0.5])
    """
    return soft_wins(matrix) / (len(matrix) - 1) if len(matrix) > 1 else np.full(len(matrix), 0.5)


def ranks(scores: FloatArray) -> tuple[int, ...]:
    """Places from scores, 1 is best; equal scores share a place and the next one is skipped.

    >>> ranks(np.array([1.0, 0.0, 1.0]))
    (1, 3, 1)
    """
    return tuple(int(np.count_nonzero(scores > score)) + 1 for score in scores)
