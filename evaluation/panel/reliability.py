"""How reliable each member of a panel is, with an interval that respects sentences.

Whole sentences are drawn with replacement, because the phrases of one sentence are not independent; the model
is fitted again on each sample, from where the full fit ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.agreement import Judgements
from evaluation.agreement.judgements import Floats
from evaluation.panel.models import Panel, refitted


class Reliability(NamedTuple):
    member: str
    answers: int
    value: float | None  # None for a member who never answered
    low: float | None
    high: float | None


def reliabilities(
    judgements: Judgements, panel: Panel, *, resamples: int = 200, seed: int = 0, level: float = 0.95
) -> list[Reliability]:
    """Each member's reliability with a percentile interval from ``resamples`` draws of sentences.

    >>> from evaluation.panel.models import mace
    >>> study = Judgements.from_matrix([[0, 1] * 9, [0, 1] * 9, [0] * 18], ("yes", "no"))
    >>> [row.answers for row in reliabilities(study, mace(study), resamples=20)]
    [18, 18, 18]
    """
    fits = refitted(judgements, panel, _samples(judgements, resamples, seed))
    samples = np.array([fit.reliability for fit in fits]).reshape(resamples, len(judgements.annotator_names))
    tails = [(1 - level) / 2, (1 + level) / 2]
    answers = np.bincount(judgements.first_only.annotators, minlength=len(judgements.annotator_names))
    rows: list[Reliability] = []
    for code, member in enumerate(judgements.annotator_names):
        if not answers[code]:
            rows.append(Reliability(member, 0, None, None, None))
            continue
        low, high = map(float, np.quantile(samples[:, code], tails)) if resamples else (None, None)
        rows.append(Reliability(member, int(answers[code]), float(panel.reliability[code]), low, high))
    return rows


def _samples(judgements: Judgements, resamples: int, seed: int) -> Iterator[Floats]:
    seen, sentence_of = judgements.seen_items
    sentences = int(sentence_of.max()) + 1
    random = np.random.default_rng(seed)
    for _ in range(resamples):
        drawn = np.bincount(random.integers(sentences, size=sentences), minlength=sentences)
        counted = np.zeros(judgements.counts.shape[1])
        counted[seen] = drawn[sentence_of]
        yield counted
