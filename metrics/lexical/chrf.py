"""chrF and chrF++: F-score over n-grams of characters, and of words (Popović 2015, 2017).

As in sacrebleu: 0–100, characters up to order 6 without white space, β = 2, precision and recall averaged
over the orders that both texts have. chrF++ adds words up to order 2, separated from punctuation at one end.
Of several references the best counts, for each segment.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Block, Lengths, LongArray, Texts, ngram_matches
from metrics.lexical.core import LexicalMetric, divide
from metrics.registry import register

PUNCTUATION = re.escape(string.punctuation)
# In a word of two characters or more: the last character if it is punctuation, else the first.
WORD_EDGE = re.compile(rf"(?<!\S)(?:(\S+)([{PUNCTUATION}])|([{PUNCTUATION}])(\S+))(?!\S)")


@register
@dataclass(frozen=True)
class ChrF(LexicalMetric):
    """Statistics are three numbers per order: n-grams of the output, of the reference, and shared."""

    name: ClassVar[str] = "chrf"
    title: ClassVar[str] = "chrF: F-score over character n-grams"
    scale: ClassVar[str] = "0-100"
    facts: ClassVar[tuple[str, ...]] = ("eff:yes", "space:no")

    characters: int = 6
    words: int = 0
    beta: float = 2.0
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.characters < 1 or self.words < 0 or self.beta <= 0:
            raise ValueError(f"chrF needs characters >= 1, words >= 0 and beta > 0, not {self}")

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        block = self.block([reference], systems)
        parts = [triples(*ngram_matches(block, self.characters, characters=True))]
        if self.words:
            cut = Block(separate_punctuation(block.text), block.segments, 1, block.systems)
            parts.append(triples(*ngram_matches(cut, self.words)))
        return np.concatenate(parts, axis=-2).reshape(block.systems, block.segments, -1)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        counts = summed.reshape(*summed.shape[:-1], -1, 3)
        own, theirs, shared = counts[..., 0], counts[..., 1], counts[..., 2]
        both = (own > 0) & (theirs > 0)
        orders = np.maximum(both.sum(axis=-1), 1)
        precision = np.where(both, divide(shared, own), 0.0).sum(axis=-1) / orders
        recall = np.where(both, divide(shared, theirs), 0.0).sum(axis=-1) / orders
        factor = self.beta**2
        return 100.0 * divide((1 + factor) * precision * recall, factor * precision + recall)


@register
@dataclass(frozen=True)
class ChrFPlusPlus(ChrF):
    name: ClassVar[str] = "chrf++"
    title: ClassVar[str] = "chrF++: F-score over character and word n-grams"

    words: int = 2


def triples(matches: LongArray, lengths: Lengths) -> FloatArray:
    """Return ``[system, segment, order, 3]``; orders that the reference lacks do not count for the output."""
    steps = np.arange(matches.shape[-1])
    own = np.maximum(lengths.systems[..., None] - steps, 0)
    theirs = np.broadcast_to(np.maximum(lengths.references[0][..., None] - steps, 0), own.shape)
    return np.stack([np.where(theirs > 0, own, 0), theirs, matches], axis=-1).astype(float)


def separate_punctuation(text: str) -> str:
    """Separate one punctuation mark from the end of each word, or else from its start.

    >>> separate_punctuation("(hi) -so, .")
    '(hi ) -so , .'
    """
    return WORD_EDGE.sub(r"\1\3 \2\4", text)
