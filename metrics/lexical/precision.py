"""Single n-gram precisions, and the nine basic features of Kulesza 2004 (section 3.2) computed together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray
from metrics.lexical.blocks import Block, Texts, count_in_blocks, ngram_matches, word_errors
from metrics.lexical.core import LexicalMetric, divide
from metrics.lexical.errors import fewest_errors
from metrics.registry import register
from metrics.tokenizers import block_text

HIGHEST_ORDER = 5
BASIC_FEATURES = (
    "length-ratio-min",
    "length-ratio-max",
    *(f"precision-{order}" for order in range(1, HIGHEST_ORDER + 1)),
    "wer-count",
    "per-count",
)


@dataclass(frozen=True)
class Precision(LexicalMetric):
    """Matched n-grams of one order over all of them, 0 for an output too short to have any."""

    order: ClassVar[int]

    tokenize: str = "none"
    lowercase: bool = False

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:
        matches, lengths = ngram_matches(self.block(references, systems), self.order)
        ngrams = np.maximum(lengths.systems - self.order + 1, 0)
        return np.stack([matches[..., -1], ngrams], axis=-1).astype(float)

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        return self.from_statistics(statistics)

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        return divide(summed[..., 0], summed[..., 1])


@register
@dataclass(frozen=True)
class Precision1(Precision):
    name: ClassVar[str] = "precision-1"
    title: ClassVar[str] = "precision of words"
    order: ClassVar[int] = 1


@register
@dataclass(frozen=True)
class Precision2(Precision):
    name: ClassVar[str] = "precision-2"
    title: ClassVar[str] = "precision of pairs of words"
    order: ClassVar[int] = 2


@register
@dataclass(frozen=True)
class Precision3(Precision):
    name: ClassVar[str] = "precision-3"
    title: ClassVar[str] = "precision of n-grams of three words"
    order: ClassVar[int] = 3


@register
@dataclass(frozen=True)
class Precision4(Precision):
    name: ClassVar[str] = "precision-4"
    title: ClassVar[str] = "precision of n-grams of four words"
    order: ClassVar[int] = 4


@register
@dataclass(frozen=True)
class Precision5(Precision):
    name: ClassVar[str] = "precision-5"
    title: ClassVar[str] = "precision of n-grams of five words"
    order: ClassVar[int] = 5


def basic_features(
    systems: Texts, references: Texts, *, tokenize: str = "none", lowercase: bool = False, workers: int = 1
) -> FloatArray:
    """The features named in ``BASIC_FEATURES``, ``[system, segment, 9]``; ``references[r][i]`` as everywhere.

    The ratio of an output to an empty reference is taken to a reference of one word.

    >>> basic_features([["he walked the dog"]], [["he took the dog for a walk"]]).round(2).tolist()
    [[[0.57, 0.57, 0.75, 0.33, 0.0, 0.0, 0.0, 4.0, 4.0]]]
    """

    def count(some_references: Texts, some_systems: Texts) -> FloatArray:
        def block(of: Texts) -> Block:
            text = block_text([*of, *some_systems], tokenize, lowercase=lowercase)
            return Block(text, len(some_systems[0]), len(of), len(some_systems))

        matches, lengths = ngram_matches(block(some_references), HIGHEST_ORDER)
        ngrams = np.maximum(lengths.systems[..., None] - np.arange(HIGHEST_ORDER), 0)
        ratios = lengths.systems[:, None] / np.maximum(lengths.references, 1)
        errors = [word_errors(block([reference])) for reference in some_references]
        edits, free = (fewest_errors([(found[..., i], sizes) for found, sizes in errors]) for i in (0, 1))
        columns = [ratios.min(axis=1), ratios.max(axis=1), edits[..., 0], free[..., 0]]
        precisions = divide(matches.astype(float), ngrams.astype(float))
        return np.concatenate(
            [np.stack(columns[:2], axis=-1), precisions, np.stack(columns[2:], axis=-1)], axis=-1
        )

    return count_in_blocks(count, references, systems, workers)
