"""Places over any number of candidates: one position of all candidates, with the variants that occur there.

Every candidate is aligned with one of them, the pivot, which shares most words with all others. The pivot is
cut wherever some candidate begins or stops to differ, but never inside a different phrase of another
candidate; the words of each candidate then belong to the place of the pivot words that they are aligned with.
Words without a counterpart in the pivot get a place of their own. Every word of every candidate is in exactly
one place, and the order of the candidates does not matter.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.alignment.aligners import WordAligner
from evaluation.alignment.phrases import align
from evaluation.alignment.values import Kind, Phrase, Span, join_spans

PlaceCell = tuple[Span, ...]
"""The words of one candidate at one place, as spans in its own order; usually one span, or none."""
Piece = tuple[int, int, Span]
"""The aligned pivot words [start, end) and the candidate's words; start = end for an insertion."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording, and the numbers of the candidates that have it."""

    words: tuple[str, ...]
    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """One cell per candidate, and the distinct wordings, the most frequent first."""

    cells: tuple[PlaceCell, ...]
    variants: tuple[Variant, ...]


def find_places(
    candidates: Sequence[Sequence[str]], *, aligner: WordAligner | None = None
) -> tuple[Place, ...]:
    """Return the places of several candidates of one item, given as tokens.

    >>> for place in find_places(["the red house".split(), "the blue house".split(), "the red home".split()]):
    ...     print([(" ".join(variant.words), variant.candidates) for variant in place.variants])
    [('the', (0, 1, 2))]
    [('red', (0, 2)), ('blue', (1,))]
    [('house', (0, 1)), ('home', (2,))]
    """
    texts = [tuple(candidate) for candidate in candidates]
    if not texts:
        return ()
    pivot = texts[_choose_pivot(texts)]
    phrases = [align(pivot, text, aligner=aligner).phrases for text in texts]
    cuts = _find_cuts(phrases, len(pivot))
    pieces = [_split_phrases(own, cuts) for own in phrases]
    spans = sorted({piece[:2] for own in pieces for piece in own} | set(itertools.pairwise(cuts)))
    return tuple([_build_place(span, pieces, texts) for span in spans])


def _choose_pivot(texts: Sequence[tuple[str, ...]]) -> int:
    """Return the candidate that shares most words with the others; among equals the text that sorts first."""
    bags = [Counter(text) for text in texts]

    def cost(k: int) -> tuple[int, tuple[str, ...]]:
        return -sum((bags[k] & bag).total() for bag in bags), texts[k]

    return min(range(len(texts)), key=cost)


def _find_cuts(phrases: Sequence[Sequence[Phrase]], length: int) -> list[int]:
    """Return the positions in the pivot at which places meet, edges included."""
    cuts = {0, length}
    forbidden: set[int] = set()
    for own in phrases:
        for phrase in own:
            if phrase.a is not None:
                if phrase.kind is not Kind.SHARED or phrase.moved:
                    cuts.update(phrase.a)
                if phrase.kind is Kind.DIFFERENT:
                    forbidden.update(range(phrase.a[0] + 1, phrase.a[1]))
            else:
                cuts.add(_insertion_point(own, phrase))
    return sorted(cuts - forbidden)


def _insertion_point(own: Sequence[Phrase], insertion: Phrase) -> int:
    """Return the pivot position of an insertion: after the phrase that precedes it."""
    number = own.index(insertion)
    before = own[number - 1].a if number else None
    return before[1] if before else 0


def _split_phrases(own: Sequence[Phrase], cuts: list[int]) -> list[Piece]:
    """Split a candidate's phrases at the cuts."""
    pieces: list[Piece] = []
    for phrase in own:
        if phrase.b is None:
            continue
        if phrase.a is None:
            point = _insertion_point(own, phrase)
            span = (point, point) if point in cuts else _enclosing_span((point, point), cuts)
            pieces.append((*span, phrase.b))
        elif phrase.kind is Kind.DIFFERENT:
            pieces.append((*_enclosing_span(phrase.a, cuts), phrase.b))
        else:
            pieces += _split_shared(phrase.a, phrase.b[0] - phrase.a[0], cuts)
    return pieces


def _enclosing_span(span: Span, cuts: list[int]) -> Span:
    return max(x for x in cuts if x <= span[0]), min(x for x in cuts if x >= span[1])


def _split_shared(span: Span, shift: int, cuts: list[int]) -> list[Piece]:
    inner = [span[0], *[x for x in cuts if span[0] < x < span[1]], span[1]]
    return [(*_enclosing_span((x, y), cuts), (x + shift, y + shift)) for x, y in itertools.pairwise(inner)]


def _build_place(span: Span, pieces: Sequence[list[Piece]], texts: Sequence[tuple[str, ...]]) -> Place:
    cells = tuple([tuple(join_spans(piece[2] for piece in own if piece[:2] == span)) for own in pieces])
    wordings: dict[tuple[str, ...], list[int]] = {}
    for number, (cell, text) in enumerate(zip(cells, texts, strict=True)):
        wordings.setdefault(tuple([word for part in cell for word in text[slice(*part)]]), []).append(number)
    variants = [Variant(words, tuple(numbers)) for words, numbers in wordings.items()]
    variants.sort(key=lambda variant: (-len(variant.candidates), variant.words))
    return Place(cells, tuple(variants))
