"""Weights that undo the preference for useful questions.

M of N questions were drawn one after another without replacement, question m with probability q_m among the N
− m + 1 left. With the weights

    v_m = 1 + (N − M) / (N − m) · (1 / ((N − m + 1) q_m) − 1)

the mean of v_m f_m is an unbiased estimate of the mean of f over all N questions, whatever the scores were
and however they depended on earlier answers (Farquhar, Gal & Rainforth 2021, "On statistical bias in active
learning", theorem 3). When everything was asked all weights are 1; so they are for draws at random.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def levelled_weights(probabilities: Sequence[float], questions: int) -> NDArray[np.float64]:
    """The weight of each draw, in the order of drawing, from a pool of so many questions.

    >>> levelled_weights([1 / 4, 1 / 3], 4).tolist()
    [1.0, 1.0]
    """
    q = np.asarray(probabilities, dtype=np.float64)
    drawn = len(q)
    if drawn > questions:
        raise ValueError(f"{drawn} draws from {questions} questions")
    if drawn and not (q.min() > 0 and q.max() <= 1 + 1e-12):
        raise ValueError(f"probabilities must lie in (0, 1], found {q.min()} … {q.max()}")
    m = np.arange(1, drawn + 1)
    left = np.maximum(questions - m, 1)  # the last of all questions has weight 1: its factor is 0
    return np.asarray(1 + (questions - drawn) / left * (1 / ((questions - m + 1) * q) - 1))
