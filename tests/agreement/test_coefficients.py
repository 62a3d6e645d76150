"""Every coefficient against its published example, an independent implementation and a slow twin."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from nltk.metrics.agreement import AnnotationTask
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa as statsmodels_fleiss

from evaluation.agreement import Judgements, Pairing, Tally
from evaluation.agreement.coefficients import (
    FLEISS,
    GWET_AC1,
    KRIPPENDORFF_ALPHA,
    OBSERVED,
    SCOTT_PI,
    Coefficient,
    bennett_s,
    estimate,
    fixed_kappa,
    gwet_ac2,
    ordinal_alpha,
    wmt_kappa,
)
from tests.agreement.studies import (
    Row,
    random_matrix,
    rows,
    slow_alpha,
    slow_by_item,
    slow_fixed,
    slow_pi,
    study,
)

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers, twelve
# units, gaps. α nominal .743, ordinal .815 are printed there. Gwet, "Handbook of Inter-Rater
# Reliability" (2014), works the same table: Fleiss .76117, AC1 .77544, Brennan–Prediger .77273.
_ = 0
EXAMPLE_C = (
    np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
            [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
        ]
    )
    - 1
)


def tally_of(matrix: np.ndarray, size: int) -> Tally:
    return Tally.of(Judgements.from_matrix(matrix, [str(code) for code in range(size)]))


class TestPublishedExample:
    @pytest.mark.parametrize(
        ("coefficient", "printed"),
        [
            (KRIPPENDORFF_ALPHA, 0.743),
            (ordinal_alpha(5), 0.815),
            (FLEISS, 0.76117),
            (GWET_AC1, 0.77544),
            (bennett_s(5), 0.77273),
            (OBSERVED, None),
        ],
        ids=lambda value: getattr(value, "name", ""),
    )
    def test_krippendorff_and_gwet(self, coefficient: Coefficient, printed: float | None) -> None:
        value = estimate(coefficient, tally_of(EXAMPLE_C, 5))
        assert value is not None
        if printed is not None:
            digits = len(str(printed)) - 2
            assert round(value, digits) == printed

    def test_table_2_of_the_appraise_paper_can_be_inverted(self) -> None:
        """Task 1: κ .4127 means P(A) = .5106, κ′ .7770 means P(A) = .8328 (Federmann 2010)."""
        for size, p_a, printed in ((6, 0.5106, 0.4127), (4, 0.8328, 0.7770)):
            exactly = printed * (1 - 1 / size) + 1 / size
            assert exactly == pytest.approx(p_a, abs=5.1e-5)
            totals = np.array([[exactly * 1e6], [1e6]])
            assert float(fixed_kappa(size).value(totals)[0]) == pytest.approx(printed)


class TestAgainstIndependentImplementations:
    @pytest.mark.parametrize("seed", range(8))
    def test_alpha_equals_the_krippendorff_package(self, seed: int) -> None:
        matrix = random_matrix(seed, annotators=2 + seed % 4, size=2 + seed % 5)
        data = np.where(matrix < 0, np.nan, matrix)
        tally = tally_of(matrix, 2 + seed % 5)
        nominal = krippendorff.alpha(data, level_of_measurement="nominal")
        ordinal = krippendorff.alpha(data, level_of_measurement="ordinal")
        assert estimate(KRIPPENDORFF_ALPHA, tally) == pytest.approx(nominal)
        assert estimate(ordinal_alpha(2 + seed % 5), tally) == pytest.approx(ordinal)

    @pytest.mark.parametrize("seed", range(4))
    def test_fleiss_equals_statsmodels_without_gaps(self, seed: int) -> None:
        matrix = random_matrix(seed, missing=0)
        theirs = statsmodels_fleiss(aggregate_raters(matrix.T)[0])
        assert estimate(FLEISS, tally_of(matrix, 4)) == pytest.approx(theirs)

    @pytest.mark.parametrize("seed", range(4))
    def test_bennett_pi_and_alpha_equal_nltk_without_gaps(self, seed: int) -> None:
        matrix = random_matrix(seed, missing=0, size=3)
        task = AnnotationTask([(str(a), str(i), str(matrix[a, i])) for a, i in np.ndindex(matrix.shape)])
        tally = tally_of(matrix, 3)
        assert estimate(SCOTT_PI, tally) == pytest.approx(task.pi())
        assert estimate(bennett_s(3), tally) == pytest.approx(task.S())
        assert estimate(fixed_kappa(3), tally) == pytest.approx(task.S())
        assert estimate(KRIPPENDORFF_ALPHA, tally) == pytest.approx(task.alpha())

    def test_chance_counts_labels_that_nobody_used(self) -> None:
        """NLTK's S() knows only labels that were seen; the scheme knows better."""
        tally = tally_of(np.array([[0, 1], [0, 0]]), 6)
        assert estimate(fixed_kappa(6), tally) == pytest.approx((1 / 2 - 1 / 6) / (1 - 1 / 6))


