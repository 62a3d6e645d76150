"""A plan: the number of sentences, its cost, alternatives with the same power, and power against budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from evaluation.power.design import (
    Design,
    SimulatedPower,
    compute_power,
    find_required_sentences,
    simulate_power,
)

CURVE_POINTS = 40
MAX_SIMULATED_VOTES = 4_000_000  # to check a plan within about a second
MAX_STUDIES, MIN_STUDIES = 2000, 200


@dataclass(frozen=True)
class Requirements:
    """The wanted power, and the cost of work. All system pairs are tested, each at α / number of pairs."""

    systems: int = 2
    people: int = 3
    seconds: float = 10.0
    price_per_hour: float = 15.0
    hours_per_day: float = 4.0
    power: float = 0.8
    alpha: float = 0.05

    @property
    def alpha_each(self) -> float:
        return self.alpha / math.comb(self.systems, 2)


class PowerPoint(NamedTuple):
    """The power with so many sentences, and what they cost."""

    sentences: int
    power: float
    comparisons: int
    judgements: int
    hours: float
    money: float
    days: float


class PowerPlan(NamedTuple):
    """``required_point`` has the smallest sufficient number of sentences; None if no number is sufficient.

    ``simulated_power`` is the power there; ``points_by_overlap`` has the same power with other overlaps.
    """

    design: Design
    requirements: Requirements
    required_point: PowerPoint | None
    simulated_power: SimulatedPower | None
    points_by_overlap: tuple[tuple[int, PowerPoint], ...]
    curve: tuple[PowerPoint, ...]


def make_plan(design: Design, requirements: Requirements, *, seed: int = 1) -> PowerPlan:
    """Plan for two neighbouring systems that differ as in ``design``.

    >>> plan = make_plan(Design(win_rate=0.6), Requirements(systems=2))
    >>> plan.required_point.sentences, plan.required_point.judgements
    (169, 507)
    """
    if design.overlap > requirements.people:
        raise ValueError(f"{requirements.people} people cannot fill an overlap of {design.overlap}")
    required_point = _find_required_point(design, requirements)
    points_by_overlap = [
        (overlap, point)
        for overlap in range(1, min(requirements.people, 5) + 1)
        if (point := _find_required_point(replace(design, overlap=overlap), requirements)) is not None
    ]
    simulated_power = (
        None if required_point is None else _simulate(design, requirements, required_point.sentences, seed)
    )
    curve = _compute_curve(design, requirements, required_point)
    return PowerPlan(design, requirements, required_point, simulated_power, tuple(points_by_overlap), curve)


def compute_point(design: Design, requirements: Requirements, sentences: int) -> PowerPoint:
    """Compute the power and the cost of judging all system pairs on so many sentences.

    Phrase pairs that occur in several comparisons are judged once, so the real cost may be lower.

    >>> work = Requirements(systems=3, seconds=12, people=3, price_per_hour=20)
    >>> compute_point(Design(phrases=3, overlap=2), work, 100)[2:]
    (300, 1800, 6.0, 120.0, 0.5)
    """
    systems, people = requirements.systems, requirements.people
    if systems < 2 or people < design.overlap:
        raise ValueError(f"{systems} systems and {people} people cannot fill an overlap of {design.overlap}")
    comparisons = sentences * math.comb(systems, 2)
    judgements = comparisons * design.votes
    hours = judgements * requirements.seconds / 3600
    money, days = hours * requirements.price_per_hour, hours / (people * requirements.hours_per_day)
    strength = compute_power(design, sentences, requirements.alpha_each)
    return PowerPoint(sentences, strength, comparisons, judgements, hours, money, days)


def _find_required_point(design: Design, requirements: Requirements) -> PowerPoint | None:
    sentences = find_required_sentences(design, requirements.power, requirements.alpha_each)
    return None if sentences is None else compute_point(design, requirements, sentences)


def _simulate(design: Design, requirements: Requirements, sentences: int, seed: int) -> SimulatedPower | None:
    """Simulate as many studies as the limit allows; None for a plan that is too large or too small."""
    studies = min(MAX_STUDIES, MAX_SIMULATED_VOTES // (sentences * design.votes))
    if studies < MIN_STUDIES or sentences < 2:
        return None
    return simulate_power(design, sentences, alpha=requirements.alpha_each, studies=studies, seed=seed)


def _compute_curve(
    design: Design, requirements: Requirements, required_point: PowerPoint | None
) -> tuple[PowerPoint, ...]:
    """From zero to twice the number of sentences needed."""
    end = 2 * required_point.sentences if required_point else 1000
    steps = sorted({max(1, round(end * n / CURVE_POINTS)) for n in range(1, CURVE_POINTS + 1)})
    return tuple(compute_point(design, requirements, sentences) for sentences in steps)
