"""A whole plan: sentences, cost, the same power in other ways, and power against budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

from evaluation.power.costs import Bill, bill
from evaluation.power.design import Design, power, sentences_needed
from evaluation.power.simulation import SimulatedPower, simulated_power

POINTS = 40
MOST_DRAWS = 4_000_000  # votes drawn to check a plan: a moment's work
FEWEST_STUDIES = 200


@dataclass(frozen=True)
class Wishes:
    """What is wanted, and what work costs. All pairs of systems are tested, each at α / number of pairs."""

    systems: int = 2
    people: int = 3
    seconds: float = 10.0
    price_an_hour: float = 15.0
    hours_a_day: float = 4.0
    power: float = 0.8
    alpha: float = 0.05

    @property
    def alpha_each(self) -> float:
        return self.alpha / math.comb(self.systems, 2)


class Point(NamedTuple):
    sentences: int
    power: float
    bill: Bill


class Plan(NamedTuple):
    """``enough`` is the cheapest number of sentences, ``None`` where no number separates the systems.

    ``checked`` is the power there by simulation; ``others`` the same power with other overlaps.
    """

    design: Design
    wishes: Wishes
    enough: Point | None
    checked: SimulatedPower | None
    others: tuple[tuple[int, Point], ...]
    curve: tuple[Point, ...]


def make_plan(design: Design, wishes: Wishes, *, seed: int = 1) -> Plan:
    """Plan for two neighbouring systems that differ as ``design`` says.

    >>> plan = make_plan(Design(win_rate=0.6), Wishes(systems=2))
    >>> plan.enough.sentences, plan.enough.bill.judgements
    (169, 507)
    """
    if design.overlap > wishes.people:
        raise ValueError(f"{wishes.people} people cannot fill an overlap of {design.overlap}")
    enough = _enough(design, wishes)
    others = [
        (overlap, point)
        for overlap in range(1, min(wishes.people, 5) + 1)
        if (point := _enough(replace(design, overlap=overlap), wishes)) is not None
    ]
    checked = None if enough is None else _checked(design, wishes, enough.sentences, seed)
    return Plan(design, wishes, enough, checked, tuple(others), _curve(design, wishes, enough))


def _enough(design: Design, wishes: Wishes) -> Point | None:
    sentences = sentences_needed(design, wishes.power, wishes.alpha_each)
    return None if sentences is None else _point(design, wishes, sentences)


def _point(design: Design, wishes: Wishes, sentences: int) -> Point:
    prices = {"seconds": wishes.seconds, "price_an_hour": wishes.price_an_hour}
    cost = bill(
        design, sentences, systems=wishes.systems, people=wishes.people, hours_a_day=wishes.hours_a_day,
        **prices,
    )  # fmt: skip
    return Point(sentences, power(design, sentences, wishes.alpha_each), cost)


def _checked(design: Design, wishes: Wishes, sentences: int, seed: int) -> SimulatedPower | None:
    """Simulates as many studies as take a moment; for too large a plan only the formula is used."""
    studies = min(2000, MOST_DRAWS // (sentences * design.votes))
    if studies < FEWEST_STUDIES or sentences < 2:
        return None
    return simulated_power(design, sentences, alpha=wishes.alpha_each, studies=studies, seed=seed)


def _curve(design: Design, wishes: Wishes, enough: Point | None) -> tuple[Point, ...]:
    """From nothing to twice what is needed."""
    end = 2 * enough.sentences if enough else 1000
    steps = sorted({max(1, round(end * n / POINTS)) for n in range(1, POINTS + 1)})
    return tuple(_point(design, wishes, sentences) for sentences in steps)
