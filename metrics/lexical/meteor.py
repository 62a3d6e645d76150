"""METEOR (Banerjee & Lavie 2005, Lavie & Agarwal 2007): unigrams matched in stages, order counted by chunks.

Stages: equal words, lower-cased; then equal Porter stems. (Synonyms are in ``meteor-synonyms``.) With m
matches in c chunks, P = m/|H|, R = m/|R|: F = PR / (αP + (1-α)R), score = F · (1 - γ (c/m)^β), α = 0.9, β =
3, γ = 0.5. Words are aligned as NLTK does it, from the end, not by searching for the fewest crossings, so
the numbers equal NLTK's. Several references: the best one. The score of a corpus comes from summed matches,
lengths and chunks, as in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Block, Texts, matches_and_chunks
from metrics.lexical.core import LexicalMetric, divide, pick_reference
from metrics.registry import register


@dataclass(frozen=True)
class UnigramMatching(LexicalMetric):
    """Statistics are matches, chunks and the two lengths."""

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    tokenize: str = "none"
    lowercase: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.alpha <= 1 and self.beta > 0 and 0 <= self.gamma <= 1):
            raise ValueError(f"METEOR needs alpha and gamma in 0 … 1 and beta > 0, not {self}")

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        per_reference = np.stack([self.against(reference, systems) for reference in references])
        return pick_reference(per_reference, self.from_statistics(per_reference))

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        """Statistics ``[system, segment, 4]`` with one reference."""
        raise NotImplementedError

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        matches, chunks, own, theirs = np.moveaxis(summed, -1, 0)
        precision, recall = divide(matches, own), divide(matches, theirs)
        f_mean = divide(precision * recall, self.alpha * precision + (1 - self.alpha) * recall)
        return f_mean * (1 - self.gamma * divide(chunks, matches) ** self.beta)


@register
@dataclass(frozen=True)
class Meteor(UnigramMatching):
    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR: words and stems, with a penalty for fragments"
    facts: ClassVar[tuple[str, ...]] = ("stages:exact,porter",)

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        from metrics.kernels.porter import stemmed  # kernels are imported when scoring starts

        words = self.block([reference], systems)
        lower = words.text if self.lowercase else words.text.lower()
        stems = Block(stemmed(lower), words.segments, 1, words.systems)
        found, lengths = matches_and_chunks([words, stems])
        theirs = np.broadcast_to(lengths.references[0], lengths.systems.shape)
        return np.concatenate([found, np.stack([lengths.systems, theirs], axis=-1)], axis=-1).astype(float)


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """The Porter stem of one word, as NLTK's stemmer finds it.

    >>> stem("Walking")
    'walk'
    """
    from metrics.kernels.porter import stemmed  # kernels are imported when scoring starts

    return stemmed(word.lower())
