"""Uses of sentence scores: distinguishing humans from systems, ranking outputs (paper 002, goals I, III).

How well a ranking of systems agrees with people's (goal II) is computed for any metric in
``metrics.metaeval``. Every figure says how many sentences it rests on: those without any known collocation
are left out of an average and counted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics.base import FloatArray


@dataclass(frozen=True, slots=True)
class SystemScore:
    """The mean sentence score of one output, over ``scored`` sentences; ``undefined`` ones had none."""

    average: float | None
    scored: int
    undefined: int


def system_score(sentence_scores: FloatArray) -> SystemScore:
    """Average the sentences that have a score.

    >>> system_score(np.array([1.0, np.nan, 3.0]))
    SystemScore(average=2.0, scored=2, undefined=1)
    >>> system_score(np.array([np.nan]))
    SystemScore(average=None, scored=0, undefined=1)
    """
    defined = sentence_scores[~np.isnan(sentence_scores)]
    average = math.fsum(defined) / defined.size if defined.size else None
    return SystemScore(average, int(defined.size), int(sentence_scores.size - defined.size))


def separation_ratio(human: float | None, system: float | None) -> float | None:
    """(human average − system average) / human average; none without both or for a human average of 0.

    >>> f"{separation_ratio(.0620049, .0482311):.2%}"
    '22.21%'
    """
    if human is None or system is None or human == 0:
        return None
    return (human - system) / human


def rank_outputs(scores: Sequence[float]) -> tuple[int, ...]:
    """Ranks of the outputs of one source, 1 is best; equal scores tie, an undefined score (NaN) is last.

    >>> rank_outputs([2.0, float("nan"), 3.0, 2.0])
    (2, 4, 1, 2)
    """
    keys = [-math.inf if math.isnan(score) else score for score in scores]
    return tuple(1 + sum(other > key for other in keys) for key in keys)
