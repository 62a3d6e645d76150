"""Which phrases become questions, which of them are one pair, and who asks it."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import align
from evaluation.alignment.pairs import (
    DedupScope,
    PhraseQuestion,
    ask_phrases,
    make_questions,
    merge_questions,
    select_asked,
)
from evaluation.alignment.questions import PhraseGroup, QuestionKind


def test_the_smaller_text_comes_first_and_flipped_remembers_the_rest() -> None:
    (pair,) = merge_questions([PhraseQuestion("1", "x-y", 2, "red", "blue")])
    assert (pair.first, pair.second) == ("blue", "red")
    assert pair.owner == pair.occurrences[0]
    assert pair.owner.flipped


@pytest.mark.parametrize(
    ("scope", "expected"), [(DedupScope.ITEM, 2), (DedupScope.TASK, 1), (DedupScope.NONE, 3)]
)
def test_equal_texts_merge_within_the_scope(scope: DedupScope, expected: int) -> None:
    places = [
        PhraseQuestion("1", "x-y", 0, "red", "blue"),
        PhraseQuestion("1", "x-z", 0, "blue", "red"),
        PhraseQuestion("2", "x-y", 0, "red", "blue"),
    ]
    assert len(merge_questions(places, scope=scope)) == expected


@pytest.mark.parametrize("scope", list(DedupScope))
def test_missing_and_moved_phrases_never_merge_across_items(scope: DedupScope) -> None:
    missing = [PhraseQuestion(str(item), "x-y", 0, "", "the") for item in range(5)]
    moved = [PhraseQuestion(str(item), "x-y", 0, "now", "now", moved=True) for item in range(5)]
    assert len(merge_questions(missing, scope=scope)) == 5
    assert len(merge_questions(moved, scope=scope)) == 5


def test_a_moved_phrase_that_differs_in_case_only_is_moved_and_not_another_wording() -> None:
    a, b = ["Yesterday", "it", "rained", "a", "lot"], ["it", "rained", "a", "lot", "yesterday"]
    alignment = align(a, b, ignore_case=True)
    (pair,) = merge_questions(make_questions("1", "x-y", alignment, ask_phrases(alignment)))
    assert (pair.first, pair.second, pair.moved) == ("Yesterday", "yesterday", True)
    (other,) = merge_questions([PhraseQuestion("1", "x-y", 0, "Yesterday", "yesterday")])
    assert not other.moved


def test_a_missing_word_is_another_question_at_another_place() -> None:
    here = PhraseQuestion("1", "x-y", 0, "", "the", around_b=("saw", "dog"))
    there = PhraseQuestion("1", "x-y", 4, "", "the", around_b=("to", "house"))
    same = PhraseQuestion("1", "z-y", 2, "", "the", around_b=("saw", "dog"))
    assert [len(pair.occurrences) for pair in merge_questions([here, there, same])] == [2, 1]


def test_a_pair_that_occurs_twice_in_a_comparison_is_one_pair_unless_the_order_differs() -> None:
    here = PhraseQuestion("1", "x-y", 0, "(nay)", "(as)")
    again = PhraseQuestion("1", "x-y", 4, "(nay)", "(as)")
    turned = PhraseQuestion("1", "x-y", 6, "(as)", "(nay)")
    elsewhere = PhraseQuestion("1", "x-z", 0, "(as)", "(nay)")
    (pair,) = merge_questions([here, again, elsewhere])
    assert [one.flipped for one in pair.occurrences] == [True, True, False]
    pairs = merge_questions([here, again, turned, elsewhere], scope=DedupScope.TASK)
    assert [[one.phrase for one in pair.occurrences] for pair in pairs] == [[0, 4], [6], [0]]
    assert [pair.is_bound for pair in pairs] == [True, True, False]


def test_questions_in_several_runs_merge_by_their_runs_and_not_across_items() -> None:
    alignment = align(["x", "red", "y", "blue", "z"], ["x", "green", "y", "pink", "z"])
    group = PhraseGroup((1, 3), QuestionKind.DIFFERENT)
    (question,) = make_questions("1", "x-y", alignment, [group])
    assert (question.a, question.b, question.runs_a) == ("red … blue", "green … pink", ("red", "blue"))
    assert question.around_a == ("x", "y", "y", "z")
    other = replace(question, item="2", comparison="u-v")
    assert len(merge_questions([question, other], scope=DedupScope.TASK)) == 2
    joined = PhraseQuestion("1", "u-v", 1, "red … blue", "green … pink")
    assert len(merge_questions([question, joined])) == 2


def test_shared_words_are_no_question_but_a_moved_one_is() -> None:
    alignment = align(
        ["the", "house", "is", "small"],
        ["the", "small", "house", "is"],
        links=[(0, 0), (1, 2), (2, 3), (3, 1)],
    )
    assert select_asked(alignment) == (2,)
    assert select_asked(alignment, ask_moved=False) == ()
    (place,) = make_questions("1", "x-y", alignment, ask_phrases(alignment))
    assert place == PhraseQuestion("1", "x-y", 2, "small", "small", ("is", ""), ("the", "house"), moved=True)


def test_a_word_that_moved_with_a_differing_neighbour_is_not_asked_about_twice() -> None:
    a, b = ["could", "have", "had", "the", "helicopter"], ["the", "helicopters", "could", "have", "had"]
    alignment = align(a, b, links=[(0, 2), (1, 3), (2, 4), (3, 0), (4, 1)])
    assert [alignment.phrases[number].a for number in select_asked(alignment)] == [(4, 5)]


def test_the_original_text_can_be_shown_in_place_of_tokens() -> None:
    alignment = align(["don't", "go"], ["do", "not", "go"], links=[(0, 0), (0, 1), (1, 2)])
    (place,) = make_questions(
        "1",
        "x-y",
        alignment,
        ask_phrases(alignment),
        text_b=lambda span: "do not"[: 2 + 4 * (span[1] > 1)],
    )
    assert (place.a, place.b) == ("don't", "do not")


texts = st.sampled_from(["", "a", "b", "c d"])
places = st.lists(
    st.builds(
        PhraseQuestion,
        st.sampled_from("12"),
        st.sampled_from(["x-y", "x-z"]),
        st.integers(0, 50),
        texts,
        texts,
    ),
    unique_by=lambda place: (place.item, place.comparison, place.phrase),
)


@given(places=places, scope=st.sampled_from(DedupScope), seed=st.integers(0, 5), order=st.randoms())
def test_every_place_is_in_one_pair_and_the_order_of_import_does_not_matter(
    places: list[PhraseQuestion], scope: DedupScope, seed: int, order: Random
) -> None:
    found = merge_questions(places, scope=scope, seed=seed)
    seen = [(o.item, o.comparison, o.phrase) for pair in found for o in pair.occurrences]
    assert sorted(seen) == sorted((p.item, p.comparison, p.phrase) for p in places)
    for pair in found:
        assert pair.first <= pair.second
        assert pair.owner in pair.occurrences
    shuffled = list(places)
    order.shuffle(shuffled)
    again = merge_questions(shuffled, scope=scope, seed=seed)
    assert {(pair.first, pair.second, pair.owner) for pair in again} == {
        (pair.first, pair.second, pair.owner) for pair in found
    }


def test_owners_spread_over_comparisons_and_change_with_the_seed() -> None:
    places = [
        PhraseQuestion("1", f"c{c}", p, f"left {p}", f"right {p}") for p in range(200) for c in range(2)
    ]
    owners = [[pair.owner.comparison for pair in merge_questions(places, seed=seed)] for seed in (1, 2)]
    assert 60 < owners[0].count("c0") < 140
    assert owners[0] != owners[1]
