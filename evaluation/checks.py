"""Attention checks: a translation beside a copy of itself in which a phrase was replaced by foreign words.

An attentive person prefers the untouched side, so the right answer is known. How many words are replaced
follows the “bad references” of Graham, Baldwin, Moffat and Zobel (2013): enough to be wrong beyond doubt, few
enough that the sentence must be read. The words come from another sentence of the same set, so that
vocabulary and spelling give nothing away. Everything is drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.digests import text_digest
from evaluation.presentation import Stave
from evaluation.schemes import Choice
from evaluation.tokens import is_punctuation

MOST_PERCENT = 10


def brings_check(number: int, percent: int) -> bool:
    """Whether the ``number``-th comparison (from 0) brings a check; never more than ``percent`` of them do.

    >>> [n for n in range(60) if brings_check(n, 5)]
    [19, 39, 59]
    """
    return (number + 1) * percent // 100 > number * percent // 100


def damaged_words(length: int) -> int:
    """How many of ``length`` words are replaced.

    >>> [damaged_words(n) for n in (1, 2, 5, 6, 9, 16, 20, 21, 40)]
    [1, 2, 2, 3, 4, 5, 5, 5, 10]
    """
    for most, words in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if length <= most:
            return words
    return length // 4


def damaged(stave: Stave, donor: Sequence[str], seed: str) -> str | None:
    """The text with a run of its words replaced by a run of the donor's; None where nothing can be replaced.

    Without a donor (a set of one sentence) the run is written backwards.

    >>> from evaluation.tokens import split
    >>> damaged(Stave("a b c d e f .", split("a b c d e f .")), ["v", "w", "x", "y"], "1")
    'a b v w x f .'
    """
    own = stave.words
    places = [number for number, word in enumerate(own) if not is_punctuation(word)]
    if not places:
        return None
    size = min(damaged_words(len(places)), len(places))
    first = draw(len(places) - size + 1, "place", seed, stave.text)
    run = [own[number] for number in places[first : first + size]]
    words = [word for word in donor if not is_punctuation(word)] or run[::-1]
    begin = draw(max(1, len(words) - size + 1), "words", seed, stave.text)
    start, end = stave.spans[places[first]][0], stave.spans[places[first + size - 1]][1]
    glue = " " if " " in stave.text else ""
    text = stave.text[:start] + glue.join(words[begin : begin + size]) + stave.text[end:]
    return text if text != stave.text else None


def expected(untouched: str, damaged: str) -> Choice:
    """The verdict of an attentive person on the two texts, the smaller first.

    >>> expected("the cat", "a dog the cat")
    <Choice.B_BETTER: 'A<B'>
    """
    return Choice.A_BETTER if untouched < damaged else Choice.B_BETTER


def draw(below: int, *parts: str) -> int:
    """A pseudo-random number from 0 up to ``below``, the same on every machine."""
    return int(text_digest(*parts)[:12], 16) % below
