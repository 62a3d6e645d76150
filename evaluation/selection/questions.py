"""Scores open comparisons by what is known about their systems.

A table (systems × systems) says what one vote on two systems is worth. A phrase pair is worth the sum over
the places where it stands, since one verdict is a vote at each of them; a comparison is worth the mean over
the phrase pairs that it asks, that is, per judgement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.judgements import Codes
from evaluation.results import Votes
from evaluation.selection.information import disagreement_scores, order_information

Floats = NDArray[np.float64]


def order_table(votes: Votes) -> Floats:
    """Bits that one more vote tells about the order of each two systems."""
    return order_information(votes.wins, votes.ties)


def disagreement_table(votes: Votes) -> Floats:
    """How divided people are about each two systems: the entropy of their wins, losses and ties."""
    counts = np.stack([votes.wins, votes.wins.T, votes.ties], axis=-1)
    return disagreement_scores(counts.reshape(-1, 3)).reshape(counts.shape[:2])


def comparison_scores(
    table: Floats,
    places: tuple[Codes, Codes, Codes],
    asked: tuple[Codes, Codes],
    comparisons: int,
) -> Floats:
    """The worth of one judgement at each comparison.

    ``places``: at each place the pair and the two systems that meet there. ``asked``: the comparison
    (0 … n−1) and the pair of each question.

    >>> table = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> comparison_scores(table, ([0, 0, 1], [0, 0, 1], [1, 1, 0]), ([0, 1], [0, 1]), 2).tolist()
    [1.0, 0.5]
    """
    pairs, first, second = (np.asarray(column, dtype=np.int64) for column in places)
    owners, questions = (np.asarray(column, dtype=np.int64) for column in asked)
    size = max(pairs.max(initial=-1), questions.max(initial=-1)) + 1
    worth = np.bincount(pairs, table[first, second], minlength=size)
    total = np.bincount(owners, worth[questions], minlength=comparisons)
    return np.asarray(total / np.maximum(np.bincount(owners, minlength=comparisons), 1))
