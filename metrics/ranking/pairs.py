"""From rankings to pairs and back (Avramidis et al. 2011, paper 001, section 2.2).

The n outputs of one source give n(n−1) ordered pairs. A pair is an example of class 1 if the first output has
the better (smaller) rank and of class 0 if it has the worse one; ties give no example. A pair is described
by the difference of the two outputs' features. In the other direction, the rank of an output follows from the
number of pairs that it wins; equally many wins are a tie. The soft version adds up probabilities instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.ranking.classifiers import Classifier, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PairExamples:
    """Feature differences of pairs of outputs, and 1.0 where the first one won."""

    differences: FloatArray
    won: FloatArray


def make_examples(features: FloatArray, better: Sequence[int], worse: Sequence[int]) -> PairExamples:
    """Both directions of every decided pair: the winner first, and the loser first.

    >>> both = make_examples(np.array([[3.0], [1.0]]), [0], [1])
    >>> both.differences.tolist(), both.won.tolist()
    ([[2.0], [-2.0]], [1.0, 0.0])
    """
    one_way = np.column_stack([np.asarray(better, np.int64), np.asarray(worse, np.int64)]).reshape(-1, 2)
    rows = np.concatenate([one_way, one_way[:, ::-1]])
    won = np.repeat([1.0, 0.0], len(one_way))
    return PairExamples(features[rows[:, 0]] - features[rows[:, 1]], won)


def preferences_of(groups: Sequence[FloatArray], classifier: Classifier) -> list[FloatArray]:
    """For each source p[i, j], the probability that output i is better than output j; ½ on the diagonal.

    The classifier is called once for all sources, in both directions, so that p[i, j] + p[j, i] = 1.
    """
    upper = [np.triu_indices(len(group), 1) for group in groups]
    differences = [group[i] - group[j] for group, (i, j) in zip(groups, upper, strict=True)]
    together = np.concatenate(differences) if differences else np.zeros((0, 0))
    probabilities = np.zeros(0)
    if len(together):
        probabilities = (classifier.probability(together) + 1 - classifier.probability(-together)) / 2
    matrices, start = [], 0
    for group, (i, j) in zip(groups, upper, strict=True):
        matrix = np.full((len(group), len(group)), 0.5)
        matrix[i, j] = probabilities[start : start + len(i)]
        matrix[j, i] = 1 - matrix[i, j]
        matrices.append(matrix)
        start += len(i)
    return matrices


def wins(matrix: FloatArray) -> FloatArray:
    """The number of pairs that each output wins; an undecided pair (exactly ½) counts for neither.

    >>> wins(np.array([[0.5, 0.9, 0.4], [0.1, 0.5, 0.5], [0.6, 0.5, 0.5]])).tolist()
    [1.0, 0.0, 1.0]
    """
    return np.asarray((matrix > 0.5).sum(axis=1), np.float64)


def soft_wins(matrix: FloatArray) -> FloatArray:
    """Expected wins: the sum of an output's probabilities against all others."""
    return np.asarray(matrix.sum(axis=1) - 0.5)


def win_shares(matrix: FloatArray) -> FloatArray:
    """The expected share of the other outputs that each output beats; ½ for a single output.

    >>> win_shares(np.array([[0.5, 0.75], [0.25, 0.5]])).tolist(), win_shares(np.array([[0.5]])).tolist()
    ([0.75, 0.25], [0.5])
    """
    return soft_wins(matrix) / (len(matrix) - 1) if len(matrix) > 1 else np.full(len(matrix), 0.5)
