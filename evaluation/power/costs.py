"""What a plan costs: judgements, hours, money and days."""

from __future__ import annotations

import math
from typing import NamedTuple

from evaluation.power.design import Design


class Bill(NamedTuple):
    comparisons: int
    judgements: int
    hours: float
    money: float
    days: float


def bill(
    design: Design,
    sentences: int,
    *,
    systems: int = 2,
    seconds: float = 10.0,
    people: int = 3,
    hours_a_day: float = 4.0,
    price_an_hour: float = 0.0,
) -> Bill:
    """Cost of judging all pairs of the systems on so many sentences.

    Phrase pairs that several comparisons share are asked once, so the true figure may be lower.

    >>> bill(Design(phrases=3, overlap=2), 100, systems=3, seconds=12, people=3, price_an_hour=20)
    Bill(comparisons=300, judgements=1800, hours=6.0, money=120.0, days=0.5)
    """
    if systems < 2 or people < design.overlap:
        raise ValueError(f"{systems} systems and {people} people cannot fill an overlap of {design.overlap}")
    comparisons = sentences * math.comb(systems, 2)
    judgements = comparisons * design.votes
    hours = judgements * seconds / 3600
    return Bill(comparisons, judgements, hours, hours * price_an_hour, hours / (people * hours_a_day))


def sentences_for(money: float, design: Design, **prices: float) -> int:
    """The most sentences that a budget pays for (``prices`` as for ``bill``).

    >>> sentences_for(120, Design(phrases=3, overlap=2), systems=3, seconds=12, price_an_hour=20)
    100
    """
    each = bill(design, 1, **prices).money  # type: ignore[arg-type]  # whole numbers pass as floats here
    if each <= 0:
        raise ValueError("a budget needs a price per hour above 0")
    return math.floor(money / each + 1e-9)
