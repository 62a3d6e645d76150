"""How stable agreement is: within annotators, without each annotator, over time, with more judgements."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from appraise.lib.resampling import Interval
from evaluation.agreement.coefficients import correct_for_chance, none_if_nan, ratio
from evaluation.agreement.judgements import Codes, Floats, Ints, Judgements
from evaluation.agreement.kappa import Chance, LabelSet
from evaluation.agreement.pairwise import PairTable
from evaluation.agreement.tally import Pairing, count_own_pairs


@dataclass(frozen=True, slots=True)
class IntraAgreement:
    """Agreement of annotators with themselves, over pairs of judgements of one annotator on one item."""

    pairs: int
    p_a: float | None
    p_e: float | None
    kappa: float | None


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """κ of a study without one annotator."""

    annotator: str
    pairs: int
    kappa: float | None


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Agreement of the judgements of a period with each other and with all earlier ones."""

    judgements: int
    pairs: int
    p_a: float | None
    kappa: float | None


def measure_intra_agreement(judgements: Judgements, chance: Chance = Chance.FIXED) -> IntraAgreement:
    """Measure how far annotators agree with themselves on items that they judged more than once.

    >>> rows = [("a", 1, "x"), ("a", 1, "x"), ("a", 2, "x"), ("a", 2, "y")]
    >>> measure_intra_agreement(Judgements.from_rows(rows, ("x", "y")))
    IntraAgreement(pairs=2, p_a=0.5, p_e=0.5, kappa=0.0)
    """
    agreeing, pairs = count_own_pairs(judgements).sum(axis=1)
    p_a = ratio(agreeing, pairs)
    p_e = LabelSet(judgements.label_names).chance_agreement(_count_labels_near_repeats(judgements), chance)
    kappa = correct_for_chance(p_a, p_e)
    return IntraAgreement(int(pairs), none_if_nan(p_a), none_if_nan(p_e), none_if_nan(kappa))


def measure_intra_by_annotator(judgements: Judgements) -> dict[str, IntraAgreement]:
    """Measure the intra-annotator agreement of each annotator with repeated judgements."""
    return {
        judgements.annotator_names[annotator]: measure_intra_agreement(
            judgements.filter_rows(judgements.annotators == annotator)
        )
        for annotator in np.unique(judgements.annotators[judgements.is_repeated])
    }


def compute_leave_one_out(
    judgements: Judgements,
    table: PairTable,
    *,
    chance: Chance = Chance.FIXED,
    pairing: Pairing = Pairing.DIFFERENT,
) -> tuple[LeaveOneOut, ...]:
    """Compute κ without each annotator in turn, from the confusion matrices of annotator pairs alone."""
    size = len(judgements.annotator_names)
    own = np.zeros((2, size))
    for row, weights in enumerate((table.agreeing, table.pairs)):
        own[row] = np.bincount(table.first, weights, size) + np.bincount(table.second, weights, size)
    total = np.array([table.agreeing.sum(), table.pairs.sum()], dtype=np.float64)
    if pairing is Pairing.ALL:
        repeated = _own_pairs_by_annotator(judgements)
        own, total = own + repeated, total + repeated.sum(axis=1)
    cells = judgements.labels.astype(np.int64) * size + judgements.annotators
    labels = np.bincount(cells, minlength=judgements.size * size).reshape(judgements.size, size)
    agreeing, pairs = total[:, None] - own
    rest = (labels.sum(axis=1, keepdims=True) - labels).astype(np.float64)
    p_e = LabelSet(judgements.label_names).chance_agreement(rest, chance)
    kappas = correct_for_chance(ratio(agreeing, pairs), p_e)
    return tuple(
        LeaveOneOut(name, int(n), none_if_nan(kappa))
        for name, n, kappa in zip(judgements.annotator_names, pairs, kappas, strict=True)
    )


def compute_timeline(judgements: Judgements, windows: int = 10) -> tuple[TimeWindow, ...]:
    """Compute P(A) and κ with fixed chance per window; a pair belongs to the window of its later judgement.

    Rows must be in chronological order, without repeated judgements. Two sorts replace a tally per window.
    """
    n = len(judgements)
    ends = np.linspace(0, n, min(windows, n) + 1).astype(int)
    items = judgements.items.astype(np.int64)
    pairs = _sum_windows(_count_earlier(items), ends)
    agreeing = _sum_windows(_count_earlier(items * judgements.size + judgements.labels), ends)
    p_a = ratio(agreeing.astype(float), pairs.astype(float))
    kappas = correct_for_chance(p_a, np.asarray(1 / judgements.size))
    return tuple(
        TimeWindow(int(size), int(number), none_if_nan(share), none_if_nan(kappa))
        for size, number, share, kappa in zip(np.diff(ends), pairs, p_a, kappas, strict=True)
    )


def estimate_judgements_needed(judgements: int, interval: Interval | None, half_width: float) -> int | None:
    """Estimate how many more judgements narrow the interval to about ± ``half_width``.

    An interval shrinks with the square root of the number of sentences, at the same number of judgements per
    sentence. None without an interval.

    >>> estimate_judgements_needed(1000, (0.40, 0.60), 0.05)
    3000
    """
    if half_width <= 0:
        raise ValueError(f"half-width must be above 0, found {half_width}")
    if interval is None:
        return None
    current = (interval[1] - interval[0]) / 2
    return max(0, ceil(judgements * (current / half_width) ** 2 - 1e-9) - judgements)


def _count_labels_near_repeats(judgements: Judgements) -> Floats:
    """Count labels in the (sentence, annotator) groups with a repeated judgement.

    The WMT organisers take the share of ties from these groups.
    """
    groups = judgements.sentences.astype(np.int64) * len(judgements.annotator_names) + judgements.annotators
    selected = np.isin(groups, groups[judgements.is_repeated])
    return np.bincount(judgements.labels[selected], minlength=judgements.size).astype(np.float64)


def _own_pairs_by_annotator(judgements: Judgements) -> Floats:
    """(agreeing, pairs) × annotators among repeated judgements."""
    pairs = np.zeros((2, len(judgements.annotator_names)))
    for annotator in np.unique(judgements.annotators[judgements.is_repeated]):
        own = judgements.filter_rows(judgements.annotators == annotator)
        pairs[:, annotator] = count_own_pairs(own).sum(axis=1)
    return pairs


def _count_earlier(cells: Codes) -> Ints:
    """Count the earlier rows in the same cell.

    >>> _count_earlier(np.array([5, 3, 5, 5])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(cells, kind="stable")
    first = np.flatnonzero(np.diff(cells[order], prepend=-1))
    length = np.diff(first, append=len(cells))
    counts = np.empty(len(cells), dtype=np.int64)
    counts[order] = np.arange(len(cells)) - np.repeat(first, length)
    return counts


def _sum_windows(values: Ints, ends: Ints) -> Ints:
    return np.diff(np.concatenate([[0], np.cumsum(values)])[ends])
