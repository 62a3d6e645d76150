"""The practice round: a few questions whose right answer is known.

A text beside a copy with foreign words in it, beside a copy with words left out, beside itself: what a
careful person says is beyond doubt, in any language. Made from the sentences of the task, by its seed, with
the damage of attention checks; or the organiser's own questions. Answers given here are not judgements.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from evaluation.checks import damaged, damaged_words, draw
from evaluation.presentation import Phrase, Sheet, Stave, sheet
from evaluation.schemes import Choice, Scheme
from evaluation.tokens import is_punctuation, offsets, tokenize

SIZE = 5
Span = tuple[int, int]


class Reason(StrEnum):
    """Why the expected answer is the right one."""

    DAMAGED = "damaged"
    MISSING = "missing"
    SAME = "same"
    OWN = "own"


class Grade(StrEnum):
    RIGHT = "right"
    CLOSE = "close"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Material:
    """A sentence that a question can be made from: what stands on top, and a good text."""

    above: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """``expected`` is the verdict on the first and the second text; ``spans`` is where they differ."""

    above: tuple[str, ...]
    first: Stave
    second: Stave
    spans: tuple[Span, Span]
    expected: Choice
    reason: Reason
    why: str = ""

    def shown(self, *, swapped: bool) -> Sheet:
        """The question as the annotation page shows a comparison, with a single card."""
        (start, end), (_, other_end) = self.spans
        sides = [span if span[0] < span[1] else None for span in self.spans]
        before = [Phrase((0, start), (0, start), True, False)] if start else []
        tails = (end, len(self.first.spans)), (other_end, len(self.second.spans))
        after = [Phrase(*tails, True, False)] if end < len(self.first.spans) else []
        phrases = [*before, Phrase(sides[0], sides[1], False, False), *after]
        return sheet(self.first, self.second, phrases, {len(before)}, swapped=swapped)


def questions(
    materials: Sequence[Material], scheme: Scheme, *, language: str = "", seed: str = "1", size: int = SIZE
) -> list[Question]:
    """Up to ``size`` questions, one for each material in turn; none where there is no material.

    >>> from evaluation.schemes import FOUR_WAY
    >>> made = questions([Material(("Das Haus.",), "The house is small and red .")], FOUR_WAY, size=3)
    >>> [(str(one.reason), str(one.expected)) for one in made]
    [('damaged', 'A>B'), ('same', 'A=B'), ('missing', 'A>B')]
    """
    kinds = (Reason.DAMAGED, Reason.SAME, Reason.MISSING, Reason.DAMAGED, Reason.MISSING)
    made = []
    for number in range(size if materials else 0):
        material = materials[number % len(materials)]
        donor = materials[(number + 1) % len(materials)]
        words = () if donor is material else tokenize(donor.text, language)
        reason = kinds[number % len(kinds)]
        if one := _question(material, reason, words, scheme, language, f"{seed} {number}"):
            made.append(one)
    return made


def own_question(
    above: str, first: str, second: str, expected: Choice, why: str, *, language: str = ""
) -> Question:
    """A question that the organiser has written."""
    staves = Stave(first, offsets(first, language)), Stave(second, offsets(second, language))
    spans = difference(staves[0].words, staves[1].words)
    if all(start == end for start, end in spans):  # spaces alone differ
        spans = (0, len(staves[0].spans)), (0, len(staves[1].spans))
    return Question((above,) if above else (), *staves, spans, expected, Reason.OWN, why)


def grade(given: Choice, expected: Choice) -> Grade:
    """
    >>> str(grade(Choice.A_BETTER, Choice.A_MUCH_BETTER)), str(grade(Choice.EQUAL, Choice.A_BETTER))
    ('close', 'wrong')
    """
    if given is expected:
        return Grade.RIGHT
    return Grade.CLOSE if given.collapsed is expected.collapsed else Grade.WRONG


def difference(a: Sequence[str], b: Sequence[str]) -> tuple[Span, Span]:
    """The smallest stretch of each that holds all that differs.

    >>> difference("the red house".split(), "the house".split())
    ((1, 2), (1, 1))
    """
    shorter = min(len(a), len(b))
    start = next((n for n in range(shorter) if a[n] != b[n]), shorter)
    rest = shorter - start
    tail = next((n for n in range(rest) if a[-1 - n] != b[-1 - n]), rest)
    return (start, len(a) - tail), (start, len(b) - tail)


def _question(
    material: Material, reason: Reason, donor: Sequence[str], scheme: Scheme, language: str, seed: str
) -> Question | None:
    whole = Stave(material.text, offsets(material.text, language))
    much = Choice.A_MUCH_BETTER if Choice.A_MUCH_BETTER in scheme.choices else Choice.A_BETTER
    if reason is Reason.SAME:
        span = _run(whole, seed)
        return Question(material.above, whole, whole, (span, span), Choice.EQUAL, reason) if span else None
    worse = damaged(whole, donor, seed) if reason is Reason.DAMAGED else _shortened(whole, seed)
    if worse is None:
        return None
    second = Stave(worse, offsets(worse, language))
    spans = difference(whole.words, second.words)
    return Question(material.above, whole, second, spans, much, reason)


def _shortened(stave: Stave, seed: str) -> str | None:
    """The text without some of its words; None where nothing would be left."""
    span = _run(stave, seed)
    if span is None or span[1] - span[0] == len(stave.spans):
        return None
    start, end = stave.spans[span[0]][0], stave.spans[span[1] - 1][1]
    text = stave.text[:start].rstrip() + stave.text[end:]
    return text.lstrip() if text.strip() else None


def _run(stave: Stave, seed: str) -> Span | None:
    """A few neighbouring words, drawn by the seed."""
    words = [not is_punctuation(word) for word in stave.words]
    size = damaged_words(sum(words))
    places = [n for n in range(len(words) - size + 1) if all(words[n : n + size])]
    if not places:
        return None
    first = places[draw(len(places), "practice", seed, stave.text)]
    return first, first + size
