"""The weight of every comparison that was begun, from the log of draws.

Comparisons that were begun before selection was switched on were all asked: each stands for itself. The
others were drawn one after another from the N that were left then, first those with a logged draw, in their
order, then those that were taken from the rest, which is in random order: each of them was as likely as any
other left. M of N were drawn; draw m stands for v_m N / M comparisons, with v_m of ``levelled_weights``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evaluation.selection.weights import levelled_weights


class Question(NamedTuple):
    """A comparison: was it begun, its logged draw, and its place in the rest if it stands there."""

    begun: bool
    number: int | None = None
    probability: float | None = None
    rest: int | None = None


def question_weights(questions: Sequence[Question]) -> list[float | None]:
    """How many comparisons each begun one stands for; ``None`` for those that were not begun.

    >>> question_weights([Question(True), Question(True, 0, 0.5), Question(False), Question(False)])
    [1.0, 2.0, None, None]
    """
    before = [n for n, one in enumerate(questions) if one.begun and one.number is None and one.rest is None]
    drawn = sorted(
        (
            n
            for n, one in enumerate(questions)
            if one.begun and (one.number is not None or one.rest is not None)
        ),
        key=lambda n: _when(questions[n]),
    )
    pool = len(questions) - len(before)
    chances = [
        1 / (pool - m) if (logged := questions[n].probability) is None else logged
        for m, n in enumerate(drawn)
    ]
    weights: list[float | None] = [None] * len(questions)
    for n in before:
        weights[n] = 1.0
    levelled = levelled_weights(chances, pool) * (pool / max(len(drawn), 1))
    for n, weight in zip(drawn, np.asarray(levelled).tolist(), strict=True):
        weights[n] = weight
    return weights


def _when(one: Question) -> tuple[bool, int]:
    """Logged draws in their order, then those from the rest in theirs."""
    return (one.number is None, one.rest or 0 if one.number is None else one.number)
