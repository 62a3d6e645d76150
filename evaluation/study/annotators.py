"""Figures of each annotator (time, side bias, consistency, attention checks), and filters based on them.

Sides, times and answers are counted over the same answers: first presentations of ordinary pairs. An
attention check is passed if all answers to its pairs are as expected.

Filters leave annotators or answers out of a report; nothing is ever deleted. *failed*: annotators who passed
fewer than two thirds of their attention checks. *speeders*: annotators whose median time for an answer is
below a third of the usual one (the median of the annotators' medians). *surplus*: answers that came after the
slot had been reassigned or the task closed.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.judgements import Codes, Ints
from evaluation.agreement.stability import IntraAgreement, measure_intra_by_annotator
from evaluation.results.consistency import (
    NOT_APPLICABLE,
    SideBias,
    Triads,
    count_annotator_triads,
    measure_side_bias_by_annotator,
)
from evaluation.schemes import FOUR_WAY, SIX_WAY
from evaluation.study.systems import SystemPairs, collect_system_votes
from evaluation.study.values import NO_TIME, Study, label_codes

MIN_PASSED = 2 / 3
SPEEDER_SHARE = 1 / 3
MIN_ANSWERS = 5  # for a median time

# The side that won, from the stored label; negated where the second text was shown on the left.
SIDES = np.array([NOT_APPLICABLE if c.sign is None else c.sign for c in SIX_WAY.choices], dtype=np.int64)
EDGES: tuple[float, ...] = (0, 1, 2, 3, 5, 8, 12, 20, 30, 60, 120)  # seconds, of the time histogram


class Filter(StrEnum):
    """What is left out."""

    FAILED = "failed"
    SPEEDERS = "speeders"
    SURPLUS = "surplus"


DoubtfulAnnotators = dict[Filter, set[int]]
"""The codes of the annotators that a filter leaves out."""


@dataclass(frozen=True, slots=True)
class AnnotatorLine:
    """One annotator; a figure without data is None. ``times`` are quartiles in seconds per answer."""

    annotator: str
    answers: int
    times: tuple[float, float, float] | None
    bias: SideBias
    repeats: IntraAgreement | None
    checks_passed: int
    checks: int
    triads: Triads | None
    failed: bool
    speeder: bool

    @property
    def median(self) -> float | None:
        return self.times[1] if self.times else None


def compute_annotator_lines(
    study: Study, system_pairs: SystemPairs | None = None
) -> tuple[AnnotatorLine, ...]:
    """Compute the figures of everybody who answered, in the order of the names in the study."""
    sides = compute_shown_signs(study)[study.is_counted]
    bias = measure_side_bias_by_annotator(study.annotators[study.is_counted], sides)
    checks, doubtful = count_checks(study), find_doubtful_annotators(study)
    repeats = measure_intra_by_annotator(study.repeats())
    votes = None if system_pairs is None else collect_system_votes(study, system_pairs)
    triads = {} if votes is None else count_annotator_triads(votes)
    answers = np.bincount(study.annotators[study.is_counted], minlength=len(study.annotator_names))
    quartiles = {
        code: np.quantile(times, [0.25, 0.5, 0.75]) / 1000 for code, times in _group_times(study).items()
    }
    return tuple(
        AnnotatorLine(
            annotator=name,
            answers=int(answers[code]),
            times=tuple(quartiles[code].tolist()) if code in quartiles else None,
            bias=bias[code],
            repeats=repeats.get(name),
            checks_passed=checks[code][0],
            checks=checks[code][1],
            triads=triads.get(name),
            failed=code in doubtful[Filter.FAILED],
            speeder=code in doubtful[Filter.SPEEDERS],
        )
        for code, name in enumerate(study.annotator_names)
        if code in bias
    )


def select_answers(
    study: Study, without: Collection[Filter], doubtful: DoubtfulAnnotators | None = None
) -> NDArray[np.bool_]:
    """Return a mask of the answers that pass the filters; ``doubtful`` if already computed."""
    mask = np.ones(len(study), dtype=bool)
    if Filter.SURPLUS in without:
        mask &= ~study.surplus
    if {Filter.FAILED, Filter.SPEEDERS} & set(without):
        doubtful = doubtful or find_doubtful_annotators(study)
        excluded = {code for name in without for code in doubtful.get(name, ())}
        mask &= ~np.isin(study.annotators, sorted(excluded))
    return mask


def find_doubtful_annotators(study: Study) -> DoubtfulAnnotators:
    return {Filter.FAILED: find_failed(study), Filter.SPEEDERS: find_speeders(study)}


def find_failed(study: Study) -> set[int]:
    """Return the codes of annotators who passed too few checks; without checks nobody fails."""
    counts = count_checks(study)
    return {code for code, (passed, total) in counts.items() if total and passed / total < MIN_PASSED}


def count_checks(study: Study) -> dict[int, tuple[int, int]]:
    """Annotator code → (checks passed, checks answered), over the four-way labels."""
    codes = label_codes(FOUR_WAY)
    rows = study.is_check & (study.presentations == 0)
    pairs = study.pairs[rows]
    is_right = codes[study.labels[rows]] == codes[study.expected[pairs]]
    checks = pairs if study.comparisons is None else study.comparisons[pairs]
    counts = count_passed_checks(study.annotators[rows], checks, is_right)
    return {code: counts.get(code, (0, 0)) for code in range(len(study.annotator_names))}


def count_passed_checks(
    annotators: Codes, checks: Codes, is_right: NDArray[np.bool_]
) -> dict[int, tuple[int, int]]:
    """Annotator → (checks passed, checks answered), from answers to the pairs of checks.

    >>> count_passed_checks(np.array([4, 4, 4]), np.array([1, 1, 2]), np.array([True, False, True]))
    {4: (1, 2)}
    """
    cells, cell_of = np.unique(np.stack([annotators, checks]), axis=1, return_inverse=True)
    is_passed = np.bincount(cell_of.reshape(-1), ~is_right, cells.shape[1]) == 0
    people, code_of = np.unique(cells[0], return_inverse=True)
    passed, total = np.bincount(code_of, is_passed), np.bincount(code_of)
    rows = zip(people.tolist(), passed.astype(int).tolist(), total.tolist(), strict=True)
    return {person: (good, seen) for person, good, seen in rows}


def find_speeders(study: Study) -> set[int]:
    """Return the codes of annotators who answer much faster than the others."""
    times_of = _group_times(study).items()
    medians = {code: float(np.median(times)) for code, times in times_of if len(times) >= MIN_ANSWERS}
    if len(medians) < 2:
        return set()
    usual = float(np.median(list(medians.values())))
    return {code for code, median in medians.items() if median < usual * SPEEDER_SHARE}


def compute_shown_signs(study: Study) -> Ints:
    """Return 1 where the left side won, −1 the right one, 0 a tie, as shown to the annotator."""
    signs = SIDES[study.labels]
    return np.where(study.swapped & (signs != NOT_APPLICABLE), -signs, signs)


def count_times(study: Study) -> tuple[tuple[float, float | None, int], ...]:
    """Return a histogram of (from, to, answers) in seconds; the last bin has no upper end."""
    times = study.active_ms[(study.active_ms != NO_TIME) & study.is_counted]
    counts = np.histogram(times, bins=[*(1000 * edge for edge in EDGES), np.inf])[0].tolist()
    ends: list[float | None] = [*EDGES[1:], None]
    return tuple(zip(EDGES, ends, counts, strict=True))


def _group_times(study: Study) -> dict[int, Codes]:
    """Annotator code → milliseconds of each timed answer, of those who have any."""
    is_timed = (study.active_ms != NO_TIME) & study.is_counted
    annotators, times = study.annotators[is_timed], study.active_ms[is_timed]
    if not len(annotators):
        return {}
    order = np.argsort(annotators, kind="stable")
    codes, starts = np.unique(annotators[order], return_index=True)
    return dict(zip(codes.tolist(), np.split(times[order], starts[1:]), strict=True))
