"""Bands, chance models, repeats, stability and ratings."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from evaluation.agreement import (
    Chance,
    Judgements,
    Pairing,
    Tally,
    agreement_over_time,
    band,
    estimate,
    fixed_kappa,
    intra_agreement,
    intra_by_annotator,
    judgements_wanted,
    leave_one_out,
    pair_table,
    percentile_normalised,
)
from evaluation.agreement.chance import Labels
from evaluation.schemes import FOUR_WAY, SIX_WAY
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
    assert band(kappa) == name


@pytest.mark.parametrize(("agreeing", "name"), [(8, "slight"), (11, "fair"), (14, "moderate")])
def test_a_kappa_on_a_bound_is_below_it_however_it_was_rounded(agreeing: int, name: str) -> None:
    """8 of 20 pairs are κ = .20, which the computer makes .20000000000000004."""
    kappa = fixed_kappa(4).value(np.array([float(agreeing), 20.0]))
    assert band(float(kappa)) == name


class TestChance:
    def test_the_tie_is_found_by_its_name(self) -> None:
        assert Labels(FOUR_WAY.labels).tie == 1
        assert Labels(SIX_WAY.labels).tie == 2
        assert Labels(("better", "worse", "tie")).tie == 2

    def test_otherwise_the_middle_label_is_the_tie(self) -> None:
        assert Labels(("1", "2", "3")).tie == 1

    def test_without_either_there_is_none(self) -> None:
        with pytest.raises(ValueError, match="no tie among the labels yes, no"):
            _ = Labels(("yes", "no")).tie

    def test_not_applicable_stands_apart(self) -> None:
        assert Labels(SIX_WAY.labels).apart == 5
        assert Labels(("A>B", "A=B", "A<B")).apart is None


class TestIntra:
    @given(rows())
    def test_pairs_are_those_of_one_annotator(self, found: list[Row]) -> None:
        own = [(a, b) for a, b in pairs_of(found, different=False) if a[0] == b[0]]
        result = intra_agreement(study(found))
        assert result.pairs == len(own)
        assert result.p_a == (pytest.approx(np.mean([a[2] == b[2] for a, b in own])) if own else None)

    @given(rows())
    def test_annotators_add_up(self, found: list[Row]) -> None:
        parts = intra_by_annotator(study(found))
        assert sum(part.pairs for part in parts.values()) == intra_agreement(study(found)).pairs

    def test_without_repeats_there_is_nothing_to_say(self) -> None:
        result = intra_agreement(study([("a", 1, "x", 1), ("b", 1, "x", 1)]))
        assert (result.pairs, result.p_a, result.kappa) == (0, None, None)

    def test_wmt_reads_ties_from_sentences_with_a_repeat(self) -> None:
        """Sentence 1 of ann: labels y, y, x; the tie y is 2/3. Sentence 2 has no repeat and is not read."""
        found = [("ann", 1, "y", 1), ("ann", 1, "y", 1), ("ann", 2, "x", 1), ("ann", 3, "y", 2)]
        result = intra_agreement(study(found), Chance.WMT)
        assert result.p_e == pytest.approx((2 / 3) ** 2 + 2 * (1 / 6) ** 2)


class TestLeaveOneOut:
    @given(rows())
    def test_equals_the_study_without_the_annotator(self, found: list[Row]) -> None:
        j = study(found)
        for pairing in Pairing:
            for without in leave_one_out(j, pair_table(j), pairing=pairing):
                rest = study([row for row in found if row[0] != without.annotator])
                tally = Tally.of(rest, pairing)
                assert without.pairs == tally.pairs[1].sum()
                assert without.kappa == pytest.approx(estimate(fixed_kappa(3), tally))

    def test_knows_the_wmt_chance_of_the_rest(self) -> None:
        found = [("a", 1, "x", 1), ("b", 1, "y", 1), ("c", 1, "y", 1)]
        j = study(found)
        values = {w.annotator: w.kappa for w in leave_one_out(j, pair_table(j), chance=Chance.WMT)}
        assert values["a"] is None  # b and c only ever tie: P(E) = 1
        assert values["b"] == pytest.approx((0 - 3 / 8) / (1 - 3 / 8))


class TestOverTime:
    @given(rows())
    def test_every_pair_falls_into_one_window(self, found: list[Row]) -> None:
        windows = agreement_over_time(study(found), 4)
        assert sum(w.judgements for w in windows) == len(found)
        assert sum(w.pairs for w in windows) == len(pairs_of(found))

    def test_a_pair_belongs_to_its_later_judgement(self) -> None:
        j = Judgements.from_columns([0, 1, 0, 1], [1, 1, 2, 2], [0, 0, 0, 1], ("x", "y"), times=[1, 4, 2, 3])
        first, second = agreement_over_time(j, 2)
        assert (first.pairs, first.p_a) == (0, None)
        assert (second.pairs, second.p_a, second.kappa) == (2, 0.5, 0.0)

    def test_nothing_happened(self) -> None:
        assert agreement_over_time(study([])) == ()


class TestPower:
    def test_half_the_width_takes_four_times_the_judgements(self) -> None:
        assert judgements_wanted(500, (0.3, 0.5), 0.05) == 1500

    def test_narrow_enough_already(self) -> None:
        assert judgements_wanted(500, (0.3, 0.5), 0.1) == 0

    def test_no_interval_no_answer(self) -> None:
        assert judgements_wanted(500, None, 0.1) is None

    def test_a_half_width_of_nothing_is_refused(self) -> None:
        with pytest.raises(ValueError, match="above 0"):
            judgements_wanted(500, (0.3, 0.5), 0)


class TestPercentiles:
    def test_kulesza_section_3_1(self) -> None:
        """How often A and B gave 1 to 5 is printed there; a 3 of A becomes 35 %, a 3 of B 69 %."""
        a, b = (np.repeat(np.arange(1, 6), often) for often in ([6, 16, 26, 32, 20], [18, 36, 30, 16, 0]))
        ratings = np.concatenate([a, b])
        raters = np.repeat([0, 1], 100)
        found = percentile_normalised(ratings, raters)
        assert found[(ratings == 3) & (raters == 0)] == pytest.approx(0.35)
        assert found[(ratings == 3) & (raters == 1)] == pytest.approx(0.69)

    def test_the_mean_is_always_one_half(self) -> None:
        assert percentile_normalised(np.random.default_rng(0).integers(0, 5, 99)).mean() == pytest.approx(0.5)

    def test_no_ratings(self) -> None:
        assert percentile_normalised([]).tolist() == []

    def test_each_rating_needs_its_rater(self) -> None:
        with pytest.raises(ValueError, match="found 1 for 2"):
            percentile_normalised([1, 2], [0])
