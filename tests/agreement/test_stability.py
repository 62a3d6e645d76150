"""Bands, chance models, repeats, stability and ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from evaluation.agreement import Chance, Pairing, Tally, name_band
from evaluation.agreement.coefficients import estimate, fixed_kappa
from evaluation.agreement.kappa import LabelSet
from evaluation.agreement.pairwise import build_pair_table
from evaluation.agreement.stability import (
    compute_leave_one_out,
    estimate_judgements_needed,
    measure_intra_agreement,
    measure_intra_by_annotator,
)
from evaluation.schemes import FOUR_WAY, SIX_WAY
from evaluation.study.sentence_answers import normalise_by_percentile
from tests.agreement.studies import Row, pairs_of, rows, study


@pytest.mark.parametrize(
    ("kappa", "name"),
    [
        (-0.001, "poor (below chance)"),
        (0.0, "slight"),
        (0.2, "slight"),
        (0.2001, "fair"),
        (0.4, "fair"),
        (0.6, "moderate"),
        (0.8, "substantial"),
        (0.8001, "perfect"),
        (1.0, "perfect"),
    ],
)
def test_bands_leave_no_gap(kappa: float, name: str) -> None:
    assert name_band(kappa) == name


@pytest.mark.parametrize(("agreeing", "name"), [(8, "slight"), (11, "fair"), (14, "moderate")])
def test_a_kappa_on_a_bound_is_below_it_however_it_was_rounded(agreeing: int, name: str) -> None:
    """8 of 20 pairs are κ = .20, which the computer makes .20000000000000004."""
    kappa = fixed_kappa(4).value(np.array([float(agreeing), 20.0]))
    assert name_band(float(kappa)) == name


class TestChance:
    def test_the_tie_is_found_by_its_name(self) -> None:
        assert LabelSet(FOUR_WAY.labels).tie == 1
        assert LabelSet(SIX_WAY.labels).tie == 2
        assert LabelSet(("better", "worse", "tie")).tie == 2

    def test_otherwise_the_middle_label_is_the_tie(self) -> None:
        assert LabelSet(("1", "2", "3")).tie == 1

    def test_without_either_there_is_none(self) -> None:
        with pytest.raises(ValueError, match="no tie among the labels yes, no"):
            _ = LabelSet(("yes", "no")).tie

    def test_not_applicable_stands_apart(self) -> None:
        assert LabelSet(SIX_WAY.labels).not_applicable == 5
        assert LabelSet(("A>B", "A=B", "A<B")).not_applicable is None


class TestIntra:
    @given(rows())
    def test_pairs_are_those_of_one_annotator(self, found: list[Row]) -> None:
        own = [(a, b) for a, b in pairs_of(found, different=False) if a[0] == b[0]]
        result = measure_intra_agreement(study(found))
        assert result.pairs == len(own)
        assert result.p_a == (pytest.approx(np.mean([a[2] == b[2] for a, b in own])) if own else None)

    @given(rows())
    def test_annotators_add_up(self, found: list[Row]) -> None:
        parts = measure_intra_by_annotator(study(found))
        assert sum(part.pairs for part in parts.values()) == measure_intra_agreement(study(found)).pairs

    def test_without_repeats_there_is_nothing_to_say(self) -> None:
        result = measure_intra_agreement(study([("a", 1, "x", 1), ("b", 1, "x", 1)]))
        assert (result.pairs, result.p_a, result.kappa) == (0, None, None)

    def test_wmt_reads_ties_from_sentences_with_a_repeat(self) -> None:
        """Sentence 1 of ann: labels y, y, x; the tie y is 2/3. Sentence 2 has no repeat and is not read."""
        found = [("ann", 1, "y", 1), ("ann", 1, "y", 1), ("ann", 2, "x", 1), ("ann", 3, "y", 2)]
        result = measure_intra_agreement(study(found), Chance.WMT)
        assert result.p_e == pytest.approx((2 / 3) ** 2 + 2 * (1 / 6) ** 2)


class TestLeaveOneOut:
    @given(rows())
    def test_equals_the_study_without_the_annotator(self, found: list[Row]) -> None:
        j = study(found)
        for pairing in Pairing:
            for without in compute_leave_one_out(j, build_pair_table(j), pairing=pairing):
                rest = study([row for row in found if row[0] != without.annotator])
                tally = Tally.of(rest, pairing)
                assert without.pairs == tally.pairs[1].sum()
                assert without.kappa == pytest.approx(estimate(fixed_kappa(3), tally))

    def test_knows_the_wmt_chance_of_the_rest(self) -> None:
        found = [("a", 1, "x", 1), ("b", 1, "y", 1), ("c", 1, "y", 1)]
        j = study(found)
        values = {
            w.annotator: w.kappa for w in compute_leave_one_out(j, build_pair_table(j), chance=Chance.WMT)
        }
        assert values["a"] is None  # b and c only ever tie: P(E) = 1
        assert values["b"] == pytest.approx((0 - 3 / 8) / (1 - 3 / 8))


class TestPower:
    def test_half_the_width_takes_four_times_the_judgements(self) -> None:
        assert estimate_judgements_needed(500, (0.3, 0.5), 0.05) == 1500

    def test_narrow_enough_already(self) -> None:
        assert estimate_judgements_needed(500, (0.3, 0.5), 0.1) == 0

    def test_no_interval_no_answer(self) -> None:
        assert estimate_judgements_needed(500, None, 0.1) is None

    def test_a_half_width_of_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="above 0"):
            estimate_judgements_needed(500, (0.3, 0.5), 0)


class TestPercentiles:
    def test_kulesza_section_3_1(self) -> None:
        """How often A and B gave 1 to 5 is printed there; a 3 of A becomes 35 %, a 3 of B 69 %."""
        a, b = (np.repeat(np.arange(1, 6), often) for often in ([6, 16, 26, 32, 20], [18, 36, 30, 16, 0]))
        ratings = np.concatenate([a, b])
        raters = np.repeat([0, 1], 100)
        found = normalise_by_percentile(ratings, raters)
        assert found[(ratings == 3) & (raters == 0)] == pytest.approx(0.35)
        assert found[(ratings == 3) & (raters == 1)] == pytest.approx(0.69)

    def test_the_mean_is_always_one_half(self) -> None:
        assert normalise_by_percentile(np.random.default_rng(0).integers(0, 5, 99)).mean() == pytest.approx(
            0.5
        )

    def test_no_ratings(self) -> None:
        assert normalise_by_percentile([]).tolist() == []

    def test_each_rating_needs_its_rater(self) -> None:
        with pytest.raises(ValueError, match="found 1 for 2"):
            normalise_by_percentile([1, 2], [0])
