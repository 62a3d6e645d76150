"""Sides leak nothing and are balanced."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from evaluation.blinding import canonical, is_swapped
from evaluation.schemes import SIX_WAY, Choice

texts = st.text(min_size=1, max_size=20)


@given(texts, texts, st.text(max_size=10), st.integers(0, 5))
def test_exchanging_the_texts_shows_the_same_text_on_the_left(a: str, b: str, key: str, n: int) -> None:
    if a != b:
        assert is_swapped(b"secret", key, a, b, n) != is_swapped(b"secret", key, b, a, n)


@given(texts, texts, st.integers(0, 5))
def test_each_repetition_turns_the_sides_around(a: str, b: str, n: int) -> None:
    assert is_swapped(b"secret", "k", a, b, n) != is_swapped(b"secret", "k", a, b, n + 1)


def test_sides_are_balanced_over_annotators_and_sentences() -> None:
    """2,000 assignments: within 3.1 standard deviations of one half."""
    n = 2000
    left = sum(is_swapped(b"s", f"annotator {i % 20}", f"text {i} x", f"text {i} y") for i in range(n))
    assert abs(left / n - 0.5) < 3.1 * math.sqrt(0.25 / n)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("choice", SIX_WAY.choices)
def test_the_way_to_the_store_and_back_changes_nothing(choice: Choice, swapped: bool, flipped: bool) -> None:
    stored = canonical(choice, swapped=swapped, flipped=flipped)
    assert canonical(stored, swapped=swapped, flipped=flipped) == choice


def test_a_swapped_page_is_mirrored_exactly_once() -> None:
    assert canonical(Choice.A_BETTER, swapped=True, flipped=False) == Choice.B_BETTER
    assert canonical(Choice.A_BETTER, swapped=True, flipped=True) == Choice.A_BETTER
