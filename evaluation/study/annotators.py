"""Figures for each annotator: time, side bias, ties, consistency, attention checks, cyclic triads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement import Intra, intra_by_annotator
from evaluation.agreement.judgements import Codes, Ints
from evaluation.results import SideBias, Triads, annotator_triads, side_bias_by_annotator
from evaluation.results.bias import NOT_APPLICABLE
from evaluation.schemes import SIX_WAY
from evaluation.study import filters
from evaluation.study.systems import Meetings, study_votes
from evaluation.study.values import NO_TIME, Study

# As shown, from the stored label; reversed where the second text stood on the left.
SHOWN = np.array([NOT_APPLICABLE if c.sign is None else c.sign for c in SIX_WAY.choices], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class AnnotatorLine:
    """One annotator; a figure without data is None. Times are seconds per answer."""

    annotator: str
    answers: int
    times: tuple[float, float, float] | None
    bias: SideBias
    repeats: Intra | None
    checks_passed: int
    checks: int
    triads: Triads | None
    failed: bool
    speeder: bool

    @property
    def median(self) -> float | None:
        return self.times[1] if self.times else None


def annotator_lines(study: Study, meetings: Meetings | None = None) -> tuple[AnnotatorLine, ...]:
    """Everybody who answered, in the order of their names in the study."""
    bias = side_bias_by_annotator(study.annotators[~study.is_check], shown_signs(study)[~study.is_check])
    checks, failed, fast = filters.checks(study), filters.failed(study), filters.speeders(study)
    repeats = intra_by_annotator(study.repeats())
    triads = annotator_triads(study_votes(study, meetings)) if meetings is not None else {}
    answers = np.bincount(study.annotators[study.counted], minlength=len(study.annotator_names))
    times = _quartiles(study)
    return tuple(
        AnnotatorLine(
            annotator=name,
            answers=int(answers[code]),
            times=times.get(code),
            bias=bias[code],
            repeats=repeats.get(name),
            checks_passed=checks[code][0],
            checks=checks[code][1],
            triads=triads.get(name),
            failed=code in failed,
            speeder=code in fast,
        )
        for code, name in enumerate(study.annotator_names)
        if code in bias
    )


def shown_signs(study: Study) -> Ints:
    """+1 where the left side won, −1 the right one, 0 a tie, as the annotator saw it."""
    signs = SHOWN[study.labels]
    return np.where(study.swapped & (signs != NOT_APPLICABLE), -signs, signs)


def time_histogram(study: Study) -> tuple[tuple[float, float | None, int], ...]:
    """(from, to, answers) in seconds; the last bin is open."""
    timed = study.active_ms[(study.active_ms != NO_TIME) & ~study.is_check]
    counts = np.histogram(timed, bins=[*(1000 * edge for edge in EDGES), np.inf])[0].tolist()
    ends: list[float | None] = [*EDGES[1:], None]
    return tuple(zip(EDGES, ends, counts, strict=True))


EDGES: tuple[float, ...] = (0, 1, 2, 3, 5, 8, 12, 20, 30, 60, 120)


def _quartiles(study: Study) -> dict[int, tuple[float, float, float]]:
    timed = study.active_ms != NO_TIME
    people, times = study.annotators[timed], study.active_ms[timed]
    found = {}
    for person, own in _by_person(people, times).items():
        low, middle, high = np.quantile(own, [0.25, 0.5, 0.75]) / 1000
        found[person] = (float(low), float(middle), float(high))
    return found


def _by_person(people: Codes, values: Codes) -> dict[int, Codes]:
    if not len(people):
        return {}
    order = np.argsort(people, kind="stable")
    codes, starts = np.unique(people[order], return_index=True)
    return dict(zip(codes.tolist(), np.split(values[order], starts[1:]), strict=True))
