"""Exchanging two phrases between aligned sentences, and the vote that follows."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import Kind, align, load_aligner
from evaluation.presentation import ShownPhrase, Stave
from evaluation.schemes import Choice
from evaluation.tokens import offsets
from metrics.scoring.phrase_votes import choose_from_delta, compute_delta, exchange_phrases

words = st.lists(
    st.sampled_from(["a", "red", "house", "the", "crimson", "is", "tiny"]), min_size=1, max_size=8
)


def stave(text: str) -> Stave:
    return Stave(text, offsets(text, "en"))


def exchanged(first: str, second: str, phrases: list[ShownPhrase], index: int) -> tuple[str, str]:
    """Both sentences with the other's phrase."""
    found = exchange_phrases(stave(first), stave(second), phrases, [index])
    assert (found.first, found.second) == (first, second)
    return found.first_changed, found.second_changed


def same(a: tuple[int, int], b: tuple[int, int], *, moved: bool = False) -> ShownPhrase:
    return ShownPhrase(a, b, shared=True, moved=moved)


def other(a: tuple[int, int] | None, b: tuple[int, int] | None, *, moved: bool = False) -> ShownPhrase:
    return ShownPhrase(a, b, shared=False, moved=moved)


def test_two_wordings_are_exchanged_where_they_stand() -> None:
    phrases = [same((0, 1), (0, 1)), other((1, 2), (1, 3)), same((2, 4), (3, 5))]
    assert exchanged("The red house.", "The dark red house.", phrases, 1) == (
        "The dark red house.",
        "The red house.",
    )


def test_words_of_one_side_are_removed_there_and_inserted_in_the_other() -> None:
    phrases = [same((0, 1), (0, 1)), other(None, (1, 2)), same((1, 3), (2, 4))]
    assert exchanged("The house.", "The red house.", phrases, 1) == ("The red house.", "The house.")


def test_an_inserted_comma_brings_no_space_and_a_removed_one_takes_none() -> None:
    phrases = [same((0, 1), (0, 1)), other((1, 2), None), same((2, 4), (1, 3))]
    assert exchanged("Yes, we can", "Yes we can", phrases, 1) == ("Yes we can", "Yes, we can")


@pytest.mark.parametrize(
    ("first", "second", "phrases", "index"),
    [
        ("well he said", "he said", [other((0, 1), None), same((1, 3), (0, 2))], 0),
        ("he said so", "he said", [same((0, 2), (0, 2)), other((2, 3), None)], 1),
        ("so", "", [other((0, 1), None)], 0),
    ],
)
def test_words_at_the_edges_leave_no_space_behind(
    first: str, second: str, phrases: list[ShownPhrase], index: int
) -> None:
    assert exchanged(first, second, phrases, index) == (second, first)


def test_a_moved_phrase_is_moved_to_the_place_that_it_has_in_the_other_sentence() -> None:
    # today | we work   →   we work | today
    phrases = [same((0, 1), (2, 3), moved=True), same((1, 3), (0, 2))]
    assert exchanged("today we work", "we work today", phrases, 0) == ("we work today", "today we work")


def test_a_moved_phrase_keeps_the_other_differences_of_its_sentence() -> None:
    phrases = [same((0, 1), (2, 3), moved=True), other((1, 2), (0, 1)), same((2, 3), (1, 2))]
    assert exchanged("today we work", "they work today", phrases, 0) == ("we work today", "today they work")


def test_two_wordings_in_different_places_are_exchanged_without_moving() -> None:
    phrases = [other((0, 1), (2, 3), moved=True), same((1, 3), (0, 2))]
    assert exchanged("now we work", "we work today", phrases, 0) == ("today we work", "we work now")


def test_sentences_without_spaces_get_none() -> None:
    first, second = (
        Stave("我爱你", [(0, 1), (1, 2), (2, 3)]),
        Stave("我很爱你", [(0, 1), (1, 2), (2, 3), (3, 4)]),
    )
    phrases = [same((0, 1), (0, 1)), other(None, (1, 2)), same((1, 3), (2, 4))]
    found = exchange_phrases(first, second, phrases, [1])
    assert (found.first_changed, found.second_changed) == ("我很爱你", "我爱你")


@given(words, words)
def test_with_one_difference_the_exchange_turns_each_sentence_into_the_other(
    left: list[str], right: list[str]
) -> None:
    """The only difference of two sentences, at any place: exchanging it exchanges the sentences."""
    first, second = [*left, "old", *right], [*left, *right]
    n, m = len(left), len(right)
    phrases = [same((0, n), (0, n)), other((n, n + 1), None), same((n + 1, n + 1 + m), (n, n + m))]
    assert exchanged(" ".join(first), " ".join(second), phrases, 1) == (" ".join(second), " ".join(first))


@given(words, words)
def test_every_exchange_of_a_real_alignment_is_symmetric_and_loses_no_word(
    left: list[str], right: list[str]
) -> None:
    alignment = align(left, right, aligner=load_aligner("lexical", "en"))
    phrases = [ShownPhrase(p.a, p.b, p.kind is Kind.SHARED, p.moved) for p in alignment.phrases]
    a, b = Stave(" ".join(left), _spans(left)), Stave(" ".join(right), _spans(right))
    for index, phrase in enumerate(phrases):
        found = exchange_phrases(a, b, phrases, [index])
        turned = exchange_phrases(b, a, [p.mirrored for p in phrases], [index])
        assert (turned.first_changed, turned.second_changed) == (found.second_changed, found.first_changed)
        before = sorted(left + right)
        after = sorted((found.first_changed + " " + found.second_changed).split())
        assert after == before, phrase  # what one sentence loses the other gains
        assert "  " not in found.first_changed


def _spans(tokens: list[str]) -> list[tuple[int, int]]:
    ends = [sum(map(len, tokens[: n + 1])) + n for n in range(len(tokens))]
    return [(end - len(token), end) for token, end in zip(tokens, ends, strict=True)]


def test_the_vote_goes_to_the_phrase_that_raises_the_score_in_both_sentences() -> None:
    assert (
        choose_from_delta(compute_delta((40.0, 30.0, 20.0, 25.0), higher_is_better=True)) is Choice.A_BETTER
    )
    assert (
        choose_from_delta(compute_delta((40.0, 45.0, 20.0, 18.0), higher_is_better=True)) is Choice.B_BETTER
    )


def test_fewer_errors_are_better() -> None:
    assert choose_from_delta(compute_delta((2.0, 3.0, 5.0, 4.0), higher_is_better=False)) is Choice.A_BETTER


def test_opposite_changes_cancel_and_rounding_is_a_tie() -> None:
    assert compute_delta((1.0, 0.5, 0.25, -0.25), higher_is_better=True) == 0.0
    assert choose_from_delta(compute_delta((0.1 + 0.2, 0.3, 0.5, 0.5), higher_is_better=True)) is Choice.EQUAL
