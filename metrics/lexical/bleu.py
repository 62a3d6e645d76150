"""BLEU (Papineni et al. 2002): modified n-gram precision, geometric mean, brevity penalty.

``bleu`` is the number that sacrebleu prints: 0–100, tokenisation ``13a``, exponential smoothing (each order
without a match counts as half of the one before it), on single segments only the orders that exist
(*effective order*). ``bleu-paper`` is the formula of the paper, 0–1, without smoothing: it is 0 if an order
has no match. ``precision-1`` to ``precision-5`` are the precisions of single orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import LongArray, Texts, ngram_matches
from metrics.lexical.core import LexicalMetric, divide
from metrics.registry import register, register_factory

LENGTH_RULES = ("closest", "shortest", "average", "none")
UNITS = {1: "unigram", 2: "bigram", 3: "3-gram", 4: "4-gram", 5: "5-gram"}


@dataclass(frozen=True)
class BleuBase(LexicalMetric):
    """Statistics are matches and n-grams per order, then the two lengths.

    ``length`` selects the reference length of the brevity penalty: the closest (of two equally close ones the
    shorter), the shortest, the average, or none (no penalty).
    """

    order: int = 4
    length: str = "closest"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.order <= 16:
            raise ValueError(f"order must be between 1 and 16, not {self.order}")
        if self.length not in LENGTH_RULES:
            raise ValueError(f"length must be one of {', '.join(LENGTH_RULES)}, not {self.length!r}")

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        matches, lengths = ngram_matches(self.block(references, systems), self.order)
        ngrams = np.maximum(lengths.systems[..., None] - np.arange(self.order), 0)
        own = lengths.systems[..., None]
        theirs = reference_length(lengths.references, lengths.systems, self.length)[..., None]
        return np.concatenate([matches, ngrams, own, theirs], axis=-1)

    def _parts(self, statistics: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return matches, n-grams and the brevity penalty."""
        matches = statistics[..., : self.order]
        ngrams = statistics[..., self.order : 2 * self.order]
        own, theirs = statistics[..., -2], statistics[..., -1]
        return matches, ngrams, brevity_penalty(own, theirs)


@register
@dataclass(frozen=True)
class Bleu(BleuBase):
    name: ClassVar[str] = "bleu"
    title: ClassVar[str] = "BLEU as sacrebleu computes it"
    scale: ClassVar[str] = "0-100"
    facts: ClassVar[tuple[str, ...]] = ("smooth:exp", "eff:segments")

    tokenize: str = "13a"
    lowercase: bool = False

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self._smoothed(statistics, effective_order=True)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return self._smoothed(summed, effective_order=False)

    def _smoothed(self, statistics: FloatArray, *, effective_order: bool) -> FloatArray:
        matches, ngrams, penalty = self._parts(statistics)
        exists = ngrams > 0
        missed = exists & (matches == 0)
        halved = 2.0 ** -np.cumsum(missed, axis=-1)  # 1/2 for the first order without a match, then 1/4, …
        precision = np.where(missed, halved, matches) / np.where(exists, ngrams, 1.0)
        logarithms = np.where(exists, np.log(np.where(exists, precision, 1.0)), 0.0)
        orders = exists.sum(axis=-1) if effective_order else self.order
        mean = logarithms.sum(axis=-1) / np.maximum(orders, 1)
        scored = matches.any(axis=-1) & (effective_order | exists.all(axis=-1))
        return np.where(scored, 100.0 * penalty * np.exp(mean), 0.0)


@register
@dataclass(frozen=True)
class PaperBleu(BleuBase):
    name: ClassVar[str] = "bleu-paper"
    title: ClassVar[str] = "BLEU as its paper defines it, without smoothing"
    facts: ClassVar[tuple[str, ...]] = ("smooth:none",)

    tokenize: str = "none"
    lowercase: bool = False

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        matches, ngrams, penalty = self._parts(summed)
        precision = divide(matches, ngrams)
        positive = precision > 0
        mean = np.log(np.where(positive, precision, 1.0)).mean(axis=-1)
        return np.where(positive.all(axis=-1), penalty * np.exp(mean), 0.0)


@dataclass(frozen=True)
class NgramPrecision(LexicalMetric):
    """Matched n-grams of one order over all of them; 0 for an output too short to have any."""

    tokenize: str = "none"
    lowercase: bool = False
    order: int = field(default=1, metadata={"signature": False})  # it is part of the name

    @property
    def name(self) -> str:  # type: ignore[override]  # the other metrics have one name each
        return f"precision-{self.order}"

    @property
    def title(self) -> str:  # type: ignore[override]
        return f"{UNITS[self.order]} precision"

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        matches, lengths = ngram_matches(self.block(references, systems), self.order)
        ngrams = np.maximum(lengths.systems - self.order + 1, 0)
        return np.stack([matches[..., -1], ngrams], axis=-1).astype(float)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return divide(summed[..., 0], summed[..., 1])


for _order in UNITS:
    register_factory(f"precision-{_order}", NgramPrecision, order=_order)


def reference_length(references: LongArray, systems: LongArray, rule: str) -> FloatArray:
    """Return the reference length of every output, ``[system, segment]``.

    >>> reference_length(np.array([[9], [12], [10]]), np.array([[11]]), "closest").tolist()
    [[10.0]]
    """
    if rule == "closest":
        ordered = np.sort(references, axis=0)  # of two equally close ones the shorter comes first
        nearest = np.abs(ordered[:, None] - systems[None]).argmin(axis=0)
        return np.take_along_axis(ordered, nearest, axis=0).astype(float)
    if rule == "none":
        return np.zeros(systems.shape)
    chosen = references.min(axis=0) if rule == "shortest" else references.mean(axis=0)
    return np.broadcast_to(chosen, systems.shape).astype(float)


def brevity_penalty(own: FloatArray, theirs: FloatArray) -> FloatArray:
    """Return exp(1 - r/c) for outputs that are too short, 0 for empty ones, else 1.

    >>> brevity_penalty(np.array([4.0, 8.0]), np.array([4.0, 4.0])).tolist()
    [1.0, 1.0]
    """
    short = own < theirs
    ratio = divide(theirs, own, otherwise=np.inf)
    return np.where(short, np.exp(1.0 - np.where(short, ratio, 1.0)), 1.0)
