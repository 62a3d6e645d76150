"""Aligned places over several candidates."""

from __future__ import annotations

from hypothesis import given, strategies as st

from evaluation.alignment.places import Place, find_places

sentences = st.lists(st.sampled_from(["the", "red", "house", "houses", "is", "small", ","]), max_size=7)


def wordings(found: tuple[Place, ...]) -> list[dict[str, tuple[int, ...]]]:
    return [{" ".join(v.words): v.candidates for v in place.variants} for place in found]


def test_three_candidates_give_one_slot_per_place_with_its_variants() -> None:
    found = find_places(
        [
            ["we", "saw", "red", "cars"],
            ["we", "saw", "blue", "cars"],
            ["we", "saw", "very", "red", "vehicles"],
        ]
    )
    assert wordings(found) == [
        {"we saw": (0, 1, 2)},
        {"": (0, 1), "very": (2,)},
        {"red": (0, 2), "blue": (1,)},
        {"cars": (0, 1), "vehicles": (2,)},
    ]
    assert [len(place.variants) == 1 for place in found] == [True, False, False, False]


def test_a_moved_phrase_stands_where_the_pivot_has_it() -> None:
    found = find_places(
        [
            ["yesterday", "we", "left", "town"],
            ["we", "left", "town", "yesterday"],
            ["yesterday", "we", "left"],
        ]
    )
    assert {"yesterday": (0, 1, 2)} in wordings(found)


def test_degenerate_candidates() -> None:
    assert find_places([]) == ()
    assert find_places([[]]) == ()
    assert wordings(find_places([["x"], []])) in ([{"x": (0,), "": (1,)}], [{"": (1,), "x": (0,)}])
    assert wordings(find_places([["x"]])) == [{"x": (0,)}]


@given(st.lists(sentences, max_size=5))
def test_every_word_of_every_candidate_is_in_exactly_one_slot(candidates: list[list[str]]) -> None:
    found = find_places(candidates)
    for number, candidate in enumerate(candidates):
        places = [k for place in found for span in place.cells[number] for k in range(*span)]
        assert sorted(places) == list(range(len(candidate)))
    for place in found:
        assert sorted(k for v in place.variants for k in v.candidates) == list(range(len(candidates)))
        assert any(v.words for v in place.variants)


@given(st.lists(sentences, max_size=4))
def test_the_order_of_candidates_does_not_matter(candidates: list[list[str]]) -> None:
    def bag(lists: list[list[str]]) -> list[list[tuple[tuple[str, ...], int]]]:
        return [sorted((v.words, len(v.candidates)) for v in place.variants) for place in find_places(lists)]

    assert bag(candidates) == bag(candidates[::-1])