class TestAgainstSlowTwins:
    @given(rows())
    def test_kappa_with_repeats(self, found: list[Row]) -> None:
        for pairing in Pairing:
            ours = estimate(fixed_kappa(3), Tally.of(study(found), pairing))
            assert ours == pytest.approx(slow_fixed(found, 3, pairing is Pairing.DIFFERENT))

    @given(rows())
    def test_pi_fleiss_ac1_and_alpha_with_repeats(self, found: list[Row]) -> None:
        tally = Tally.of(study(found))
        fleiss, ac1 = slow_by_item(found, 3)
        assert estimate(SCOTT_PI, tally) == pytest.approx(slow_pi(found))
        assert estimate(FLEISS, tally) == pytest.approx(fleiss)
        assert estimate(GWET_AC1, tally) == pytest.approx(ac1)
        assert estimate(KRIPPENDORFF_ALPHA, tally) == pytest.approx(slow_alpha(found))

    @given(rows(repeats=False))
    def test_without_repeats_both_pairings_are_one(self, found: list[Row]) -> None:
        one, two = (estimate(fixed_kappa(3), Tally.of(study(found), pairing)) for pairing in Pairing)
        assert one == two


EVERY = [
    fixed_kappa(3),
    bennett_s(3),
    wmt_kappa(1),
    SCOTT_PI,
    FLEISS,
    GWET_AC1,
    KRIPPENDORFF_ALPHA,
    ordinal_alpha(3),
    gwet_ac2(3),
]


@pytest.mark.parametrize("coefficient", EVERY, ids=lambda c: f"{c.name}-{c.title}")
class TestEveryCoefficient:
    def test_is_none_without_data(self, coefficient: Coefficient) -> None:
        assert estimate(coefficient, Tally.of(study([]))) is None

    def test_is_none_with_one_annotator(self, coefficient: Coefficient) -> None:
        found = [("a", 1, "x", 1), ("a", 2, "y", 1)]
        assert estimate(coefficient, Tally.of(study(found))) is None

    def test_is_none_when_nobody_shares_an_item(self, coefficient: Coefficient) -> None:
        assert estimate(coefficient, Tally.of(study([("a", 1, "x", 1), ("b", 2, "x", 1)]))) is None

    def test_is_one_when_all_agree_on_several_labels(self, coefficient: Coefficient) -> None:
        found = [(who, item, "xyz"[item % 3], item) for who in "abc" for item in range(6)]
        assert estimate(coefficient, Tally.of(study(found))) == pytest.approx(1)

    def test_only_one_label_is_one_or_undefined(self, coefficient: Coefficient) -> None:
        """Where chance is read from the labels, one label leaves nothing to agree on beyond chance."""
        found = [(who, item, "x", item) for who in "abc" for item in range(6)]
        value = estimate(coefficient, Tally.of(study(found)))
        assert value is None or value == pytest.approx(1)

    @settings(max_examples=25)
    @given(found=rows(repeats=False))
    def test_does_not_depend_on_the_order_of_rows_or_names(
        self, coefficient: Coefficient, found: list[Row]
    ) -> None:
        renamed = [
            ("dcba"["abcd".index(who)], -item, label, where) for who, item, label, where in found[::-1]
        ]
        ours, theirs = (estimate(coefficient, Tally.of(study(each))) for each in (found, renamed))
        assert ours == pytest.approx(theirs)

    @settings(max_examples=25)
    @given(found=rows())
    def test_never_exceeds_one(self, coefficient: Coefficient, found: list[Row]) -> None:
        value = estimate(coefficient, Tally.of(study(found)))
        assert value is None or value <= 1 + 1e-9


def test_a_matrix_and_its_triples_give_the_same() -> None:
    matrix = random_matrix(3, items=40_000, size=4)  # more than one block
    for coefficient in (KRIPPENDORFF_ALPHA, FLEISS, fixed_kappa(4)):
        blocks = estimate(coefficient, Tally.of_matrix(matrix, 4))
        assert blocks == pytest.approx(estimate(coefficient, tally_of(matrix, 4)))


def test_ac2_equals_ac1_for_two_labels() -> None:
    """With two labels every disagreement is a full one."""
    tally = tally_of(random_matrix(1, size=2), 2)
    assert estimate(gwet_ac2(2), tally) == pytest.approx(estimate(GWET_AC1, tally))


def test_ac2_by_hand() -> None:
    """Two annotators, three items: (0,0), (0,1), (2,2); quadratic weights 1, .75, 0.

    P(A) = (1 + .75 + 1)/3; π = (3, 1, 2)/6; P(E) = T/(3·2)·Σπ(1−π), T = 3 + 4·.75 = 6.
    """
    p_a = 2.75 / 3
    p_e = 6 / 6 * (3 / 6 * 3 / 6 + 1 / 6 * 5 / 6 + 2 / 6 * 4 / 6)
    value = estimate(gwet_ac2(3), tally_of(np.array([[0, 0, 2], [0, 1, 2]]), 3))
    assert value == pytest.approx((p_a - p_e) / (1 - p_e))


def test_wmt_chance_with_a_label_apart() -> None:
    """Two items, labels A>B A=B / N/A A=B: t = 1/2, a = 1/4, the other two share 1/4."""
    tally = tally_of(np.array([[0, 3], [1, 1]]), 4)
    p_e = (1 / 2) ** 2 + (1 / 4) ** 2 + 2 * (1 / 8) ** 2
    assert estimate(wmt_kappa(1, 3), tally) == pytest.approx((0 - p_e) / (1 - p_e))
