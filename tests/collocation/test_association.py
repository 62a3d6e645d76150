"""Association measures against the printed values of Han & Lavie 2005 (paper 002) and against NLTK."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from nltk.metrics import BigramAssocMeasures

from metrics.collocation.association import (
    CUTOFFS,
    FUNCTIONS,
    AssociationMeasure,
    chi_square,
    dice,
    log_likelihood_ratio,
    t_score,
)

WSJ = 49_722  # sentences, slide "Training Data"

# Counts recovered from the slides "Example Collocations"; Dice and χ² as printed there.
PRINTED = {
    "zeitung zuercher": (1, 1, 1, 1.000000, 49722.000000),
    "hong kong": (172, 172, 181, 0.974504, 47241.054744),
    "freddie mac": (45, 45, 48, 0.967742, 46611.560122),
    "fulton prebon": (14, 14, 15, 0.965517, 46406.266423),
    "du pont": (37, 37, 40, 0.961039, 45990.073101),
    "jones point": (67, 336, 796, 0.118375, 724.436690),
}


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int, int]:
    both, only1, only2 = (draw(st.integers(low, 400)) for low in (1, 0, 0))
    neither = draw(st.integers(0, 5000))
    return both, both + only1, both + only2, both + only1 + only2 + neither


@pytest.mark.parametrize("pair", PRINTED)
def test_dice_has_the_printed_digits(pair: str) -> None:
    c12, c1, c2, printed, _ = PRINTED[pair]
    assert f"{dice(c12, c1, c2, WSJ):.6f}" == f"{printed:.6f}"


def chi_square_as_printed(c12: int, c1: int, c2: int, n: int) -> float:
    """The slides' χ² with their O22 = n − c12."""
    o12, o21, o22 = c2 - c12, c1 - c12, n - c12
    return n * (c12 * o22 - o12 * o21) ** 2 / (c1 * c2 * (o12 + o22) * (o21 + o22))


@pytest.mark.parametrize("pair", PRINTED)
def test_chi_square_in_the_slides_form_has_the_printed_digits(pair: str) -> None:
    c12, c1, c2, _, printed = PRINTED[pair]
    assert f"{chi_square_as_printed(c12, c1, c2, WSJ):.6f}" == f"{printed:.6f}"


@pytest.mark.parametrize("pair", [pair for pair in PRINTED if pair != "jones point"])
def test_the_proper_chi_square_equals_the_slides_to_two_decimals_where_words_stick_together(
    pair: str,
) -> None:
    c12, c1, c2, _, printed = PRINTED[pair]
    assert f"{chi_square(c12, c1, c2, WSJ):.2f}" == f"{printed:.2f}"


def test_t_and_log_likelihood_of_jones_point_settle_variance_and_base() -> None:
    assert f"{t_score(67, 336, 796, WSJ):.6f}" == "7.528200"
    assert f"{log_likelihood_ratio(67, 336, 796, WSJ, base=2):.9f}" == "334.726841926"


def test_cutoffs_are_those_of_the_slides_and_follow_the_base_of_the_logarithm() -> None:
    assert CUTOFFS[AssociationMeasure.DICE] is None
    assert CUTOFFS[AssociationMeasure.T] == 2.576
    assert CUTOFFS[AssociationMeasure.CHI2] == 7.88
    assert CUTOFFS[AssociationMeasure.LLR] == pytest.approx(7.88 / math.log(2))


@given(tables())
def test_log_likelihood_and_chi_square_equal_nltk(counts: tuple[int, int, int, int]) -> None:
    c12, c1, c2, n = counts
    if c1 < n and c2 < n:  # NLTK divides by the empty margin
        nltk_llr = BigramAssocMeasures.likelihood_ratio(c12, (c1, c2), n)
        assert log_likelihood_ratio(c12, c1, c2, n, base=math.e) == pytest.approx(
            nltk_llr, rel=1e-6, abs=1e-6
        )
        nltk_chi = BigramAssocMeasures.chi_sq(c12, (c1, c2), n)
        assert chi_square(c12, c1, c2, n) == pytest.approx(nltk_chi, rel=1e-9, abs=1e-9)


@given(tables())
def test_log_likelihood_equals_the_textbook_sum(counts: tuple[int, int, int, int]) -> None:
    c12, c1, c2, n = counts
    cells = [(c12, c1 * c2), (c1 - c12, c1 * (n - c2)), (c2 - c12, (n - c1) * c2)]
    cells += [(n - c1 - c2 + c12, (n - c1) * (n - c2))]
    slow = 2 * math.fsum(o * math.log(o * n / margins) for o, margins in cells if o)
    assert log_likelihood_ratio(c12, c1, c2, n, base=math.e) == pytest.approx(slow, rel=1e-9, abs=1e-9)


@given(tables(), st.sampled_from(AssociationMeasure))
def test_the_order_of_the_words_does_not_matter(
    counts: tuple[int, int, int, int], measure: AssociationMeasure
) -> None:
    c12, c1, c2, n = counts
    assert FUNCTIONS[measure](c12, c1, c2, n) == pytest.approx(FUNCTIONS[measure](c12, c2, c1, n), abs=1e-9)


@given(tables(), st.sampled_from(AssociationMeasure))
def test_every_score_is_finite_and_only_t_can_be_negative(
    counts: tuple[int, int, int, int], measure: AssociationMeasure
) -> None:
    value = float(FUNCTIONS[measure](*counts))
    assert math.isfinite(value)
    assert value >= 0 or measure is AssociationMeasure.T


def test_independent_words_score_nothing() -> None:
    assert t_score(4, 20, 20, 100) == 0
    assert chi_square(4, 20, 20, 100) == 0
    assert log_likelihood_ratio(4, 20, 20, 100) == 0


def test_a_word_in_every_sentence_tells_nothing() -> None:
    assert chi_square(5, 10, 5, 10) == 0
    assert log_likelihood_ratio(5, 10, 5, 10) == pytest.approx(0, abs=1e-12)


def test_arrays_are_scored_elementwise() -> None:
    c12, c1, c2 = np.array([1, 172]), np.array([1, 172]), np.array([1, 181])
    assert dice(c12, c1, c2, WSJ).round(6).tolist() == [1.0, 0.974504]


@pytest.mark.parametrize("counts", [(0, 1, 1, 10), (3, 2, 5, 10), (1, 6, 6, 10)])
def test_impossible_counts_are_refused_with_their_value(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match=rf"\({counts[0]}, {counts[1]}, {counts[2]}\)"):
        FUNCTIONS[AssociationMeasure.T](*counts)
