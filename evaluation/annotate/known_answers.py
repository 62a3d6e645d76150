"""Questions with known answers: attention checks and the practice round.

An attention check compares a translation with a copy in which some words were replaced, so an attentive
annotator prefers the original. The number of replaced words follows the “bad references” of Graham, Baldwin,
Moffat and Zobel (2013): enough to be clearly wrong, few enough that the sentence must be read. The words come
from another sentence of the same set, so that vocabulary and spelling do not give the check away.

An exercise of the practice round compares a text with such a copy, with a copy that lacks some words, or with
itself; or it is a question written by a manager. Answers of the practice round are not judgements. All random
choices depend on the seed only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from appraise.lib.digests import text_digest
from evaluation.presentation import Sheet, ShownPhrase, Stave, sheet
from evaluation.schemes import Choice, Scheme
from evaluation.tokens import is_punctuation, offsets, tokenize

MOST_PERCENT = 10
EXERCISES = 5
Span = tuple[int, int]


def has_check(number: int, percent: int) -> bool:
    """Return whether a check is added for the ``number``-th comparison (from 0), for ``percent`` of them.

    >>> [n for n in range(60) if has_check(n, 5)]
    [19, 39, 59]
    """
    return (number + 1) * percent // 100 > number * percent // 100


def count_damaged_words(length: int) -> int:
    """Return how many of ``length`` words are replaced.

    >>> [count_damaged_words(n) for n in (1, 2, 5, 6, 9, 16, 20, 21, 40)]
    [1, 2, 2, 3, 4, 5, 5, 5, 10]
    """
    for most, words in ((1, 1), (5, 2), (8, 3), (15, 4), (20, 5)):
        if length <= most:
            return words
    return length // 4


def damage_text(stave: Stave, donor: Sequence[str], seed: str) -> str | None:
    """Replace some adjacent words by words of the donor; None if nothing can be replaced.

    Without a donor (a set of one sentence) the words are reversed.

    >>> from evaluation.tokens import split
    >>> damage_text(Stave("a b c d e f .", split("a b c d e f .")), ["v", "w", "x", "y"], "1")
    'a b v w x f .'
    """
    own = stave.words
    places = [number for number, word in enumerate(own) if not is_punctuation(word)]
    if not places:
        return None
    size = min(count_damaged_words(len(places)), len(places))
    first = pick_number(len(places) - size + 1, "place", seed, stave.text)
    run = [own[number] for number in places[first : first + size]]
    words = [word for word in donor if not is_punctuation(word)] or run[::-1]
    begin = pick_number(max(1, len(words) - size + 1), "words", seed, stave.text)
    start, end = stave.spans[places[first]][0], stave.spans[places[first + size - 1]][1]
    glue = " " if " " in stave.text else ""
    text = stave.text[:start] + glue.join(words[begin : begin + size]) + stave.text[end:]
    return text if text != stave.text else None


def expected_choice(untouched: str, damaged: str) -> Choice:
    """Return the choice of an attentive annotator; the lexically smaller text is A.

    >>> expected_choice("the cat", "a dog the cat")
    <Choice.B_BETTER: 'A<B'>
    """
    return Choice.A_BETTER if untouched < damaged else Choice.B_BETTER


def pick_number(below: int, *parts: str) -> int:
    """Return a pseudo-random number from 0 to ``below`` - 1 that depends on ``parts`` only."""
    return int(text_digest(*parts)[:12], 16) % below


class ExpectedReason(StrEnum):
    """Why the expected choice is correct."""

    DAMAGED = "damaged"
    MISSING = "missing"
    MOVED = "moved"
    SAME = "same"
    OWN = "own"


REASONS = (
    ExpectedReason.DAMAGED,
    ExpectedReason.SAME,
    ExpectedReason.MISSING,
    ExpectedReason.MOVED,
    ExpectedReason.DAMAGED,
)
"""The kinds of exercises, in the order of the practice round."""


class Grade(StrEnum):
    RIGHT = "right"
    CLOSE = "close"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class PracticeMaterial:
    """A sentence to make an exercise from: the texts shown above, and a good translation."""

    above: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Exercise:
    """``expected`` is the choice with the first text as A; ``spans`` is where the texts differ.

    Where words are ``moved``, the first text begins with them, and the second has them behind all others.
    """

    above: tuple[str, ...]
    first: Stave
    second: Stave
    spans: tuple[Span, Span]
    expected: Choice
    reason: ExpectedReason
    why: str = ""
    moved: int = 0

    def lay_out(self, *, swapped: bool, by_place: bool = False) -> Sheet:
        """Return the exercise as the annotation page shows a comparison, with a single card."""
        if self.moved and not by_place:
            length, end = len(self.first.spans), self.spans[0][1]
            run = ShownPhrase((0, self.moved), (end - self.moved, end), True, True)
            rest = ShownPhrase((self.moved, end), (0, end - self.moved), True, False)
            tail = [ShownPhrase((end, length), (end, length), True, False)] if end < length else []
            return sheet(self.first, self.second, [run, rest, *tail], {0: 0}, swapped=swapped)
        (start, end), (_, other_end) = self.spans
        sides = [span if span[0] < span[1] else None for span in self.spans]
        before = [ShownPhrase((0, start), (0, start), True, False)] if start else []
        tails = (end, len(self.first.spans)), (other_end, len(self.second.spans))
        after = [ShownPhrase(*tails, True, False)] if end < len(self.first.spans) else []
        phrases = [*before, ShownPhrase(sides[0], sides[1], False, False), *after]
        return sheet(self.first, self.second, phrases, {len(before): len(before)}, swapped=swapped)


def make_exercises(
    materials: Sequence[PracticeMaterial],
    scheme: Scheme,
    *,
    language: str = "",
    seed: str = "1",
    size: int = EXERCISES,
) -> list[Exercise]:
    """Return up to ``size`` exercises, cycling through the materials; none without material.

    >>> from evaluation.schemes import FOUR_WAY
    >>> materials = [PracticeMaterial(("Das Haus.",), "The house is small and red .")]
    >>> [(str(e.reason), str(e.expected)) for e in make_exercises(materials, FOUR_WAY, size=3)]
    [('damaged', 'A>B'), ('same', 'A=B'), ('missing', 'A>B')]
    """
    exercises = []
    for number in range(size if materials else 0):
        material = materials[number % len(materials)]
        donor = materials[(number + 1) % len(materials)]
        words = () if donor is material else tokenize(donor.text, language)
        reason = REASONS[number % len(REASONS)]
        exercise = _make_exercise(material, reason, words, scheme, language, f"{seed} {number}")
        if exercise is not None:
            exercises.append(exercise)
    return exercises


def make_own_exercise(
    above: str, first: str, second: str, expected: Choice, why: str, *, language: str = ""
) -> Exercise:
    """Return an exercise from a question that a manager has written."""
    staves = Stave(first, offsets(first, language)), Stave(second, offsets(second, language))
    spans = find_difference(staves[0].words, staves[1].words)
    if all(start == end for start, end in spans):  # spaces alone differ
        spans = (0, len(staves[0].spans)), (0, len(staves[1].spans))
    return Exercise((above,) if above else (), *staves, spans, expected, ExpectedReason.OWN, why)


def grade_answer(choice: Choice, expected: Choice) -> Grade:
    """
    >>> str(grade_answer(Choice.A_BETTER, Choice.A_MUCH_BETTER))
    'close'
    """
    if choice is expected:
        return Grade.RIGHT
    return Grade.CLOSE if choice.collapsed is expected.collapsed else Grade.WRONG


def find_difference(a: Sequence[str], b: Sequence[str]) -> tuple[Span, Span]:
    """Return the smallest span of each text that contains every difference.

    >>> find_difference("the red house".split(), "the house".split())
    ((1, 2), (1, 1))
    """
    shorter = min(len(a), len(b))
    start = next((n for n in range(shorter) if a[n] != b[n]), shorter)
    rest = shorter - start
    tail = next((n for n in range(rest) if a[-1 - n] != b[-1 - n]), rest)
    return (start, len(a) - tail), (start, len(b) - tail)


def _make_exercise(
    material: PracticeMaterial,
    reason: ExpectedReason,
    donor: Sequence[str],
    scheme: Scheme,
    language: str,
    seed: str,
) -> Exercise | None:
    original = Stave(material.text, offsets(material.text, language))
    much = scheme.preferences[-1]
    if reason is ExpectedReason.SAME:
        span = _pick_words(original, seed)
        return (
            Exercise(material.above, original, original, (span, span), Choice.EQUAL, reason) if span else None
        )
    if reason is ExpectedReason.MOVED:
        return _move_words(material, original, scheme.preferences[0], language)
    worse = (
        damage_text(original, donor, seed)
        if reason is ExpectedReason.DAMAGED
        else _shorten_text(original, seed)
    )
    if worse is None:
        return None
    second = Stave(worse, offsets(worse, language))
    spans = find_difference(original.words, second.words)
    return Exercise(material.above, original, second, spans, much, reason)


def _move_words(material: PracticeMaterial, stave: Stave, expected: Choice, language: str) -> Exercise | None:
    """Return an exercise with the first words behind the others; None if there are too few."""
    end = max((n + 1 for n, word in enumerate(stave.words) if not is_punctuation(word)), default=0)
    size = count_damaged_words(end)
    if size >= end:
        return None
    glue = " " if " " in stave.text else ""
    text = stave.slice((size, end)) + glue + stave.slice((0, size)) + stave.text[stave.spans[end - 1][1] :]
    moved = Stave(text, offsets(text, language))
    if text == stave.text or len(moved.spans) != len(stave.spans):  # equal words, or others where they touch
        return None
    spans = (0, end), (0, end)
    return Exercise(material.above, stave, moved, spans, expected, ExpectedReason.MOVED, moved=size)


def _shorten_text(stave: Stave, seed: str) -> str | None:
    """Remove some adjacent words; None if nothing would be left."""
    span = _pick_words(stave, seed)
    if span is None or span[1] - span[0] == len(stave.spans):
        return None
    start, end = stave.spans[span[0]][0], stave.spans[span[1] - 1][1]
    text = stave.text[:start].rstrip() + stave.text[end:]
    return text.lstrip() if text.strip() else None


def _pick_words(stave: Stave, seed: str) -> Span | None:
    """Pick a few adjacent words by the seed; None if there are too few."""
    words = [not is_punctuation(word) for word in stave.words]
    size = count_damaged_words(sum(words))
    places = [n for n in range(len(words) - size + 1) if all(words[n : n + size])]
    if not places:
        return None
    first = places[pick_number(len(places), "practice", seed, stave.text)]
    return first, first + size
