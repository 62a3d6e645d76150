"""ROUGE-L and ROUGE-W: longest common subsequences (Lin 2004, sections 3 and 4).

R = L / |R|, P = L / |H|, and F with β = 1 unless told otherwise. ROUGE-W replaces L by the weighted length
WLCS with f(k) = k ** weight and undoes the weight at the end, once: R = (WLCS / f(|R|)) ** (1/weight), P
likewise. Several references: the best one. The score of a corpus is the mean of its segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Texts, common_lengths
from metrics.lexical.core import LexicalMetric, divide
from metrics.registry import register


@dataclass(frozen=True)
class Rouge(LexicalMetric):
    """Statistics are the score and a one, to divide by."""

    facts: ClassVar[tuple[str, ...]] = ("corpus:mean",)

    beta: float = 1.0
    tokenize: str = "none"
    lowercase: bool = False

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        best = np.max([self._against([reference], systems) for reference in references], axis=0)
        return np.stack([best, np.ones_like(best)], axis=-1)

    def _against(self, reference: Texts, systems: Texts) -> FloatArray:
        raise NotImplementedError

    def f_score(self, precision: FloatArray, recall: FloatArray) -> FloatArray:
        factor = self.beta**2
        return divide((1 + factor) * precision * recall, recall + factor * precision)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return divide(summed[..., 0], summed[..., 1])


@register
@dataclass(frozen=True)
class RougeL(Rouge):
    name: ClassVar[str] = "rouge-l"
    title: ClassVar[str] = "ROUGE-L: longest common subsequence"

    def _against(self, reference: Texts, systems: Texts) -> FloatArray:
        common, lengths = common_lengths(self.block(reference, systems))
        own, theirs = lengths.systems.astype(float), lengths.references[0].astype(float)
        return self.f_score(divide(common, own), divide(common, np.broadcast_to(theirs, own.shape)))


@register
@dataclass(frozen=True)
class RougeW(Rouge):
    name: ClassVar[str] = "rouge-w"
    title: ClassVar[str] = "ROUGE-W: longest common subsequence, runs weigh more"

    weight: float = 1.2

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weight < 1:
            raise ValueError(f"weight must be at least 1, not {self.weight}")

    def _against(self, reference: Texts, systems: Texts) -> FloatArray:
        common, lengths = common_lengths(self.block(reference, systems), self.weight)
        own, theirs = (
            sizes.astype(float) ** self.weight for sizes in (lengths.systems, lengths.references[0])
        )
        precision = divide(common, own) ** (1 / self.weight)
        return self.f_score(
            precision, divide(common, np.broadcast_to(theirs, own.shape)) ** (1 / self.weight)
        )
