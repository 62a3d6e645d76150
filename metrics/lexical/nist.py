"""NIST (Doddington 2002; Kulesza 2004, section 1.2.4): n-grams weighted by their information.

Score = BP′ · Σₙ wₙ over n = 1 … 5, where wₙ is the information of the matched n-grams over the number of
n-grams in the output, and BP′ falls to ½ when the output has two thirds of the average reference length.
``nist`` is that sum, as the usual tools print it; ``nist-paper`` divides it by five, as in the formula of the
thesis.

Weights come from all references that are scored together, so the score of a segment depends on the set that
it is scored with. Matches are clipped by the reference that has an
n-gram most often; with one reference this equals NLTK, which otherwise chooses a reference per order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Texts
from metrics.lexical.core import LexicalMetric, divide
from metrics.lexical.tokenizers import block_text
from metrics.registry import register

ORDER = 5
BETA = np.log(0.5) / np.log(1.5) ** 2


@register
@dataclass(frozen=True)
class Nist(LexicalMetric):
    """Statistics are information and n-grams per order, then output length and average reference length."""

    name: ClassVar[str] = "nist"
    title: ClassVar[str] = "NIST: information-weighted n-grams, the usual sum"
    scale: ClassVar[str] = "0-"
    facts: ClassVar[tuple[str, ...]] = (f"order:{ORDER}", "weights:references")
    divisor: ClassVar[float] = 1.0
    depends_on_set: ClassVar[bool] = True

    tokenize: str = "none"
    lowercase: bool = False

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        """Count all segments at once, because the weights need every reference."""
        from metrics.compiled.information import weighted_matches

        parts = [self._lines(texts) for texts in (*references, *systems)]
        matched, lengths = weighted_matches(
            learnt or [], parts[: len(references)], parts[len(references) :], ORDER
        )
        own = lengths[len(references) :]
        average = np.broadcast_to(lengths[: len(references)].mean(axis=0), own.shape)
        ngrams = np.maximum(own[..., None] - np.arange(ORDER), 0)
        return np.concatenate([matched, ngrams, own[..., None], average[..., None]], axis=-1)

    def learn(self, references: Sequence[Texts]) -> Any:
        """Return all references if their numbers differ, so that the groups share their weights."""
        if len(references) < 2:
            return None
        return self._lines([line for texts in references for part in texts for line in part])

    def _count_all(self, references: Texts, systems: Texts, learnt: Any, workers: int) -> FloatArray:
        return self.count(references, systems, learnt)

    def _lines(self, texts: Sequence[str]) -> list[str]:
        return block_text([texts], self.tokenize, lowercase=self.lowercase).split("\n")[:-1]

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        precision: FloatArray = divide(summed[..., :ORDER], summed[..., ORDER : 2 * ORDER]).sum(axis=-1)
        return precision * length_penalty(summed[..., -2], summed[..., -1]) / self.divisor


@register
@dataclass(frozen=True)
class PaperNist(Nist):
    name: ClassVar[str] = "nist-paper"
    title: ClassVar[str] = "NIST: information-weighted n-grams, the mean over five orders"
    divisor: ClassVar[float] = 5.0


def length_penalty(own: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return BP′ = exp(β · log²(min(own / theirs, 1))).

    >>> length_penalty(np.array([2.0, 3.0, 4.0, 0.0]), np.array([3.0, 3.0, 3.0, 3.0])).round(6).tolist()
    [0.5, 1.0, 1.0, 0.0]
    """
    ratio = np.minimum(divide(own, theirs, otherwise=1.0), 1.0)
    logarithm = np.log(np.where(ratio > 0, ratio, 1.0))
    return np.where(ratio > 0, np.exp(BETA * logarithm**2), 0.0)
