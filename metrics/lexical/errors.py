"""Error rates: WER, PER and TER, as rates and as counts.

WER is the edit distance in words, PER the same with free order (Kulesza 2004, section 1.2; Tillmann et al.
1997). Of several references the one with the fewest errors counts (mWER); of equal ones the longest. TER adds
shifts of blocks (Snover et al. 2006): the fewest edits over the references, divided by their average length,
times 100, lower-cased as in Tercom.

Against an empty reference a rate is 0 for an empty output and 1 (TER: 100) for any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Lengths, LongArray, Texts, shift_edits, word_errors
from metrics.lexical.core import LexicalMetric, rate
from metrics.registry import register, register_factory

TITLES = {
    "wer": "word error rate (mWER with several references)",
    "per": "position-independent word error rate",
    "wer-count": "number of word errors",
    "per-count": "number of position-independent word errors",
}


@dataclass(frozen=True)
class WordErrors(LexicalMetric):
    """Statistics are errors and reference length; the count of a corpus is the sum over its segments."""

    higher_is_better: ClassVar[bool] = False

    tokenize: str = "none"
    lowercase: bool = False
    free_order: bool = field(default=False, metadata={"signature": False})  # both are part of the name
    is_count: bool = field(default=False, metadata={"signature": False})

    @property
    def name(self) -> str:  # type: ignore[override]  # the other metrics have one name each
        return ("per" if self.free_order else "wer") + ("-count" if self.is_count else "")

    @property
    def title(self) -> str:  # type: ignore[override]
        return TITLES[self.name]

    @property
    def scale(self) -> str:  # type: ignore[override]
        rate_of = "errors" if self.free_order else "edits"
        return "count" if self.is_count else f"{rate_of}/reference word"

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        counts = [word_errors(self.block([reference], systems)) for reference in references]
        return fewest_errors([(errors[..., int(self.free_order)], lengths) for errors, lengths in counts])

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return np.asarray(summed[..., 0]) if self.is_count else rate(summed[..., 0], summed[..., 1])


for _name in TITLES:
    _is = {"free_order": _name.startswith("per"), "is_count": _name.endswith("count")}
    register_factory(_name, WordErrors, **_is)


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
        counts = [shift_edits(self.block([reference], systems)) for reference in references]
        edits = np.min([edits for edits, _ in counts], axis=0)
        average = np.mean([lengths.references[0] for _, lengths in counts], axis=0)
        return np.stack([edits, np.broadcast_to(average, edits.shape)], axis=-1).astype(float)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return 100.0 * rate(summed[..., 0], summed[..., 1])


def fewest_errors(counts: list[tuple[LongArray, Lengths]]) -> FloatArray:
    """Return errors and length of the reference with the fewest errors, ``[system, segment, 2]``."""
    errors = np.stack([counted for counted, _ in counts])
    lengths = np.stack([np.broadcast_to(sizes.references[0], errors.shape[1:]) for _, sizes in counts])
    best = (errors * (lengths.max(initial=0) + 1) - lengths).argmin(axis=0)[None]
    chosen = [np.take_along_axis(array, best, axis=0)[0] for array in (errors, lengths)]
    return np.stack(chosen, axis=-1).astype(float)
