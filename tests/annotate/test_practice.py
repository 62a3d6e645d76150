"""Questions whose answer is known, from any sentences."""

from __future__ import annotations

from hypothesis import example, given, strategies as st

from evaluation.annotate.known_answers import (
    ExpectedReason,
    PracticeMaterial,
    find_difference,
    make_exercises,
    make_own_exercise,
)
from evaluation.schemes import FOUR_WAY, SIX_WAY, Choice, Scheme

words = st.lists(st.sampled_from(["rot", "Haus", "ist", "klein", ",", "."]), max_size=12).map(" ".join)


@example(["rot rot rot"], FOUR_WAY, "de")  # moving its words changes nothing
@given(st.lists(words, max_size=4), st.sampled_from([FOUR_WAY, SIX_WAY]), st.sampled_from(["de", "zh", ""]))
def test_every_question_can_be_shown_and_answered(texts: list[str], scheme: Scheme, language: str) -> None:
    for question in make_exercises(
        [PracticeMaterial(("R",), text) for text in texts], scheme, language=language
    ):
        assert question.expected in scheme.choices
        assert (question.first.text == question.second.text) == (question.reason is ExpectedReason.SAME)
        for swapped in (False, True):
            sheet = question.lay_out(swapped=swapped)
            (card,) = sheet.questions
            left, right = question.first, question.second
            if swapped:
                left, right = right, left
            assert "".join(f.space + f.text for f in sheet.a).split() == left.text.split()
            assert "".join(f.space + f.text for f in sheet.b).split() == right.text.split()
            assert card.a or card.b


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_what_lies_outside_the_difference_is_the_same(a: list[str], b: list[str]) -> None:
    (start, end), (other_start, other_end) = find_difference(a, b)
    assert a[:start] == b[:other_start]
    assert a[end:] == b[other_end:]
    assert (a[start:end] == b[other_start:other_end]) == (a == b)


def test_sentences_that_differ_in_spaces_alone_are_compared_whole() -> None:
    question = make_own_exercise("", "a,b", "a , b", Choice.EQUAL, "", language="en")
    assert question.spans == ((0, 3), (0, 3))
