"""Composites: one sentence of two, with the words of A at some questions and those of B at the others.

A composite begins as A. Where B is chosen, the phrases of the question get the words of B, and those that
moved or that only B has get the place that they have in B, after the same phrase as there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from evaluation.alignment.values import PhraseAlignment, Span
from evaluation.tokens import is_punctuation


class ComposedRun(NamedTuple):
    """Neighbouring tokens of one side."""

    is_b: bool
    span: Span


class Composite(NamedTuple):
    """A text, which side it is based on, and at how many questions it has the words of the other side."""

    text: str
    is_b: bool
    taken: int


class SpacedText(NamedTuple):
    """A text with the offsets of its tokens."""

    text: str
    offsets: tuple[Span, ...]

    def token(self, number: int) -> str:
        return self.text[slice(*self.offsets[number])]

    def space_before(self, number: int) -> str | None:
        """What stands between a token and the one before; None at the edges."""
        if not 0 < number < len(self.offsets):
            return None
        return self.text[self.offsets[number - 1][1] : self.offsets[number][0]]


def compose_sentence(alignment: PhraseAlignment, chosen: Collection[int]) -> tuple[ComposedRun, ...]:
    """Return A with the phrases whose numbers are ``chosen`` taken from B.

    >>> from evaluation.alignment import align
    >>> alignment = align("the red house fell".split(), "the blue home fell".split())
    >>> [(run.is_b, run.span) for run in compose_sentence(alignment, [1, 2])]
    [(False, (0, 1)), (True, (1, 3)), (False, (3, 4))]
    """
    runs: list[ComposedRun] = []
    for number in _order_phrases(alignment, chosen):
        phrase, is_b = alignment.phrases[number], number in chosen
        span = phrase.b if is_b else phrase.a
        if span is None:
            continue
        if runs and runs[-1].is_b == is_b and runs[-1].span[1] == span[0]:
            runs[-1] = ComposedRun(is_b, (runs[-1].span[0], span[1]))
        else:
            runs.append(ComposedRun(is_b, span))
    return tuple(runs)


def _order_phrases(alignment: PhraseAlignment, chosen: Collection[int]) -> list[int]:
    phrases = alignment.phrases
    order = [number for _, number in sorted((p.a, n) for n, p in enumerate(phrases) if p.a is not None)]
    before: int | None = None
    for _, number in sorted((p.b, n) for n, p in enumerate(phrases) if p.b is not None):
        if number in chosen and (phrases[number].moved or phrases[number].a is None):
            if phrases[number].a is not None:
                order.remove(number)
            order.insert(0 if before is None else order.index(before) + 1, number)
        if number in chosen or phrases[number].a is not None:
            before = number
    return order


def compose_preferred(
    alignment: PhraseAlignment, a: SpacedText, b: SpacedText, leads: Mapping[tuple[int, ...], int]
) -> Composite:
    """Compose from the votes on each question: those for A minus those for B, by the numbers of its phrases.

    The side with more votes in all is the base (A if equal); it also has the questions without a majority.
    """
    is_b = sum(leads.values()) < 0
    taken = [phrases for phrases, lead in leads.items() if (lead > 0 if is_b else lead < 0)]
    sides = (b, a) if is_b else (a, b)
    if is_b:
        alignment = replace(alignment, phrases=tuple(phrase.mirrored for phrase in alignment.phrases))
    runs = compose_sentence(alignment, {number for phrases in taken for number in phrases})
    return Composite(write_composite(runs, *sides) if taken else sides[0].text, is_b, len(taken))


def write_composite(runs: Collection[ComposedRun], a: SpacedText, b: SpacedText) -> str:
    """Return the text of a composite, spaced like its parts and with a capital where A begins with one.

    >>> a, b = SpacedText("Hm, yes.", ((0, 2), (2, 3), (4, 7), (7, 8))), SpacedText("so no", ((0, 2), (3, 5)))
    >>> runs = [ComposedRun(True, (0, 1)), ComposedRun(False, (1, 2)), ComposedRun(True, (1, 2))]
    >>> write_composite(runs, a, b)
    'So, no'
    """
    pieces: list[str] = []
    last: tuple[SpacedText, int] | None = None
    for is_b, (start, end) in runs:
        side = b if is_b else a
        if last is not None:
            pieces.append(_choose_space(last, (side, start)))
        pieces.append(side.text[side.offsets[start][0] : side.offsets[end - 1][1]])
        last = side, end - 1
    text = "".join(pieces)
    return text[:1].upper() + text[1:] if a.text.lstrip()[:1].isupper() else text


def _choose_space(left: tuple[SpacedText, int], right: tuple[SpacedText, int]) -> str:
    """Punctuation keeps the space that it had; between words stands the wider of their spaces."""
    after, before = left[0].space_before(left[1] + 1), right[0].space_before(right[1])
    if is_punctuation(right[0].token(right[1])) and before is not None:
        return before
    if is_punctuation(left[0].token(left[1])) and after is not None:
        return after
    return max((space for space in (after, before) if space is not None), key=len, default=" ")
