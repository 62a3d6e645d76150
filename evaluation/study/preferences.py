"""Which of two candidates people preferred in all, for training on preferences.

The votes on the phrases of two candidates are added, wherever the pairs stand; an answer about the whole
sentences is one vote. The candidate with more votes is chosen; without a majority there is no preference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from evaluation.agreement.judgements import Ints
from evaluation.study.systems import NO_VOTE, SIGNS
from evaluation.study.values import Study


class CandidatePreference(NamedTuple):
    """Two candidates of an item, by id, and how clearly the first was preferred.

    ``margin``: the mean of the votes, each +1, 0 or −1; ``agreement``: the share of annotators who prefer the
    chosen one on the whole, of those who prefer any.
    """

    chosen: int
    rejected: int
    margin: float
    votes: int
    annotators: int
    agreement: float


def measure_preferences(
    study: Study, pairs: Ints, first: Ints, second: Ints
) -> Iterator[CandidatePreference]:
    """Yield the preferences of a study, in the order of the candidates' ids.

    ``pairs``, ``first`` and ``second`` have a value for each place where a pair stands: the code of the pair,
    and the candidates that contain its first and its second text.
    """
    answers = np.flatnonzero(study.is_counted & (SIGNS[study.labels] != NO_VOTE))
    answers = answers[np.argsort(study.pairs[answers], kind="stable")]
    of_answer = study.pairs[answers]
    starts, ends = (np.searchsorted(of_answer, pairs, side=side) for side in ("left", "right"))
    counts = ends - starts
    places = np.repeat(np.arange(len(pairs)), counts)
    within = np.arange(len(places)) - np.repeat(np.cumsum(counts) - counts, counts)
    rows = answers[np.repeat(starts, counts) + within]
    is_turned = first[places] > second[places]
    votes = np.where(is_turned, -1, 1) * SIGNS[study.labels[rows]]
    sides = np.sort(np.stack([first[places], second[places]], axis=1), axis=1)
    both, comparison = np.unique(sides, axis=0, return_inverse=True)
    yield from _decide(both, comparison, study.annotators[rows].astype(np.int64), votes)


def _decide(both: Ints, comparison: Ints, annotators: Ints, votes: Ints) -> Iterator[CandidatePreference]:
    cells, cell = np.unique(np.stack([comparison, annotators], axis=1), axis=0, return_inverse=True)
    of_annotator = np.sign(np.bincount(cell, votes, minlength=len(cells))).astype(np.int64)
    leads = np.bincount(comparison, votes, minlength=len(both)).astype(np.int64)
    sizes = np.bincount(comparison, minlength=len(both))
    people = np.bincount(cells[:, 0], minlength=len(both))
    partial = np.bincount(cells[:, 0], of_annotator != 0, minlength=len(both))
    with_lead = of_annotator == np.sign(leads)[cells[:, 0]]
    same = np.bincount(cells[:, 0], with_lead & (of_annotator != 0), minlength=len(both))
    for number in np.flatnonzero(leads):
        chosen, rejected = both[number] if leads[number] > 0 else both[number][::-1]
        yield CandidatePreference(
            int(chosen),
            int(rejected),
            abs(float(leads[number] / sizes[number])),
            int(sizes[number]),
            int(people[number]),
            float(same[number] / partial[number]),
        )
