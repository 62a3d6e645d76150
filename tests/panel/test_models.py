"""Reliability and consensus, on panels whose truth is known because it was drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from evaluation.agreement import Judgements
from evaluation.panel.models import (
    DEFAULT_OPTIONS,
    MODELS,
    SMOOTHING,
    ModelOptions,
    fit_model,
    refit_samples,
)
from evaluation.panel.reliability import estimate_reliabilities, measure_calibration, simulate_calibration
from tests.agreement.columns import from_columns

LABELS = ("A>B", "A=B", "A<B", "N/A")


def simulate_panel(
    items: int, knows: list[float], seed: int, missing: float = 0.3
) -> tuple[Judgements, np.ndarray]:
    """A panel whose members know the answer with the given probabilities and else guess alike."""
    random = np.random.default_rng(seed)
    truth = random.choice(4, size=items, p=[0.4, 0.2, 0.35, 0.05])
    table = np.array(
        [np.where(random.random(items) < k, truth, random.integers(4, size=items)) for k in knows]
    )
    table[random.random(table.shape) < missing] = -1
    return Judgements.from_matrix(table, LABELS), truth


@pytest.mark.parametrize("model", MODELS)
def test_the_truth_is_found_more_often_than_by_majority(model: str) -> None:
    # One good member among four that mostly guess: a majority cannot know whom to trust.
    study, truth = simulate_panel(2000, [0.95, 0.2, 0.2, 0.2, 0.2], seed=1)
    panel = fit_model(model, study, DEFAULT_OPTIONS)
    majority = study.counts.T.argmax(axis=1)
    assert (panel.consensus == truth).mean() > (majority == truth).mean() + 0.1


def test_mace_recovers_how_often_each_member_knows() -> None:
    knows = [0.9, 0.7, 0.5, 0.2]
    study, _truth = simulate_panel(6000, knows, seed=2)
    assert fit_model("mace", study).reliability == pytest.approx(knows, abs=0.04)


def test_dawid_skene_recovers_the_share_of_right_answers() -> None:
    knows = [0.9, 0.7, 0.5, 0.2]
    study, _truth = simulate_panel(6000, knows, seed=3)
    right = [k + (1 - k) / 4 for k in knows]
    assert fit_model("dawid-skene", study).reliability == pytest.approx(right, abs=0.04)


@pytest.mark.parametrize("model", MODELS)
def test_probabilities_are_calibrated_where_the_model_is_true(model: str) -> None:
    study, truth = simulate_panel(6000, [0.8, 0.6, 0.6, 0.4], seed=4)
    measured = measure_calibration(
        fit_model(model, study, DEFAULT_OPTIONS).posterior, np.where(study.counts.any(axis=0), truth, -1)
    )
    assert measured.expected_error is not None
    assert measured.expected_error < 0.03


@pytest.mark.parametrize("model", MODELS)
def test_intervals_hold_the_drawn_reliability_about_as_often_as_they_say(model: str) -> None:
    knows, hits = [0.85, 0.6, 0.4], 0
    right = knows if model == "mace" else [k + (1 - k) / 4 for k in knows]
    for seed in range(6):
        study, _truth = simulate_panel(500, knows, seed=seed, missing=0.0)
        rows = estimate_reliabilities(
            study, fit_model(model, study, DEFAULT_OPTIONS), resamples=30, seed=seed
        )
        hits += sum(row.low <= value <= row.high for row, value in zip(rows, right, strict=True) if row.low)  # type: ignore[operator]  # high is there where low is
    assert hits >= 0.8 * 18


@settings(max_examples=40)
@given(st.data())
def test_each_step_of_dawid_skene_equals_the_textbook(data: st.DataObject) -> None:
    """At the end, both steps written as loops leave the result where it is."""
    rows = st.lists(st.integers(-1, 2), min_size=6, max_size=6)
    table = data.draw(st.lists(rows, min_size=2, max_size=4))
    if all(label < 0 for row in table for label in row):
        return
    study = Judgements.from_matrix(table, LABELS[:3])
    panel = fit_model("dawid-skene", study)
    for item in set(study.items.tolist()):
        votes = [(j, row[item]) for j, row in enumerate(table) if row[item] >= 0]
        shares = [panel.prior[k] * np.prod([panel.confusion[j, k, v] for j, v in votes]) for k in range(3)]
        assert panel.posterior[item] == pytest.approx(np.array(shares) / sum(shares), abs=2e-3)
    for j, row in enumerate(table):
        for k in range(3):
            said = [
                SMOOTHING + sum(panel.posterior[i, k] for i, v in enumerate(row) if v == s) for s in range(3)
            ]
            assert panel.confusion[j, k] == pytest.approx(np.array(said) / sum(said), abs=2e-3)


@pytest.mark.parametrize("model", MODELS)
def test_likelihood_never_falls(model: str) -> None:
    study, _truth = simulate_panel(200, [0.8, 0.5, 0.3], seed=5)
    first = fit_model(model, study, DEFAULT_OPTIONS)
    [again] = refit_samples(study, first, [np.ones(study.counts.shape[1])])
    assert again.log_likelihood >= first.log_likelihood - 1e-3


@pytest.mark.parametrize("model", MODELS)
def test_names_and_order_of_members_do_not_matter(model: str) -> None:
    study, _truth = simulate_panel(100, [0.9, 0.5, 0.3], seed=6)
    table = np.full((3, study.counts.shape[1]), -1)
    table[study.annotators, study.items] = study.labels
    turned = fit_model(model, Judgements.from_matrix(table[::-1], LABELS), DEFAULT_OPTIONS)
    assert turned.posterior == pytest.approx(fit_model(model, study, DEFAULT_OPTIONS).posterior, abs=2e-3)


def test_an_item_drawn_twice_counts_like_two_items() -> None:
    table = np.array([[0, 1, 2, 0, 1], [0, 1, 1, 0, 2], [0, 2, 2, 1, 1]])
    study = Judgements.from_matrix(table, LABELS[:3])
    doubled = Judgements.from_matrix(np.hstack([table, table[:, :1]]), LABELS[:3])
    [weighted] = refit_samples(study, fit_model("dawid-skene", study), [np.array([2.0, 1, 1, 1, 1])])
    assert weighted.reliability == pytest.approx(fit_model("dawid-skene", doubled).reliability, abs=2e-3)


def test_nobody_is_judged_who_never_answered() -> None:
    study = from_columns([0, 1], [0, 0], [0, 0], LABELS, annotator_names=("ann", "bob", "idle"))
    idle = estimate_reliabilities(study, fit_model("dawid-skene", study), resamples=5)[2]
    assert (idle.value, idle.low, idle.high) == (None, None, None)


def test_no_judgement_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one"):
        fit_model("mace", Judgements.from_rows([], LABELS))


def test_calibration_without_a_known_truth_has_no_value() -> None:
    assert measure_calibration(np.array([[1.0, 0.0]]), np.array([-1])).accuracy is None


def of_a_bloc(seed: int) -> tuple[Judgements, np.ndarray]:
    """Two people who know the answer in 80 % of cases, and six machines with one and the same error."""
    random = np.random.default_rng(seed)
    truth = random.choice(4, size=1500, p=[0.4, 0.2, 0.4, 0.0])

    def simulate_member(knows: float, of: np.ndarray) -> np.ndarray:
        return np.where(random.random(len(of)) < knows, of, random.integers(3, size=len(of)))

    shared = simulate_member(0.4, truth)
    table = np.array(
        [*(simulate_member(0.8, truth) for _ in range(2)), *(simulate_member(0.9, shared) for _ in range(6))]
    )
    return Judgements.from_matrix(table, LABELS), truth


@pytest.mark.parametrize("model", MODELS)
def test_machines_that_err_together_outvote_people_unless_they_share_one_voice(model: str) -> None:
    study, truth = of_a_bloc(seed=7)
    each, together = (
        fit_model(model, study, ModelOptions(voices)) for voices in (None, np.array([1, 1] + [1 / 6] * 6))
    )
    right = [(panel.consensus == truth).mean() for panel in (each, together)]
    assert right[0] < 0.65 < 0.8 < right[1]
    assert each.reliability[:2].max() < each.reliability[2:].min()
    assert together.reliability[:2].min() > together.reliability[2:].max()


def test_a_voice_of_nothing_is_as_if_the_member_were_not_there() -> None:
    study, _truth = simulate_panel(300, [0.9, 0.6, 0.3], seed=8, missing=0.0)
    alone = fit_model("dawid-skene", study.filter_rows(study.annotators < 2))
    assert fit_model(
        "dawid-skene", study, ModelOptions(np.array([1.0, 1.0, 0.0]))
    ).posterior == pytest.approx(alone.posterior, abs=2e-3)
    with pytest.raises(ValueError, match="expected 3 weights"):
        fit_model("dawid-skene", study, ModelOptions(np.ones(2)))


@pytest.mark.parametrize("model", MODELS)
def test_calibration_is_expected_as_it_then_is(model: str) -> None:
    study, truth = simulate_panel(3000, [0.8, 0.6, 0.6, 0.4], seed=9)
    panel = fit_model(model, study, DEFAULT_OPTIONS)
    measured = measure_calibration(panel.posterior, np.where(study.counts.any(axis=0), truth, -1))
    expected = simulate_calibration(study, panel, rounds=2)
    assert expected.accuracy == pytest.approx(measured.accuracy, abs=0.03)
    assert expected.n == 2 * measured.n


@pytest.mark.parametrize("model", MODELS)
def test_a_pair_seen_from_the_other_side_gets_the_mirrored_consensus(model: str) -> None:
    """Whichever text of a pair is stored first: turning every second pair round turns its label round."""
    study, _truth = simulate_panel(400, [0.8, 0.6, 0.4], seed=10)
    mirror = (2, 1, 0, 3)
    turned = study.items % 2 == 1
    other = replace(study, labels=np.where(turned, np.array(mirror)[study.labels], study.labels))
    plain, seen = (fit_model(model, each, ModelOptions(mirror=mirror)) for each in (study, other))
    image = list(mirror)
    for panel in (plain, seen):
        assert panel.confusion == pytest.approx(panel.confusion[:, image][:, :, image])
    assert seen.reliability == pytest.approx(plain.reliability, abs=0.03)
    agree = np.where(np.arange(400) % 2 == 1, np.array(mirror)[seen.consensus], seen.consensus)
    assert (agree == plain.consensus).mean() > 0.95


def test_a_mirror_learns_more_from_the_same_answers() -> None:
    found = {True: 0.0, False: 0.0}
    for seed in range(8):
        study, truth = simulate_panel(120, [0.8, 0.6, 0.4], seed=seed, missing=0.0)
        for mirrored in found:
            panel = fit_model("dawid-skene", study, ModelOptions(mirror=(2, 1, 0, 3) if mirrored else None))
            found[mirrored] += (panel.consensus == truth).mean() / 8
    assert found[True] > found[False]
