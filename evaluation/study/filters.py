"""Filters for reports: which annotators and answers to leave out. Nothing is ever deleted.

*failed*: annotators who passed fewer than two thirds of their attention checks. *speeders*: annotators whose
median time for an answer is below a third of the usual one (the median of the annotators' medians).
*surplus*: answers that came after the seat was given to somebody else, or after the task closed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evaluation.schemes import FOUR_WAY
from evaluation.study.values import NO_TIME, Study, label_codes

PASS_SHARE = 2 / 3
SPEED_SHARE = 1 / 3
FEWEST = 5  # answers before a median means anything


class Filter(StrEnum):
    """What is left out."""

    FAILED = "failed"
    SPEEDERS = "speeders"
    SURPLUS = "surplus"


@dataclass(frozen=True, slots=True)
class Doubts:
    """Codes of the annotators who failed checks, and of those who were too fast."""

    failed: frozenset[int]
    speeders: frozenset[int]


def doubts(study: Study) -> Doubts:
    return Doubts(frozenset(failed(study)), frozenset(speeders(study)))


def kept(study: Study, without: Collection[Filter], known: Doubts | None = None) -> NDArray[np.bool_]:
    """Which answers stay; ``known`` are the doubtful annotators, if already computed."""
    mask = np.ones(len(study), dtype=bool)
    if Filter.SURPLUS in without:
        mask &= ~study.surplus
    if {Filter.FAILED, Filter.SPEEDERS} & set(without):
        found = known or doubts(study)
        out = (found.failed if Filter.FAILED in without else frozenset()) | (
            found.speeders if Filter.SPEEDERS in without else frozenset()
        )
        if out:
            mask &= ~np.isin(study.annotators, sorted(out))
    return mask


def failed(study: Study) -> set[int]:
    """Codes of annotators who passed too few checks; those who saw none have not failed."""
    return {person for person, (passed, seen) in checks(study).items() if seen and passed / seen < PASS_SHARE}


def checks(study: Study) -> dict[int, tuple[int, int]]:
    """Annotator code → (checks passed, checks answered); *much better* is as good as *better* here."""
    four = label_codes(FOUR_WAY)
    rows = study.is_check & (study.presentations == 0)
    given, wanted = study.labels[rows], study.expected[study.pairs[rows]]
    right = four[given] == four[wanted]
    people, size = study.annotators[rows], len(study.annotator_names)
    passed, seen = np.bincount(people, right, size), np.bincount(people, minlength=size)
    return {person: (int(passed[person]), int(seen[person])) for person in range(size)}


def speeders(study: Study) -> set[int]:
    """Codes of annotators who answer much faster than the others."""
    medians = {person: value for person, (value, n) in median_times(study).items() if n >= FEWEST}
    if len(medians) < 2:
        return set()
    usual = float(np.median(list(medians.values())))
    return {person for person, value in medians.items() if value < usual * SPEED_SHARE}


def median_times(study: Study) -> dict[int, tuple[float, int]]:
    """Annotator code → (median milliseconds, number of timed answers), of those who have any."""
    timed = study.active_ms != NO_TIME
    people, times = study.annotators[timed], study.active_ms[timed]
    return {
        int(person): (float(np.median(own)), len(own))
        for person in np.unique(people)
        for own in [times[people == person]]
    }
