"""People as the truth and as a metric (Kulesza 2004, paper 000, section 3.1), from rankings.

The truth about a translation is one rating, as in the thesis: its share of the other outputs that it beat in
one ranking (a tie counts half), made comparable by each judge's percentiles. Translations that two rankings
contain are rated twice; a second rating of each, drawn at random, is *the human metric*. Where too few are,
or no judges are known, the truth is the share of all comparisons won, and there is no human metric.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.problems import InputError, Problem
from metrics import datasets
from metrics.datasets import Comparisons, Dataset, FloatArray
from metrics.learned.ratings import SplitRatings, split_ratings
from metrics.metaeval.systems import wins_share
from metrics.ranking.data import Ranking, read_files
from metrics.replicate.values import label_of

FEWEST = 3  # translations rated twice, below which there is no human metric
Item = tuple[int, int]  # a set's number and a cell of it


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """One set: texts, outputs, rankings with their judges, all decided pairs."""

    name: str
    dataset: Dataset
    rankings: tuple[Ranking, ...]
    human: Comparisons


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What is correlated with: items, the true rating of each, the human metric where there is one."""

    items: tuple[Item, ...]
    values: FloatArray
    human: FloatArray | None


def read(prefix: str) -> Judged:
    """A set with its rankings or pairs; refused where a segment has no reference or nothing was judged."""
    files = datasets.find_set(prefix)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    if any(not text.references for text in dataset.texts.values()):
        message = "the metrics compare with references, and a segment has none"
        raise InputError(Problem("missing_reference", message, file=label_of(prefix)))
    ranked = read_files(files.segments, files.outputs, files.rankings, files.pairs)
    human = ranked.comparisons()
    if not len(human.better):
        raise InputError(Problem("no_judgements", "no pair of outputs is decided", file=label_of(prefix)))
    judges = ranked.rankings if files.rankings else ()
    return Judged(label_of(prefix), dataset, judges, human)


def truth_of(sets: Sequence[Judged], seed: int) -> Truth:
    """One rating of everything that was rated twice; else the share of comparisons won."""
    split = _twice(sets, seed)
    if split is not None:
        items = tuple((int(one[0]), int(one[1])) for one in map(_pair, split.items))
        return Truth(items, split.truth, split.human)
    shares = {
        (number, cell): share
        for number, one in enumerate(sets)
        for cell, share in wins_share(one.human, len(one.dataset.cells)).items()
    }
    return Truth(tuple(shares), np.array([*shares.values()], np.float64), None)


def _twice(sets: Sequence[Judged], seed: int) -> SplitRatings | None:
    raters: list[Hashable] = []
    items: list[Hashable] = []
    ratings: list[float] = []
    for number, one in enumerate(sets):
        for ranking in one.rankings:
            for cell, value in beaten(ranking):
                raters.append((number, ranking.judge))
                items.append((number, cell))
                ratings.append(value)
    if not ratings:
        return None
    split = split_ratings(raters, items, ratings, seed=seed)
    return split if len(split.items) >= FEWEST else None


def beaten(ranking: Ranking) -> list[tuple[int, float]]:
    """Of each output the share of the others that it beat, a tie counting half.

    >>> beaten(Ranking(((7, 1), (8, 2), (9, 2))))
    [(7, 1.0), (8, 0.25), (9, 0.25)]
    """
    ranks = [rank for _, rank in ranking.ranks]
    others = len(ranks) - 1
    return [
        (cell, (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others)
        for cell, rank in ranking.ranks
        if others > 0
    ]


def _pair(item: Hashable) -> tuple[int, int]:
    if not isinstance(item, tuple):
        raise TypeError(f"a set's number and a cell expected, found {item!r}")
    return item[0], item[1]
