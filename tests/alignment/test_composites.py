"""Composites of two sentences: whose words they have, in which order, and how they are spaced."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import PhraseAlignment, align, load_aligner
from evaluation.alignment.composites import (
    ComposedRun,
    SpacedText,
    compose_preferred,
    compose_sentence,
    write_composite,
)
from evaluation.alignment.question_rules import QuestionRules
from evaluation.alignment.questions import group_questions
from evaluation.alignment.word_classes import find_classes
from evaluation.tokens import offsets, words
from tests.alignment.test_questions import alignments


def read(alignment: PhraseAlignment, runs: tuple[ComposedRun, ...]) -> list[str]:
    return [word for run in runs for word in (alignment.b if run.is_b else alignment.a)[slice(*run.span)]]


@given(alignments())
def test_nothing_chosen_is_a_and_everything_chosen_is_b(alignment: PhraseAlignment) -> None:
    assert read(alignment, compose_sentence(alignment, ())) == list(alignment.a)
    everything = range(len(alignment.phrases))
    assert read(alignment, compose_sentence(alignment, everything)) == list(alignment.b)
    mirrored = replace(alignment, phrases=tuple(phrase.mirrored for phrase in alignment.phrases))
    turned = compose_sentence(mirrored, everything)
    assert [
        word for run in turned for word in (alignment.a if run.is_b else alignment.b)[slice(*run.span)]
    ] == [*alignment.a]


@given(alignments(), st.data())
def test_every_phrase_is_there_once_with_the_words_of_its_side(
    alignment: PhraseAlignment, data: st.DataObject
) -> None:
    chosen = data.draw(st.sets(st.integers(0, max(len(alignment.phrases) - 1, 0))))
    expected: Counter[str] = Counter()
    for number, phrase in enumerate(alignment.phrases):
        tokens, span = (alignment.b, phrase.b) if number in chosen else (alignment.a, phrase.a)
        expected.update(tokens[slice(*span)] if span else ())
    assert Counter(read(alignment, compose_sentence(alignment, chosen))) == expected


def compose(a: str, b: str, leads: list[int]) -> str:
    """Compose two English sentences with these votes for A on their questions."""
    first, second = (SpacedText(text, offsets(text, "en")) for text in (a, b))
    tokens = [words(*side) for side in (first, second)]
    aligner = load_aligner("lexical", "en")
    alignment = align(*tokens, aligner=aligner, ignore_case=True, ignore_punctuation=True)
    groups = [group.phrases for group in group_questions(alignment, QuestionRules(find_classes("en")))]
    assert len(groups) == len(leads)
    return compose_preferred(alignment, first, second, dict(zip(groups, leads, strict=True))).text


@pytest.mark.parametrize(
    ("a", "b", "leads", "expected"),
    [
        (
            "The council rejected the plan, and the mayor of the town left.",
            "The council refused the plan, and the boss of the town left.",
            [-1, 2],
            "The council refused the plan, and the mayor of the town left.",
        ),
        (
            "The council rejected the plan, and the mayor of the town left.",
            "The council refused the plan, and the boss of the town left.",
            [-3, 1],
            "The council refused the plan, and the mayor of the town left.",
        ),
        (
            "They sold the house (and the garden).",
            "They sold the old house (and the yard).",
            [-1, 2],
            "They sold the old house (and the garden).",
        ),
        ("She slept in the house.", "She slept in the garden.", [0], "She slept in the house."),
    ],
)
def test_a_composite_reads_like_a_sentence(a: str, b: str, leads: list[int], expected: str) -> None:
    assert compose(a, b, leads) == expected


def test_a_new_beginning_gets_the_capital_of_the_old_one() -> None:
    a, b = (SpacedText(text, offsets(text, "en")) for text in ("Today he came", "he came today"))
    assert write_composite((ComposedRun(True, (0, 3)),), a, b) == "He came today"
