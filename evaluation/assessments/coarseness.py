"""The same differences cut into larger and larger units, from questions to whole sentences.

``question`` is what an import asks. ``join-k`` joins neighbouring differences over at most k shared tokens;
``sentence`` compares the two sentences as wholes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import group_questions, list_runs
from evaluation.alignment.values import Kind, Phrase, PhraseAlignment, Span

QUESTION, SENTENCE = "question", "sentence"
JOINED = {f"join-{k}": k for k in (1, 2, 3, 5)}
COARSENESS_LEVELS = (QUESTION, *JOINED, SENTENCE)

Runs = tuple[Span, ...]


class StudyUnit(NamedTuple):
    """A unit by its runs of tokens on both sides."""

    a: Runs
    b: Runs


def cut_alignment(alignment: PhraseAlignment, rules: QuestionRules) -> dict[str, list[StudyUnit]]:
    """The units of an alignment at every level."""
    groups = [group.phrases for group in group_questions(alignment, rules)]
    levels = {QUESTION: _units(alignment, groups)}
    for name, k in JOINED.items():
        levels[name] = _units(alignment, list(join_differences_over(alignment.phrases, k)))
    sentence = StudyUnit(((0, len(alignment.a)),), ((0, len(alignment.b)),))
    levels[SENTENCE] = [sentence]
    return levels


def join_differences_over(phrases: Sequence[Phrase], k: int) -> Iterator[tuple[int, ...]]:
    """The phrases of each unit if neighbouring differences are joined over at most k shared tokens.

    >>> from evaluation.alignment import align
    >>> phrases = align("a red big house".split(), "a blue big home".split()).phrases
    >>> list(join_differences_over(phrases, 1)), list(join_differences_over(phrases, 0))
    ([(1, 2, 3)], [(1,), (3,)])
    """
    unit: list[int] = []
    between: list[int] = []
    shared = 0
    for number, phrase in enumerate(phrases):
        if not differs(phrase):
            between.append(number)
            shared += phrase.a[1] - phrase.a[0] if phrase.a else 0
            continue
        if unit and shared > k:
            yield tuple(unit)
            unit, between = [], []
        unit += [*(between if unit else ()), number]
        between, shared = [], 0
    if unit:
        yield tuple(unit)


def differs(phrase: Phrase) -> bool:
    """Whether a phrase differs or moved."""
    return phrase.kind is not Kind.SHARED or phrase.moved


def _units(alignment: PhraseAlignment, groups: Sequence[Sequence[int]]) -> list[StudyUnit]:
    return [StudyUnit(list_runs(alignment, group, "a"), list_runs(alignment, group, "b")) for group in groups]
