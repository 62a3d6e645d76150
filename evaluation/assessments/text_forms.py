"""The same text in two Unicode forms: whether two texts say the same, and where offsets go.

A rating may have been made on a text in another normal form, or with other spaces, than the stored one. Its
offsets then count other characters. ``find_difference`` says whether two texts are the same in content, and
``move_spans`` moves the spans from one to the other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum

from evaluation.assessments.values import MarkedSpan

_INVISIBLE = {"\ufeff", "\u200b", "\u2060", "\u00ad"}


class TextDifference(StrEnum):
    """How two texts differ."""

    NONE = "none"
    FORM = "form"  # in Unicode form or spaces only: spans can be moved
    CONTENT = "content"


def find_difference(one: str, other: str) -> TextDifference:
    """Compare two texts.

    >>> find_difference("Fu\\u0308ße", "Füße"), find_difference("Füße", "Fuße")
    (<TextDifference.FORM: 'form'>, <TextDifference.CONTENT: 'content'>)
    """
    if one == other:
        return TextDifference.NONE
    same = _content(one)[0] == _content(other)[0]
    return TextDifference.FORM if same else TextDifference.CONTENT


def move_spans(spans: Iterable[MarkedSpan], here: str, there: str) -> tuple[MarkedSpan, ...]:
    """Move spans of one text to another with the same content; spans of the source stay.

    >>> (span,) = move_spans([MarkedSpan("minor", "", 4, 5)], "Fu\\u0308ße", "Füße")
    >>> span.start, span.end
    (3, 4)
    """
    content, places_here = _content(here)
    other, places_there = _content(there)
    if content != other:
        raise ValueError("the texts differ in content")
    return tuple(
        span
        if span.start is None or span.end is None or span.side != "target"
        else replace(
            span,
            start=_move_start(span.start, places_here, places_there, len(there)),
            end=_move_end(span.start, span.end, places_here, places_there, len(there)),
        )
        for span in spans
    )


Places = list[tuple[int, int]]  # of each character of the content, its first and last place in the text


def _content(text: str) -> tuple[str, Places]:
    """What a reader sees: normalised letters without spaces and invisible characters, with their places.

    A letter and its combining marks are normalised together and have one place.
    """
    content: list[str] = []
    places: Places = []
    for start, end in _clusters(text):
        for letter in unicodedata.normalize("NFKC", text[start:end]):
            if not letter.isspace() and letter not in _INVISIBLE:
                content.append(letter)
                places.append((start, end))
    return "".join(content), places


def _clusters(text: str) -> Places:
    """The characters of a text, each with the marks that combine with it."""
    clusters: Places = []
    for place, letter in enumerate(text):
        is_mark = unicodedata.combining(letter) or _joins_syllable(letter)
        if clusters and is_mark:
            clusters[-1] = clusters[-1][0], place + 1
        else:
            clusters.append((place, place + 1))
    return clusters


def _joins_syllable(letter: str) -> bool:
    """Whether a Hangul vowel or final belongs to the letter before it."""
    return "\u1160" <= letter <= "\u11ff"


def _move_start(start: int, here: Places, there: Places, size: int) -> int:
    return next((there[n][0] for n, (_, end) in enumerate(here) if end > start), size)


def _move_end(start: int, end: int, here: Places, there: Places, size: int) -> int:
    moved = [there[n][1] for n, (first, last) in enumerate(here) if first < end and last > start]
    return max(moved) if moved else _move_start(start, here, there, size)
