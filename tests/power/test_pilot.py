"""A pilot drawn from the model gives the model back; a plan adds up."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.power.design import Design, _simulate_rates, compute_power, find_required_sentences
from evaluation.power.pilot import estimate_from_study, estimate_pilot
from evaluation.power.plan import Requirements, make_plan
from evaluation.study import SystemPairs
from tests.study.studies import make_study


def simulate_votes(
    design: Design, sentences: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Votes one by one, with the codes of their sentences and phrases."""
    random = np.random.default_rng(5)
    pairs = (sentences, design.phrases)
    rate = _simulate_rates(design, (1, sentences), random)[0][:, None]
    truth = np.where(random.random(pairs) < rate, 1, -1)
    truth[random.random(pairs) < design.ties] = 0
    votes = truth[..., None].repeat(design.overlap, axis=-1)
    others = (votes + random.integers(1, 3, size=votes.shape) + 1) % 3 - 1
    votes = np.where(random.random(votes.shape) < design.accuracy, votes, others)
    phrase = np.arange(sentences * design.phrases).reshape(*pairs, 1) + 0 * votes
    return votes.ravel(), (phrase // design.phrases).ravel(), phrase.ravel()


@pytest.mark.parametrize(
    "design",
    [
        Design(win_rate=0.65, ties=0.3, accuracy=0.75, phrases=4, overlap=2, clustering=0.25),
        Design(win_rate=0.55, ties=0.1, accuracy=0.95, phrases=2, overlap=3, clustering=0.0),
        Design(win_rate=0.8, ties=0.0, accuracy=0.85, phrases=6, overlap=2, clustering=0.6),
    ],
)
def test_a_large_pilot_gives_the_model_back(design: Design) -> None:
    found = estimate_pilot(*simulate_votes(design, 8000))
    assert found.agreement == pytest.approx(design.accuracy**2 + (1 - design.accuracy) ** 2 / 2, abs=0.01)
    assert found.win_rate == pytest.approx(design.win_rate, abs=0.015)
    assert found.ties == pytest.approx(design.ties, abs=0.02)
    assert found.clustering == pytest.approx(design.clustering, abs=0.03)
    assert (found.phrases, found.overlap) == (design.phrases, design.overlap)


def test_what_a_pilot_cannot_tell_is_unknown() -> None:
    assert estimate_pilot([], [], []).win_rate is None
    alone = estimate_pilot([1, -1, 0], [0, 1, 2], [0, 1, 2])  # nobody judged the same phrase
    assert (alone.agreement, alone.ties, alone.votes) == (None, None, 3)
    by_lot = estimate_pilot([1, 0, -1] * 30, [n // 3 for n in range(90)], [n // 3 for n in range(90)])
    assert by_lot.agreement == 0
    assert by_lot.win_rate is None


def test_a_study_is_turned_towards_the_system_that_won_more() -> None:
    rows = [(person, pair, "A<B") for pair in range(10) for person in (0, 1)]
    codes = np.arange(10)
    meetings = SystemPairs(codes, codes, codes * 0, codes * 0 + 1, ("x", "y"))
    found = estimate_from_study(make_study(rows, active_ms=[3000] * 20), meetings)
    assert (found.systems, found.seconds, found.better, found.worse) == (2, 3.0, "y", "x")
    assert (found.estimates.win_rate, found.estimates.agreement, found.estimates.overlap) == (1.0, 1.0, 2.0)
    nothing = estimate_from_study(make_study([], pair_tasks=[0] * 10), meetings)
    assert (nothing.seconds, nothing.better, nothing.estimates.votes) == (None, None, 0)


def test_the_closest_neighbours_are_planned_for() -> None:
    rows = [(0, pair, "A>B" if pair < 24 or pair % 3 else "A<B") for pair in range(36)]
    codes = np.arange(36)
    first, second = np.repeat([[0, 0, 1], [1, 2, 2]], 12, axis=1)  # x beats both
    found = estimate_from_study(make_study(rows), SystemPairs(codes, codes, first, second, ("x", "y", "z")))
    assert (found.systems, found.better, found.worse, found.estimates.sentences) == (3, "y", "z", 12)


def test_a_plan_has_the_power_that_it_promises_and_its_bill_adds_up() -> None:
    design, requirements = (
        Design(win_rate=0.6, overlap=2),
        Requirements(systems=3, people=4, price_per_hour=20),
    )
    plan = make_plan(design, requirements)
    assert plan.required_point is not None
    assert plan.simulated_power is not None
    assert plan.required_point.sentences == find_required_sentences(design, 0.8, 0.05 / 3)
    assert plan.simulated_power.low - 0.02 <= plan.required_point.power <= plan.simulated_power.high + 0.02
    assert plan.required_point.judgements == plan.required_point.sentences * 3 * design.phrases * 2
    assert plan.required_point.money == pytest.approx(plan.required_point.hours * 20)
    assert [overlap for overlap, _ in plan.points_by_overlap] == [1, 2, 3, 4]
    assert dict(plan.points_by_overlap)[2] == plan.required_point
    assert [point.power for point in plan.curve] == [
        compute_power(design, point.sentences, 0.05 / 3) for point in plan.curve
    ]


def test_equal_systems_have_no_plan_and_too_few_people_are_refused() -> None:
    plan = make_plan(Design(win_rate=0.5), Requirements())
    assert (plan.required_point, plan.simulated_power, plan.points_by_overlap) == (None, None, ())
    with pytest.raises(ValueError, match="2 people cannot fill an overlap of 3"):
        make_plan(Design(overlap=3), Requirements(people=2))


def test_a_plan_too_large_to_simulate_is_left_to_the_formula() -> None:
    plan = make_plan(Design(win_rate=0.501), Requirements())
    assert plan.required_point is not None
    assert plan.simulated_power is None
