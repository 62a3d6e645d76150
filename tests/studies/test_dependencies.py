"""Parses contracted to content words, and how far trees agree with them."""

from __future__ import annotations

from hypothesis import given, strategies as st

from benchmarks.studies.dependencies import Agreement, agreement, contract, neighbours
from metrics.collocation.content_words import ContentWords

# The dog of my neighbour chases a cat. — content: dog, neighbour, chase, cat
HEADS = [1, 5, 1, 4, 2, 5, 7, 5, 5]
CONTENT = ContentWords(("dog", "neighbour", "chase", "cat"), (1, 4, 5, 7), 2)


def test_function_words_are_passed_over() -> None:
    assert contract(CONTENT, HEADS) == {(0, 2), (0, 1), (2, 3)}


def test_a_root_and_a_cycle_have_no_ancestor() -> None:
    assert contract(ContentWords(("a", "b"), (0, 1), None), [0, 1]) == set()
    assert contract(ContentWords(("a",), (0,), None), [1, 2, 1]) == set()


@given(st.integers(0, 8))
def test_neighbours_are_a_chain(size: int) -> None:
    words = ContentWords(tuple(f"w{number}" for number in range(size)), tuple(range(size)), None)
    assert len(neighbours(words)) == max(0, size - 1)


@given(st.data())
def test_a_contracted_tree_is_a_forest_over_the_content_words(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 9))
    heads = [0, *(data.draw(st.integers(0, place - 1)) for place in range(1, size))]
    places = sorted(data.draw(st.sets(st.integers(0, size - 1))))
    content = ContentWords(tuple(map(str, places)), tuple(places), None)
    found = contract(content, heads)
    assert len(found) <= max(0, len(places) - 1)
    if 0 in places:  # the root is content: everything hangs together
        assert len(found) == len(places) - 1


def test_agreement_adds_up_and_is_none_without_data() -> None:
    total = agreement([(0, 1)], [(1, 0), (1, 2)]) + agreement([(0, 2)], [(0, 1)])
    assert total == Agreement(1, 2, 3)
    assert (total.precision, total.recall, total.f1) == (1 / 2, 1 / 3, 2 / 5)
    assert Agreement().precision is None
    assert Agreement().recall is None
    assert Agreement().f1 is None
