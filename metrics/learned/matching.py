"""Fine-grained overlap with the references: precision, recall and F of n-grams, in several views.

A single metric is one fixed sum of such numbers; a learner may weigh them itself. A *view* is the text as it
is compared: words as they stand, in small letters, or as (English) stems; characters without white space, or
in small letters with it. Feature ``stems-2-r`` is the recall of pairs of stems. With several references the
one with the highest F counts, order by order. Every feature is higher-is-better: ``copied`` is minus the
number of words left in the source language, ``…-short`` and ``…-long`` are 0 for the right length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from evaluation.lightly import import_lightly
from metrics.base import Segment
from metrics.datasets import FloatArray
from metrics.lexical.blocks import Block, Texts, count_in_blocks, ngram_matches
from metrics.lexical.core import divide
from metrics.tokenizers import block_text

SPACE = "\u2581"  # stands for a space where spaces count


@dataclass(frozen=True, slots=True)
class View:
    """One way of seeing a text: how many orders, and what becomes of a tokenised block of lines."""

    orders: int
    characters: bool
    transform: Callable[[str], str]

    def names(self, view: str) -> tuple[str, ...]:
        return tuple(f"{view}-{order}-{part}" for order in range(1, self.orders + 1) for part in "prf")


def _stems(text: str) -> str:
    return "\n".join(" ".join(map(_stem, line.split())) for line in text.lower().split("\n"))


def _spaced(text: str) -> str:
    return "\n".join(SPACE.join(line.split()) for line in text.lower().split("\n"))


VIEWS = {
    "words": View(4, False, str),
    "lower": View(4, False, str.lower),
    "stems": View(3, False, _stems),
    "characters": View(8, True, str),
    "spaced": View(8, True, _spaced),
}
OTHERS = ("words-short", "words-long", "characters-short", "characters-long", "copied", "copied-share")
NAMES = (*(name for view, seen in VIEWS.items() for name in seen.names(view)), *OTHERS)


def match_features(segments: Sequence[Segment], tokenize: str) -> dict[str, FloatArray]:
    """Every feature of ``NAMES``; all segments have the same number of references.

    >>> found = match_features([Segment("he walked", ("he walks a dog",), "er ging")], "13a")
    >>> [float(found[name][0]) for name in ("words-1-p", "words-1-r", "stems-1-p", "stems-2-p")]
    [0.5, 0.25, 1.0, 1.0]
    """
    outputs = [segment.hypothesis for segment in segments]
    references = list(zip(*(segment.references for segment in segments), strict=True))
    found: dict[str, FloatArray] = {}
    for name, view in VIEWS.items():
        columns = _view(view, references, outputs, tokenize)
        found |= dict(zip(view.names(name), columns.T, strict=True))
    for name, column in zip(OTHERS, _lengths(references, outputs, tokenize), strict=False):
        found[name] = column
    found["copied"] = np.array([-copied(segment, tokenize) for segment in segments], dtype=np.float64)
    found["copied-share"] = found["copied"] / _sizes(outputs, tokenize, characters=False)
    return found


def copied(segment: Segment, tokenize: str) -> int:
    """How many output words occur in the source and in no reference: probably they were not translated.

    Only words of letters count: numbers and punctuation are the same in many languages.

    >>> copied(Segment("the Hund barks", ("the dog barks",), "der Hund bellt"), "none")
    1
    """
    lines = [segment.hypothesis, segment.source or "", *segment.references]
    words, source, *references = block_text([lines], tokenize, lowercase=True).split("\n")[:-1]
    known = {word for line in references for word in line.split()}
    foreign = {word for word in source.split() if word.isalpha()} - known
    left = sum(word in foreign for word in words.split())
    return left


def _view(view: View, references: Texts, outputs: Sequence[str], tokenize: str) -> FloatArray:
    """``[segment, column]``: precision, recall and F of each order."""

    def count(some_references: Texts, some_outputs: Texts) -> FloatArray:
        parts = [_prf(view, reference, some_outputs[0], tokenize) for reference in some_references]
        stacked = np.stack(parts)  # [reference, segment, order, 3]
        best = stacked[..., 2].argmax(axis=0)
        chosen: FloatArray = np.take_along_axis(stacked, best[None, ..., None], axis=0)[0]
        return chosen.reshape(1, len(some_outputs[0]), -1)

    columns: FloatArray = count_in_blocks(count, references, [outputs])[0]
    return columns


def _prf(view: View, reference: Sequence[str], outputs: Sequence[str], tokenize: str) -> FloatArray:
    text = view.transform(block_text([reference, outputs], tokenize))
    matches, lengths = ngram_matches(Block(text, len(outputs), 1, 1), view.orders, characters=view.characters)
    steps = np.arange(view.orders)
    own = np.maximum(lengths.systems[0][:, None] - steps, 0).astype(float)
    theirs = np.maximum(lengths.references[0][:, None] - steps, 0).astype(float)
    shared = matches[0].astype(float)
    return np.stack([divide(shared, own), divide(shared, theirs), divide(2 * shared, own + theirs)], axis=-1)


def _lengths(references: Texts, outputs: Sequence[str], tokenize: str) -> list[FloatArray]:
    """How much too short and too long, as logarithms ≤ 0 of the ratio to the nearest reference."""
    columns: list[FloatArray] = []
    for characters in (False, True):
        own = _sizes(outputs, tokenize, characters)
        ratios = np.log(np.stack([own / _sizes(reference, tokenize, characters) for reference in references]))
        nearest = np.take_along_axis(ratios, np.abs(ratios).argmin(axis=0)[None], axis=0)[0]
        columns += [np.minimum(nearest, 0.0), np.minimum(-nearest, 0.0)]
    return columns


def _sizes(lines: Sequence[str], tokenize: str, characters: bool) -> FloatArray:
    """Lengths in words or characters; an empty line counts as one, so that ratios stay finite."""
    words = [line.split() for line in block_text([lines], tokenize).split("\n")[: len(lines)]]
    sizes = [sum(map(len, line)) if characters else len(line) for line in words]
    return np.maximum(np.array(sizes, dtype=np.float64), 1.0)


@lru_cache(maxsize=500_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@cache
def _stemmer() -> Any:  # Any: NLTK ships no types
    return import_lightly("nltk.stem.snowball").SnowballStemmer("english")
