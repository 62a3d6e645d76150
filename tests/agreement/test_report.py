"""The whole report: its parts fit together, and nothing breaks where there is nothing to say."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

from appraise.lib.tables import Table, to_csv, to_latex, to_text
from evaluation.agreement import Chance, Judgements, Pairing, compute_agreement
from evaluation.agreement.report import build_coefficient_table, build_tables, to_document
from evaluation.schemes import FOUR_WAY, SIX_WAY
from tests.agreement.studies import random_matrix

KEYS = [
    *("scheme", "labels", "items", "annotators", "judgements", "pairs", "p_a", "p_e"),
    *("kappa", "kappa_ci", "kappa_prime", "kappa_prime_ci", "band", "band_prime"),
    *("cohen_mean", "scott_pi", "fleiss", "krippendorff_alpha", "gwet_ac1"),
    *("intra", "by_annotator_pair", "confusion"),
]


def test_people_who_answer_at_random_agree_as_often_as_their_frequent_labels_say() -> None:
    """κ with fixed chance is well above 0; the report says by how much chance is above 1/4."""
    random = np.random.default_rng(1)
    table = random.choice(3, size=(100, 60), p=[0.45, 0.2, 0.35])
    report = compute_agreement(Judgements.from_matrix(table, FOUR_WAY.labels), FOUR_WAY, resamples=0)
    assert report.kappa.value == pytest.approx(0.15, abs=0.02)
    assert report.observed_chance == pytest.approx(0.365, abs=0.02)
    assert report.observed_chance_prime == report.observed_chance
    assert report.coefficient("scott_pi").value == pytest.approx(0, abs=0.01)
    assert to_document(report)["p_e_observed"] == report.observed_chance


def test_the_chance_of_merged_labels_is_that_of_their_sums() -> None:
    report = compute_agreement(six_way(), SIX_WAY, resamples=0)
    totals = np.array(report.label_totals, dtype=float)
    merged = np.array([totals[0] + totals[1], totals[2], totals[3] + totals[4], totals[5]]) / totals.sum()
    assert report.observed_chance_prime == pytest.approx((merged**2).sum())


def six_way(seed: int = 1, items: int = 200) -> Judgements:
    j = Judgements.from_matrix(random_matrix(seed, items=items, size=6), SIX_WAY.labels)
    return Judgements(j.annotators, j.items, j.labels, j.items // 3, j.label_names, j.annotator_names)


def test_json_has_the_promised_keys_in_order_and_is_json() -> None:
    document = to_document(compute_agreement(six_way(), SIX_WAY, resamples=100))
    assert list(document)[: len(KEYS)] == KEYS
    json.dumps(document, allow_nan=False)


def test_pairs_of_annotators_and_confusion_add_up_to_the_headline() -> None:
    found = compute_agreement(six_way(), SIX_WAY, resamples=0)
    confusion = np.array(found.confusion)
    assert sum(pair.pairs for pair in found.by_annotator_pair) == found.pairs
    assert confusion.sum() == 2 * found.pairs
    assert found.p_a == pytest.approx(np.trace(confusion) / confusion.sum())
    assert (confusion == confusion.T).all()


def test_confusion_of_all_pairs_holds_repeats_too() -> None:
    j = Judgements.from_rows([("a", 1, "A>B"), ("a", 1, "A=B"), ("b", 1, "A>B")], FOUR_WAY.labels)
    different, everything = (
        compute_agreement(j, FOUR_WAY, pairing=pairing, resamples=0) for pairing in Pairing
    )
    assert np.array(different.confusion).sum() == 4
    assert np.array(everything.confusion).sum() == 6
    assert everything.confusion[0][1] == 2


def test_kappa_prime_is_kappa_of_the_collapsed_labels() -> None:
    j = six_way()
    coarse = j.relabel(FOUR_WAY.labels, [0, 0, 1, 2, 2, 3])
    fine, four = compute_agreement(j, SIX_WAY), compute_agreement(coarse, FOUR_WAY)
    assert fine.kappa.prime == four.kappa.value
    assert fine.kappa.prime_interval == pytest.approx(four.kappa.interval, abs=0.02)
    assert fine.coefficient("cohen_mean").prime == four.coefficient("cohen_mean").value


def test_kappa_prime_equals_kappa_for_four_way() -> None:
    j = Judgements.from_matrix(random_matrix(2, size=4), FOUR_WAY.labels)
    found = compute_agreement(j, FOUR_WAY)
    assert found.kappa.value == found.kappa.prime
    assert found.kappa.interval == found.kappa.prime_interval
    assert found.collapse is not None
    assert found.collapse.gain == 0


def test_other_labels_have_no_kappa_prime_and_no_scale() -> None:
    document = to_document(
        compute_agreement(Judgements.from_matrix(random_matrix(2, size=3), "xyz"), resamples=0)
    )
    assert document["scheme"] is None
    assert document["kappa_prime"] is document["kappa_prime_ci"] is document["band_prime"] is None
    assert document["kappa_ci"] is None


def test_the_collapse_says_what_fine_grading_costs() -> None:
    """One of two disagreements is about degree only."""
    rows = [
        ("a", 1, "A>>B"),
        ("b", 1, "A>B"),
        ("a", 2, "A>B"),
        ("b", 2, "A<B"),
        ("a", 3, "A=B"),
        ("b", 3, "A=B"),
    ]
    found = compute_agreement(Judgements.from_rows(rows, SIX_WAY.labels), SIX_WAY).collapse
    assert found is not None
    assert found.degree_only == pytest.approx(0.5)
    assert found.gain == pytest.approx((2 / 3 - 1 / 4) / (3 / 4) - (1 / 3 - 1 / 6) / (5 / 6))


def test_repeats_kept_apart_feed_intra_only() -> None:
    again = Judgements.from_rows([("a", 1, "A>B"), ("a", 1, "A>B")], FOUR_WAY.labels)
    first = Judgements.from_rows([("a", 1, "A>B"), ("b", 1, "A>B")], FOUR_WAY.labels)
    found = compute_agreement(first, FOUR_WAY, repeats=again)
    assert (found.intra.pairs, found.pairs) == (1, 1)


@pytest.mark.parametrize("chance", Chance)
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [("a", 1, "A>B")],
        [("a", 1, "A>B"), ("a", 1, "A=B")],
        [("a", 1, "A>B"), ("b", 2, "A>B")],
        [("a", 1, "A=B"), ("b", 1, "A=B")],
        [("a", 1, "N/A"), ("b", 1, "N/A"), ("a", 2, "N/A"), ("b", 2, "N/A")],
    ],
    ids=["no data", "one judgement", "one annotator", "nothing shared", "one pair", "only N/A"],
)
def test_degenerate_studies_give_none_and_every_format(
    rows: list[tuple[str, int, str]], chance: Chance
) -> None:
    found = compute_agreement(
        Judgements.from_rows(rows, SIX_WAY.labels), SIX_WAY, chance=chance, resamples=50
    )
    document = to_document(found)
    json.dumps(document, allow_nan=False)
    if not found.pairs:
        assert document["kappa"] is document["p_a"] is document["p_e"] is document["band"] is None
    for table in build_tables(found):
        assert to_csv(table)
        assert to_latex(table)
        assert to_text(table)


def test_labels_of_another_scheme_are_refused() -> None:
    with pytest.raises(ValueError, match="expected the labels of four-way"):
        compute_agreement(six_way(), FOUR_WAY)


def test_csv_can_be_read_back() -> None:
    found = compute_agreement(six_way(), SIX_WAY, resamples=50)
    lines = list(csv.DictReader(io.StringIO(to_csv(build_coefficient_table(found)))))
    assert float(lines[1]["value"]) == found.kappa.value
    assert float(lines[1]["high"]) == found.kappa.interval[1]  # type: ignore[index]  # 50 resamples give one


def test_latex_survives_hostile_names() -> None:
    text = to_latex(Table("t", ("a",), (("50% & #1_{x}\\~^<>$",),)))
    body = text.splitlines()[5]
    assert body == (
        r"50\% \& \#1\_\{x\}\textbackslash{}\textasciitilde{}\textasciicircum{}\textless{}\textgreater{}\$ \\"
    )


def test_latex_sets_negative_numbers_with_a_minus_sign() -> None:
    body = to_latex(Table("t", ("a", "b", "c"), (("well-known", -0.25, -3),))).splitlines()[5]
    assert body == r"well-known & $-$0.2500 & $-$3 \\"
