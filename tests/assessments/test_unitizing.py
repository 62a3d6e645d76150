"""Krippendorff's α for units, against its definition."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st

from evaluation.assessments.unitizing import Continuum, Unit, measure_alpha, merge_units

Section = tuple[int, int, bool]  # begin, length, whether it is a unit


def sections(units: tuple[Unit, ...], length: int) -> list[Section]:
    rows, place = [], 0
    for start, end in units:
        if place < start:
            rows.append((place, start - place, False))
        rows.append((start, end - start, True))
        place = end
    return [*rows, (place, length - place, False)] if place < length else rows


def disagreement(one: Section, other: Section) -> int:
    """δ² of two sections, as the paper defines it."""
    (b, n, is_unit), (c, m, is_other) = one, other
    if is_unit and is_other and -n < b - c < m:
        return (b - c) ** 2 + (b + n - c - m) ** 2
    if is_unit and not is_other and c <= b and b + n <= c + m:
        return n * n
    if is_other and not is_unit and b <= c and c + m <= b + n:
        return m * m
    return 0


def alpha_by_definition(continuum: Continuum) -> float | None:
    """Every pair of sections at every relative position, over the number of pairs of characters."""
    observers = [sections(units, continuum.length) for units in (continuum.first, continuum.second)]
    observed = 2 * sum(disagreement(one, other) for one in observers[0] for other in observers[1])
    everything = [section for rows in observers for section in rows]
    expected = 0
    for number, (_, n, is_unit) in enumerate(everything):
        for other, (_, m, is_other) in enumerate(everything):
            if (number == other and is_unit) or not (is_unit or is_other):
                continue
            for shift in range(-n + 1, m):
                expected += disagreement((shift, n, is_unit), (0, m, is_other))
    size = 2 * continuum.length
    pairs = size * (size - 1) - sum(n * (n - 1) for _, n, is_unit in everything if is_unit)
    if not expected or not pairs:
        return None
    return 1 - (observed / (2 * continuum.length**2)) / (expected / pairs / continuum.length)


@st.composite
def continua(draw: st.DrawFn) -> Continuum:
    length = draw(st.integers(2, 30))
    bounds = st.lists(st.tuples(st.integers(0, length), st.integers(0, length)), max_size=4)
    units = [[(min(pair), max(pair)) for pair in draw(bounds)] for _ in range(2)]
    return Continuum(length, tuple(merge_units(units[0])), tuple(merge_units(units[1])))


@given(continua())
def test_the_closed_form_is_the_definition(continuum: Continuum) -> None:
    expected = alpha_by_definition(continuum)
    assert measure_alpha(continuum) == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(continua())
def test_the_observers_are_interchangeable_and_equal_ones_agree(continuum: Continuum) -> None:
    mirrored = Continuum(continuum.length, continuum.second, continuum.first)
    assert measure_alpha(mirrored) == measure_alpha(continuum)
    if continuum.first and measure_alpha(continuum) is not None:
        assert measure_alpha(Continuum(continuum.length, continuum.first, continuum.first)) == 1


def random_units(rng: random.Random, length: int) -> tuple[Unit, ...]:
    units, place = [], 0
    while (place := place + rng.randint(1, 40)) < length - 8:
        units.append((place, place + rng.randint(1, 8)))
        place = units[-1][1]
    return tuple(units)


def test_units_at_random_do_not_agree() -> None:
    rng = random.Random(1)
    first, second = (random_units(rng, 100_000) for _ in range(2))
    assert measure_alpha(Continuum(100_000, first, second)) == pytest.approx(0, abs=0.03)


def test_nothing_marked_has_no_agreement() -> None:
    assert measure_alpha(Continuum(9, (), ())) is None
