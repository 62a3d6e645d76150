"""Algorithm 1 of Federmann 2010 (paper 003), with its losses."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment import AlignmentMode, align
from tests.alignment.test_complete import links_of, random_case, rows

WORKED = [
    ("the red house", "the blue house", "0-0 1-1 2-2", [("the red house", "the blue house", "different")]),
    ("the red house", "the blue house", "0-0 2-2",
     [("the", "the", "shared"), ("red", "ε", "a_only"), ("house", "house", "shared")]),
    ("the cat", "the big cat", "0-0 1-2", [("the", "the", "shared"), ("cat", "cat", "shared")]),
    ("the house is small", "the small house is", "0-0 1-2 2-3 3-1",
     [("the", "the", "shared"), ("house is", "house is", "shared"), ("small", "small", "shared")]),
    ("a b c d", "c d a b", "0-2 1-3 2-0 3-1", [("a b", "a b", "shared"), ("c d", "c d", "shared")]),
    ("a b", "x", "", [("a b", "ε", "a_only")]),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b", "links", "expected"), WORKED)
def test_worked_case(a: str, b: str, links: str, expected: list[tuple[str, str, str]]) -> None:
    assert rows(align(a.split(), b.split(), links=links_of(links), mode=AlignmentMode.PAPER)) == expected


def test_of_several_links_of_a_word_the_leftmost_counts() -> None:
    alignment = align(["x"], ["y", "z"], links=[(0, 1), (0, 0)], mode=AlignmentMode.PAPER)
    assert (alignment.links, alignment.dropped) == (((0, 0),), ((0, 1),))


@given(st.integers(0, 2**48), st.sampled_from(["one-to-one", "sparse", "dense"]))
def test_sentence_a_is_rebuilt_and_spans_stay_inside(seed: int, density: str) -> None:
    a, b, links = random_case(seed, density)
    phrases = align(a, b, links=links, mode=AlignmentMode.PAPER).phrases
    assert [i for p in phrases for i in range(*(p.a or (0, 0)))] == list(range(len(a)))
    assert all(0 <= p.b[0] < p.b[1] <= len(b) for p in phrases if p.b)
