"""How stable a coefficient is: without each annotator, over time, and with more judgements."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from math import ceil

import numpy as np

from evaluation.agreement.bootstrap import Interval
from evaluation.agreement.chance import Chance, Labels
from evaluation.agreement.coefficients import corrected, defined, ratio
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.agreement.pairwise import PairTable
from evaluation.agreement.tally import Pairing, Tally, own_pairs


@dataclass(frozen=True, slots=True)
class Without:
    """κ of a study from which one annotator was left out."""

    annotator: str
    pairs: int
    kappa: float | None


def leave_one_out(
    judgements: Judgements,
    table: PairTable,
    *,
    chance: Chance = Chance.FIXED,
    pairing: Pairing = Pairing.DIFFERENT,
) -> tuple[Without, ...]:
    """κ without each annotator in turn, from the confusions of annotators alone."""
    people = len(judgements.annotator_names)
    totals = np.zeros((2, people))
    for row, weights in enumerate((table.agreeing, table.pairs)):
        totals[row] = np.bincount(table.first, weights, people) + np.bincount(table.second, weights, people)
    everything = np.array([table.agreeing.sum(), table.pairs.sum()], dtype=np.float64)
    if pairing is Pairing.ALL:
        own = _own_by_annotator(judgements)
        totals, everything = totals + own, everything + own.sum(axis=1)
    cells = judgements.labels.astype(np.int64) * people + judgements.annotators
    labels = np.bincount(cells, minlength=judgements.size * people).reshape(judgements.size, people)
    agreeing, pairs = everything[:, None] - totals
    p_e = Labels.of(judgements).expected(
        (labels.sum(axis=1, keepdims=True) - labels).astype(np.float64), chance
    )
    kappas = corrected(ratio(agreeing, pairs), p_e)
    return tuple(
        Without(name, int(n), defined(kappa))
        for name, n, kappa in zip(judgements.annotator_names, pairs, kappas, strict=True)
    )


@dataclass(frozen=True, slots=True)
class Window:
    """Agreement of the judgements that arrived in one stretch of time with all that were there by then."""

    judgements: int
    pairs: int
    p_a: float | None
    kappa: float | None


def agreement_over_time(
    judgements: Judgements, windows: int = 10, pairing: Pairing = Pairing.DIFFERENT
) -> tuple[Window, ...]:
    """P(A) and κ with fixed chance in stretches of (nearly) equally many judgements.

    A pair belongs to the stretch in which its later judgement arrived, so each pair counts once.
    """
    ends = np.linspace(0, len(judgements), min(windows, len(judgements)) + 1).astype(int)
    found, before = [], np.zeros(2)
    for start, end in itertools.pairwise(ends):
        so_far = Tally.of(judgements.where(judgements.positions < end), pairing).pairs.sum(axis=1)
        agreeing, pairs = so_far - before
        p_a = ratio(agreeing, pairs)
        kappa = corrected(p_a, 1 / judgements.size)
        found.append(Window(int(end - start), int(pairs), defined(p_a), defined(kappa)))
        before = so_far
    return tuple(found)


def judgements_wanted(judgements: int, interval: Interval | None, half_width: float) -> int | None:
    """How many more judgements until the interval is about ± ``half_width``.

    An interval shrinks with the square root of the number of sentences, at the same number of
    judgements a sentence. None where there is no interval to start from.

    >>> judgements_wanted(1000, (0.40, 0.60), 0.05), judgements_wanted(1000, (0.4, 0.6), 0.2)
    (3000, 0)
    """
    if half_width <= 0:
        raise ValueError(f"half-width must be above 0, found {half_width}")
    if interval is None:
        return None
    now = (interval[1] - interval[0]) / 2
    return max(0, ceil(judgements * (now / half_width) ** 2 - 1e-9) - judgements)


def _own_by_annotator(judgements: Judgements) -> Floats:
    """(agreeing, pairs) × annotators among judgements that each repeated."""
    found = np.zeros((2, len(judgements.annotator_names)))
    for person in np.unique(judgements.annotators[judgements.where_repeated]):
        found[:, person] = own_pairs(judgements.where(judgements.annotators == person)).sum(axis=1)
    return found
