"""Aligned places over any number of candidates: for each place, the variants that the systems chose.

Every candidate is aligned with one of them, the pivot, which shares most words with all others. The pivot
is cut wherever some candidate begins or stops to differ, but never inside another's differing phrase; each
candidate's words then fall into the slot of the pivot words that they stand for. Words that the pivot lacks
get a slot of their own. Every word of every candidate is in exactly one slot, and the order in which the
candidates are given does not matter.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.alignment.phrases import align
from evaluation.alignment.values import Kind, Phrase, Span
from evaluation.alignment.words import WordAligner

Cell = tuple[Span, ...]
"""The words of one candidate in one slot, as spans in its own order; usually one span, or none."""
Piece = tuple[int, int, Span]
"""Words of a candidate and the pivot words [start, end) that they stand for; start = end for an insertion."""


@dataclass(frozen=True, slots=True)
class Variant:
    """One wording, and the numbers of the candidates that have it."""

    words: tuple[str, ...]
    candidates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Slot:
    """One place: a cell per candidate, and the distinct wordings, the most frequent first."""

    cells: tuple[Cell, ...]
    variants: tuple[Variant, ...]

    @property
    def shared(self) -> bool:
        return len(self.variants) == 1


def slots(candidates: Sequence[Sequence[str]], *, aligner: WordAligner | None = None) -> tuple[Slot, ...]:
    """The aligned places of several candidates of one item.

    >>> for slot in slots(["the red house".split(), "the blue house".split(), "the red home".split()]):
    ...     print([(" ".join(variant.words), variant.candidates) for variant in slot.variants])
    [('the', (0, 1, 2))]
    [('red', (0, 2)), ('blue', (1,))]
    [('house', (0, 1)), ('home', (2,))]
    """
    texts = [tuple(candidate) for candidate in candidates]
    if not texts:
        return ()
    pivot = texts[_pivot(texts)]
    phrases = [align(pivot, text, aligner=aligner).phrases for text in texts]
    cuts = _cuts(phrases, len(pivot))
    pieces = [_pieces(own, cuts) for own in phrases]
    places = sorted({piece[:2] for own in pieces for piece in own} | _spans(cuts))
    return tuple([_slot(place, pieces, texts) for place in places])


def _pivot(texts: Sequence[tuple[str, ...]]) -> int:
    """The candidate that shares most words with the others; among equals the text that sorts first."""
    bags = [Counter(text) for text in texts]

    def strangeness(k: int) -> tuple[int, tuple[str, ...]]:
        return -sum((bags[k] & bag).total() for bag in bags), texts[k]

    return min(range(len(texts)), key=strangeness)


def _cuts(phrases: Sequence[Sequence[Phrase]], length: int) -> list[int]:
    """Positions in the pivot where slots meet, the edges included."""
    wanted = {0, length}
    forbidden: set[int] = set()
    for own in phrases:
        for phrase in own:
            if phrase.a is not None:
                if phrase.kind is not Kind.SHARED or phrase.moved:
                    wanted.update(phrase.a)
                if phrase.kind is Kind.DIFFERENT:
                    forbidden.update(range(phrase.a[0] + 1, phrase.a[1]))
            else:
                wanted.add(_left(own, phrase))
    return sorted(wanted - forbidden)


def _left(own: Sequence[Phrase], insertion: Phrase) -> int:
    """Where in the pivot an insertion belongs: behind what stands before it in its own sentence."""
    place = own.index(insertion)
    before = own[place - 1].a if place else None
    return before[1] if before else 0


def _spans(cuts: list[int]) -> set[tuple[int, int]]:
    return {(x, y) for x, y in itertools.pairwise(cuts)}


def _pieces(own: Sequence[Phrase], cuts: list[int]) -> list[Piece]:
    """The candidate's words, cut where the slots are cut."""
    pieces: list[Piece] = []
    for phrase in own:
        if phrase.b is None:
            continue
        if phrase.a is None:
            pieces.append((*_home(_left(own, phrase), cuts), phrase.b))
        elif phrase.kind is Kind.DIFFERENT:
            pieces.append((*_home_of_span(phrase.a, cuts), phrase.b))
        else:
            pieces += _shared_pieces(phrase.a, phrase.b[0] - phrase.a[0], cuts)
    return pieces


def _home(position: int, cuts: list[int]) -> tuple[int, int]:
    """An insertion's own place, or the slot around it where no cut is allowed."""
    if position in cuts:
        return position, position
    return _home_of_span((position, position), cuts)


def _home_of_span(span: Span, cuts: list[int]) -> tuple[int, int]:
    return max(x for x in cuts if x <= span[0]), min(x for x in cuts if x >= span[1])


def _shared_pieces(span: Span, shift: int, cuts: list[int]) -> list[Piece]:
    inner = [span[0], *[x for x in cuts if span[0] < x < span[1]], span[1]]
    return [(*_home_of_span((x, y), cuts), (x + shift, y + shift)) for x, y in itertools.pairwise(inner)]


def _slot(place: tuple[int, int], pieces: Sequence[list[Piece]], texts: Sequence[tuple[str, ...]]) -> Slot:
    cells = tuple([_merged([piece[2] for piece in own if piece[:2] == place]) for own in pieces])
    wordings: dict[tuple[str, ...], list[int]] = {}
    for number, (cell, text) in enumerate(zip(cells, texts, strict=True)):
        wordings.setdefault(tuple([word for span in cell for word in text[slice(*span)]]), []).append(number)
    variants = [Variant(words, tuple(numbers)) for words, numbers in wordings.items()]
    variants.sort(key=lambda variant: (-len(variant.candidates), variant.words))
    return Slot(cells, tuple(variants))


def _merged(spans: list[Span]) -> Cell:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and merged[-1][1] == start:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return tuple(merged)
