"""Ratings by people as the truth and as a metric (Kulesza 2004, paper 000, section 3.1), from rankings.

The true rating of a translation is one rating, as in the thesis: the share of the other outputs that it beat
in one ranking (a tie counts half), made comparable by the percentiles of each judge. Translations that occur
in two rankings have two ratings; a second one, sampled at random, is *the human metric*, the row that
automatic metrics are compared with. It is not an upper bound, because it is a single rating. If there are
too few of these, or the judges are unknown, the truth is the share of all comparisons won, without a human
metric.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from appraise.lib.problems import InputError, Problem
from evaluation.study.sentence_answers import normalise_by_percentile
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Comparisons, Dataset, FloatArray
from metrics.metaeval.systems import wins_share
from metrics.ranking.data import OutputRanking, read_files
from metrics.replicate.report import set_label

FEWEST = 3  # translations with two ratings, below which there is no human metric
Item = tuple[int, int]  # a set's number and a cell of it
Rated = TypeVar("Rated", bound=Hashable)


@dataclass(frozen=True, slots=True, eq=False)
class RatedSet:
    """One set: texts, outputs, rankings with their judges, all decided pairs."""

    name: str
    dataset: Dataset
    rankings: tuple[OutputRanking, ...]
    human: Comparisons


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Items, the true rating of each, and the human metric if there is one."""

    items: tuple[Item, ...]
    values: FloatArray
    human: FloatArray | None


def read_rated_set(prefix: str) -> RatedSet:
    """Read a set with its rankings or pairs; every segment needs a reference, and some pair a decision."""
    files = datasets.find_set(prefix)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    ranked = read_files(files.segments, files.outputs, files.rankings, files.pairs)
    human = ranked.comparisons()
    check_judged_set(prefix, dataset, human)
    judges = ranked.rankings if files.rankings else ()
    return RatedSet(set_label(prefix), dataset, judges, human)


def check_judged_set(prefix: str, dataset: Dataset, human: Comparisons) -> None:
    """Raise ``InputError`` if a segment has no reference, or if no pair is decided."""
    if any(not text.references for text in dataset.texts.values()):
        message = "the metrics compare with references, and a segment has none"
        raise InputError(Problem("missing_reference", message, file=set_label(prefix)))
    if not len(human.better):
        raise InputError(
            Problem("no_judgements", "there is no decided pair of outputs", file=set_label(prefix))
        )


def find_truth(sets: Sequence[RatedSet], seed: int) -> Truth:
    """One rating of every translation with two ratings; else the share of comparisons won."""
    items, values, human = split_ratings(*_list_ratings(sets), seed=seed)
    if len(items) >= FEWEST:
        return Truth(items, values, human)
    shares = {
        (number, cell): share
        for number, rated in enumerate(sets)
        for cell, share in wins_share(rated.human, len(rated.dataset.cells)).items()
    }
    return Truth(tuple(shares), np.array([*shares.values()], np.float64), None)


def _list_ratings(sets: Sequence[RatedSet]) -> tuple[list[Hashable], list[Item], list[float]]:
    """Return the rater, the item and the value of every rating."""
    rows = [
        ((number, ranking.judge), (number, cell), value)
        for number, rated in enumerate(sets)
        for ranking in rated.rankings
        for cell, value in share_beaten(ranking)
    ]
    return [rater for rater, _, _ in rows], [item for _, item, _ in rows], [value for *_, value in rows]


def split_ratings(
    raters: Sequence[Hashable], items: Sequence[Rated], ratings: Sequence[float], *, seed: int
) -> tuple[tuple[Rated, ...], FloatArray, FloatArray]:
    """Normalise by rater, then sample two ratings of every item that has at least two.

    Returns these items, the true rating of each and that of the human metric.
    """
    rng = np.random.default_rng(seed)
    normal = normalise_by_percentile(list(ratings), [repr(rater) for rater in raters])
    by_item: dict[Rated, list[float]] = {}
    for item, value in zip(items, normal.tolist(), strict=True):
        by_item.setdefault(item, []).append(value)
    twice = {item: values for item, values in by_item.items() if len(values) > 1}
    pairs = [rng.choice(values, 2, replace=False) for values in twice.values()]
    truth, human = np.array(pairs, dtype=np.float64).reshape(-1, 2).T
    return tuple(twice), truth, human


def share_beaten(ranking: OutputRanking) -> list[tuple[int, float]]:
    """For each output the share of the others that it beat; a tie counts half.

    >>> share_beaten(OutputRanking(((7, 1), (8, 2), (9, 2))))
    [(7, 1.0), (8, 0.25), (9, 0.25)]
    """
    ranks = [rank for _, rank in ranking.ranks]
    others = len(ranks) - 1
    return [
        (cell, (sum(rank < other for other in ranks) + (ranks.count(rank) - 1) / 2) / others)
        for cell, rank in ranking.ranks
        if others > 0
    ]
