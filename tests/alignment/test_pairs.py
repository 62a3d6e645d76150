"""Which phrases become questions, which of them are one pair, and who asks it."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.alignment import align
from evaluation.alignment.pairs import Place, Scope, pairs, places_of, questions


def test_the_smaller_text_comes_first_and_flipped_remembers_the_rest() -> None:
    (pair,) = pairs([Place("1", "x-y", 2, "red", "blue")])
    assert (pair.first, pair.second) == ("blue", "red")
    assert pair.owner == pair.occurrences[0]
    assert pair.owner.flipped


@pytest.mark.parametrize(("scope", "expected"), [(Scope.ITEM, 2), (Scope.TASK, 1), (Scope.NONE, 3)])
def test_equal_texts_merge_within_the_scope(scope: Scope, expected: int) -> None:
    places = [
        Place("1", "x-y", 0, "red", "blue"),
        Place("1", "x-z", 0, "blue", "red"),
        Place("2", "x-y", 0, "red", "blue"),
    ]
    assert len(pairs(places, scope=scope)) == expected


@pytest.mark.parametrize("scope", list(Scope))
def test_missing_and_moved_phrases_never_merge_across_items(scope: Scope) -> None:
    missing = [Place(str(item), "x-y", 0, "", "the") for item in range(5)]
    moved = [Place(str(item), "x-y", 0, "now", "now", shared=True) for item in range(5)]
    assert len(pairs(missing, scope=scope)) == 5
    assert len(pairs(moved, scope=scope)) == 5


def test_a_moved_phrase_that_differs_in_case_only_is_moved_and_not_another_wording() -> None:
    a, b = ["Yesterday", "it", "rained", "a", "lot"], ["it", "rained", "a", "lot", "yesterday"]
    (pair,) = pairs(places_of("1", "x-y", align(a, b, ignore_case=True)))
    assert (pair.first, pair.second, pair.moved) == ("Yesterday", "yesterday", True)
    (other,) = pairs([Place("1", "x-y", 0, "Yesterday", "yesterday")])
    assert not other.moved


def test_a_missing_word_is_another_question_at_another_place() -> None:
    here = Place("1", "x-y", 0, "", "the", around_b=("saw", "dog"))
    there = Place("1", "x-y", 4, "", "the", around_b=("to", "house"))
    same = Place("1", "z-y", 2, "", "the", around_b=("saw", "dog"))
    assert [len(pair.occurrences) for pair in pairs([here, there, same])] == [2, 1]


def test_shared_words_are_no_question_but_a_moved_one_is() -> None:
    alignment = align(
        ["the", "house", "is", "small"],
        ["the", "small", "house", "is"],
        links=[(0, 0), (1, 2), (2, 3), (3, 1)],
    )
    assert questions(alignment) == (2,)
    assert questions(alignment, ask_moved=False) == ()
    (place,) = places_of("1", "x-y", alignment)
    assert place == Place("1", "x-y", 2, "small", "small", ("is", ""), ("the", "house"), shared=True)


def test_a_word_that_moved_with_a_differing_neighbour_is_not_asked_about_twice() -> None:
    a, b = ["could", "have", "had", "the", "helicopter"], ["the", "helicopters", "could", "have", "had"]
    alignment = align(a, b, links=[(0, 2), (1, 3), (2, 4), (3, 0), (4, 1)])
    assert [alignment.phrases[number].a for number in questions(alignment)] == [(4, 5)]


def test_the_original_text_can_be_shown_in_place_of_tokens() -> None:
    alignment = align(["don't", "go"], ["do", "not", "go"], links=[(0, 0), (0, 1), (1, 2)])
    (place,) = places_of("1", "x-y", alignment, text_b=lambda span: "do not"[: 2 + 4 * (span[1] > 1)])
    assert (place.a, place.b) == ("don't", "do not")


texts = st.sampled_from(["", "a", "b", "c d"])
places = st.lists(
    st.builds(
        Place, st.sampled_from("12"), st.sampled_from(["x-y", "x-z"]), st.integers(0, 50), texts, texts
    ),
    unique_by=lambda place: (place.item, place.comparison, place.phrase),
)


@given(places=places, scope=st.sampled_from(Scope), seed=st.integers(0, 5), order=st.randoms())
def test_every_place_is_in_one_pair_and_the_order_of_import_does_not_matter(
    places: list[Place], scope: Scope, seed: int, order: Random
) -> None:
    found = pairs(places, scope=scope, seed=seed)
    seen = [(o.item, o.comparison, o.phrase) for pair in found for o in pair.occurrences]
    assert sorted(seen) == sorted((p.item, p.comparison, p.phrase) for p in places)
    for pair in found:
        assert pair.first <= pair.second
        assert pair.owner in pair.occurrences
    shuffled = list(places)
    order.shuffle(shuffled)
    again = pairs(shuffled, scope=scope, seed=seed)
    assert {(pair.first, pair.second, pair.owner) for pair in again} == {
        (pair.first, pair.second, pair.owner) for pair in found
    }


def test_owners_spread_over_comparisons_and_change_with_the_seed() -> None:
    places = [Place("1", f"c{c}", p, f"left {p}", f"right {p}") for p in range(200) for c in range(2)]
    owners = [[pair.owner.comparison for pair in pairs(places, seed=seed)] for seed in (1, 2)]
    assert 60 < owners[0].count("c0") < 140
    assert owners[0] != owners[1]
