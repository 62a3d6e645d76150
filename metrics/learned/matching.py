"""Fine-grained overlap with the references: precision, recall and F of n-grams, in several views.

A metric is a fixed combination of such numbers, whereas a learner finds its own weights. A *view* is a form
of the text: words, lower-case words or (English) stems; characters without white space, or lower-case
characters with it. Feature ``stems-2-r`` is the recall of pairs of stems. Of several references the one with
the highest F counts, for each order. Higher is better for every feature: ``copied`` is minus the number of
words left in the source language, ``…-short`` and ``…-long`` are 0 for the right length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import numpy as np

from metrics.base import Segment
from metrics.lexical.blocks import Block, Texts, count_in_blocks, ngram_matches
from metrics.lexical.core import divide
from metrics.lexical.tokenizers import block_text
from metrics.metaeval.datasets import FloatArray

SPACE = "\u2581"  # replaces spaces that count


@dataclass(frozen=True, slots=True)
class TextView:
    """A form of the text: the number of orders, and the transformation of a tokenised block."""

    orders: int
    characters: bool
    transform: Callable[[str], str]

    def names(self, view: str) -> tuple[str, ...]:
        return tuple(f"{view}-{order}-{part}" for order in range(1, self.orders + 1) for part in "prf")


def _stem_lines(text: str) -> str:
    return "\n".join(" ".join(map(_stem, line.split())) for line in text.lower().split("\n"))


def _mark_spaces(text: str) -> str:
    return "\n".join(SPACE.join(line.split()) for line in text.lower().split("\n"))


VIEWS = {
    "words": TextView(4, False, str),
    "lower": TextView(4, False, str.lower),
    "stems": TextView(3, False, _stem_lines),
    "characters": TextView(8, True, str),
    "spaced": TextView(8, True, _mark_spaces),
}
OTHERS = ("words-short", "words-long", "characters-short", "characters-long", "copied", "copied-share")
NAMES = (*(name for view, seen in VIEWS.items() for name in seen.names(view)), *OTHERS)


def match_features(segments: Sequence[Segment], tokenize: str) -> dict[str, FloatArray]:
    """Return every feature of ``NAMES``; all segments have the same number of references.

    >>> values = match_features([Segment("he walked", ("he walks a dog",), "er ging")], "13a")
    >>> [float(values[name][0]) for name in ("words-1-p", "words-1-r", "stems-1-p", "stems-2-p")]
    [0.5, 0.25, 1.0, 1.0]
    """
    outputs = [segment.hypothesis for segment in segments]
    references = list(zip(*(segment.references for segment in segments), strict=True))
    features: dict[str, FloatArray] = {}
    for name, view in VIEWS.items():
        columns = _view(view, references, outputs, tokenize)
        features |= dict(zip(view.names(name), columns.T, strict=True))
    for name, column in zip(OTHERS, _lengths(references, outputs, tokenize), strict=False):
        features[name] = column
    features["copied"] = np.array(
        [-count_copied(segment, tokenize) for segment in segments], dtype=np.float64
    )
    features["copied-share"] = features["copied"] / _sizes(outputs, tokenize, characters=False)
    return features


def count_copied(segment: Segment, tokenize: str) -> int:
    """Count the output words that occur in the source and in no reference, probably not translated.

    Only words of letters count; numbers and punctuation are the same in many languages.

    >>> count_copied(Segment("the Hund barks", ("the dog barks",), "der Hund bellt"), "none")
    1
    """
    lines = [segment.hypothesis, segment.source or "", *segment.references]
    words, source, *references = block_text([lines], tokenize, lowercase=True).split("\n")[:-1]
    known = {word for line in references for word in line.split()}
    foreign = {word for word in source.split() if word.isalpha()} - known
    return sum(word in foreign for word in words.split())


def _view(view: TextView, references: Texts, outputs: Sequence[str], tokenize: str) -> FloatArray:
    """Return ``[segment, column]``: precision, recall and F of each order."""

    def count(some_references: Texts, some_outputs: Texts) -> FloatArray:
        parts = [_prf(view, reference, some_outputs[0], tokenize) for reference in some_references]
        stacked = np.stack(parts)  # [reference, segment, order, 3]
        best = stacked[..., 2].argmax(axis=0)
        chosen: FloatArray = np.take_along_axis(stacked, best[None, ..., None], axis=0)[0]
        return chosen.reshape(1, len(some_outputs[0]), -1)

    return np.asarray(count_in_blocks(count, references, [outputs])[0])


def _prf(view: TextView, reference: Sequence[str], outputs: Sequence[str], tokenize: str) -> FloatArray:
    text = view.transform(block_text([reference, outputs], tokenize))
    matches, lengths = ngram_matches(Block(text, len(outputs), 1, 1), view.orders, characters=view.characters)
    steps = np.arange(view.orders)
    own = np.maximum(lengths.systems[0][:, None] - steps, 0).astype(float)
    theirs = np.maximum(lengths.references[0][:, None] - steps, 0).astype(float)
    shared = matches[0].astype(float)
    return np.stack([divide(shared, own), divide(shared, theirs), divide(2 * shared, own + theirs)], axis=-1)


def _lengths(references: Texts, outputs: Sequence[str], tokenize: str) -> list[FloatArray]:
    """Return by how much outputs are too short and too long: log ratios ≤ 0 to the nearest reference."""
    columns: list[FloatArray] = []
    for characters in (False, True):
        own = _sizes(outputs, tokenize, characters)
        ratios = np.log(np.stack([own / _sizes(reference, tokenize, characters) for reference in references]))
        nearest = np.take_along_axis(ratios, np.abs(ratios).argmin(axis=0)[None], axis=0)[0]
        columns += [np.minimum(nearest, 0.0), np.minimum(-nearest, 0.0)]
    return columns


def _sizes(lines: Sequence[str], tokenize: str, characters: bool) -> FloatArray:
    """Return lengths in words or characters; an empty line counts as one, so that ratios are finite."""
    words = [line.split() for line in block_text([lines], tokenize).split("\n")[: len(lines)]]
    sizes = [sum(map(len, line)) if characters else len(line) for line in words]
    return np.maximum(np.array(sizes, dtype=np.float64), 1.0)


@lru_cache(maxsize=500_000)
def _stem(word: str) -> str:
    return str(_stemmer().stem(word))


@cache
def _stemmer() -> Any:  # Any: NLTK ships no types
    from nltk.stem.snowball import SnowballStemmer  # here, because it is slow to import

    return SnowballStemmer("english")
