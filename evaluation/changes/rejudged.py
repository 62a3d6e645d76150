"""Pairs that were judged in two campaigns: how often did the majority stay the same?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement import cohen_kappa
from evaluation.agreement.judgements import Codes, Ints
from evaluation.changes.campaigns import Sides
from evaluation.schemes import FOUR_WAY
from evaluation.study.disputes import vote_counts
from evaluation.study.values import label_codes


@dataclass(frozen=True, slots=True)
class Rejudged:
    """Pairs with a majority in both campaigns, how many kept it, and which did not (before, after).

    ``kappa`` is Cohen's, between the majorities.
    """

    pairs: int
    kept: int
    kappa: float | None
    turned: tuple[tuple[int, int], ...]


def rejudged(sides: Sides, texts: Codes) -> Rejudged:
    """``texts``: for each pair a code that is equal where the same two phrases stand in the same sentence.

    Verdicts are read four-way; a pair on which two labels have equally many votes has no majority.
    """
    said = _majorities(sides)
    first = {int(texts[pair]): int(pair) for pair in np.flatnonzero(sides.before & (said >= 0))}
    second = {int(texts[pair]): int(pair) for pair in np.flatnonzero(sides.after & (said >= 0))}
    both = [(first[text], second[text]) for text in sorted(first.keys() & second.keys())]
    before, after = np.array(both, dtype=np.int64).reshape(-1, 2).T
    same = said[before] == said[after]
    turned = tuple(pair for pair, kept in zip(both, same, strict=True) if not kept)
    kappa = cohen_kappa(said[before], said[after], len(FOUR_WAY.choices)) if both else None
    return Rejudged(len(both), int(same.sum()), kappa, turned)


def _majorities(sides: Sides) -> Ints:
    """The four-way label of each pair, −1 where there is none."""
    counts, codes = vote_counts(sides.study), label_codes(FOUR_WAY)
    read = np.stack([counts[:, codes == code].sum(axis=1) for code in range(len(FOUR_WAY.choices))], axis=1)
    most = read.max(axis=1)
    return np.where(((read == most[:, None]).sum(axis=1) == 1) & (most > 0), read.argmax(axis=1), -1)
