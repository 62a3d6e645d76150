"""Error rates: WER, PER and TER, as rates and as raw counts.

WER is the edit distance in words, PER the same with free order (Kulesza 2004, section 1.2; Tillmann et al.
1997). With several references the one with the fewest errors counts (mWER); of equals, the longest. TER
adds shifts of blocks (Snover et al. 2006): fewest edits over the references, divided by their average
length, times 100, lower-cased as Tercom does it.

Against an empty reference a rate is 0 for an empty output and 1 (TER: 100) for any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Lengths, LongArray, Texts, shift_edits, word_errors
from metrics.lexical.core import LexicalMetric, rate
from metrics.registry import register


@dataclass(frozen=True)
class WordErrors(LexicalMetric):
    """Statistics are errors and reference length."""

    higher_is_better: ClassVar[bool] = False
    column: ClassVar[int]  # of what ``word_errors`` returns

    tokenize: str = "none"
    lowercase: bool = False

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        found = [word_errors(self.block([reference], systems)) for reference in references]
        return fewest_errors([(errors[..., self.column], lengths) for errors, lengths in found])

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return rate(summed[..., 0], summed[..., 1])


@dataclass(frozen=True)
class WordErrorCount(WordErrors):
    """The raw number of errors; that of a corpus is the sum."""

    scale: ClassVar[str] = "count"

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return np.asarray(summed[..., 0])


@register
@dataclass(frozen=True)
class Wer(WordErrors):
    name: ClassVar[str] = "wer"
    title: ClassVar[str] = "word error rate (mWER with several references)"
    scale: ClassVar[str] = "edits/reference word"
    column: ClassVar[int] = 0


@register
@dataclass(frozen=True)
class Per(WordErrors):
    name: ClassVar[str] = "per"
    title: ClassVar[str] = "position-independent word error rate"
    scale: ClassVar[str] = "errors/reference word"
    column: ClassVar[int] = 1


@register
@dataclass(frozen=True)
class WerCount(WordErrorCount):
    name: ClassVar[str] = "wer-count"
    title: ClassVar[str] = "word errors, the number"
    column: ClassVar[int] = 0


@register
@dataclass(frozen=True)
class PerCount(WordErrorCount):
    name: ClassVar[str] = "per-count"
    title: ClassVar[str] = "position-independent word errors, the number"
    column: ClassVar[int] = 1


@register
@dataclass(frozen=True)
class Ter(LexicalMetric):
    name: ClassVar[str] = "ter"
    title: ClassVar[str] = "translation edit rate"
    higher_is_better: ClassVar[bool] = False
    scale: ClassVar[str] = "0-100"
    facts: ClassVar[tuple[str, ...]] = ("beam:25", "shift:10", "distance:50", "candidates:1000")

    tokenize: str = "none"
    lowercase: bool = True

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        found = [shift_edits(self.block([reference], systems)) for reference in references]
        edits = np.min([edits for edits, _ in found], axis=0)
        average = np.mean([lengths.references[0] for _, lengths in found], axis=0)
        return np.stack([edits, np.broadcast_to(average, edits.shape)], axis=-1).astype(float)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return 100.0 * rate(summed[..., 0], summed[..., 1])


def fewest_errors(found: list[tuple[LongArray, Lengths]]) -> FloatArray:
    """Errors and reference length ``[system, segment, 2]`` of the reference with the fewest errors."""
    errors = np.stack([counted for counted, _ in found])
    lengths = np.stack([np.broadcast_to(known.references[0], errors.shape[1:]) for _, known in found])
    best = (errors * (lengths.max(initial=0) + 1) - lengths).argmin(axis=0)[None]
    chosen = [np.take_along_axis(array, best, axis=0)[0] for array in (errors, lengths)]
    return np.stack(chosen, axis=-1).astype(float)
