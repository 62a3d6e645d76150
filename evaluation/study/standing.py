"""Is it decided which of two systems is better, and is κ known precisely enough?

One value per sentence and two systems: (wins − losses) / votes over all phrases and annotators, taken when
all of its questions about the two are answered, in the order in which that happened. These values feed the
bets of ``evaluation.sequential``. With K pairs of systems each is decided at α / K, so that the chance that
*any* decision of the task is ever wrong stays below α.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.bootstrap import Interval
from evaluation.agreement.judgements import Codes, Ints
from evaluation.agreement.tasks import Reading, task_row
from evaluation.sequential import Decision, Precision, decide, precision
from evaluation.study.systems import Meetings, cast_votes, study_votes
from evaluation.study.values import Study

ALPHA = 0.05
HALF_WIDTH = 0.05


class Versus(NamedTuple):
    """Two systems; ``under_way`` counts sentences with a vote that are not complete yet."""

    a: str
    b: str
    under_way: int
    decision: Decision

    @property
    def better(self) -> str | None:
        """The system that is better, once that is decided."""
        return {1: self.a, -1: self.b, 0: None}[self.decision.better]


@dataclass(frozen=True, slots=True)
class Standing:
    """``precision`` is about κ, over ``sentences`` that two people judged; ``None`` without an interval."""

    alpha: float
    versus: tuple[Versus, ...]
    kappa: float | None
    interval: Interval | None
    sentences: int
    precision: Precision | None

    @property
    def undecided(self) -> int:
        return sum(not one.decision.better for one in self.versus)


def study_standing(
    study: Study,
    meetings: Meetings,
    open_pairs: NDArray[np.bool_],
    *,
    alpha: float = ALPHA,
    wanted: float = HALF_WIDTH,
    resamples: int = 1000,
) -> Standing:
    """How things stand; ``open_pairs`` says of each pair of the study whether answers to it are awaited."""
    if not 0 < alpha < 1 or wanted <= 0:
        raise ValueError(f"an error rate in (0, 1) and a width above 0 expected, found {alpha} and {wanted}")
    judgements = study.judgements()
    row = task_row("", judgements, Reading(study.scheme, resamples=resamples))
    sentences = len(np.unique(judgements.sentences[judgements.counts.sum(axis=0)[judgements.items] > 1]))
    low, high = row.interval or (None, None)
    return Standing(
        alpha,
        _versus(study, meetings, open_pairs, alpha),
        row.kappa,
        row.interval,
        sentences,
        precision(sentences, low, high, wanted),
    )


def _versus(
    study: Study, meetings: Meetings, open_pairs: NDArray[np.bool_], alpha: float
) -> tuple[Versus, ...]:
    names = meetings.system_names
    units = Units.of(study, meetings, open_pairs)
    contests = np.unique(_contest(meetings.first, meetings.second, len(names))[0])
    contests = contests[contests // len(names) != contests % len(names)]
    found = []
    for contest in contests.tolist():
        mine = units.contests == contest
        complete = mine & ~units.awaited
        in_order = np.flatnonzero(complete)[np.argsort(units.finished[complete], kind="stable")]
        decision = decide(units.values[in_order], alpha / len(contests))
        a, b = names[contest // len(names)], names[contest % len(names)]
        found.append(Versus(a, b, int((mine & units.awaited).sum()), decision))
    return tuple(found)


class Units(NamedTuple):
    """Sentences with votes, once for each two systems: their value, and when the last vote came."""

    contests: Ints
    values: NDArray[np.float64]
    finished: Ints
    awaited: NDArray[np.bool_]

    @classmethod
    def of(cls, study: Study, meetings: Meetings, open_pairs: NDArray[np.bool_]) -> Units:
        votes, size = study_votes(study, meetings), len(meetings.system_names)
        contest, turned = _contest(votes.first, votes.second, size)
        many = int(meetings.sentences.max(initial=0)) + 1
        keys, unit = np.unique(contest * many + votes.sentences, return_inverse=True)
        signs = np.where(turned, -votes.signs, votes.signs)
        finished = np.zeros(len(keys), dtype=np.int64)
        np.maximum.at(finished, unit, cast_votes(study, meetings)[0])
        number = np.bincount(unit, minlength=len(keys))
        values = np.bincount(unit, signs, minlength=len(keys)) / np.maximum(number, 1)
        there = _contest(meetings.first, meetings.second, size)[0] * many + meetings.sentences
        awaited = np.isin(keys, there[open_pairs[meetings.pairs]])
        return cls(keys // many, values, finished, awaited)


def _contest(first: Codes, second: Codes, size: int) -> tuple[Ints, NDArray[np.bool_]]:
    """A code for two systems in either order, and whether they were swapped for it."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)
    return low * size + high, first > second
