"""Use a finished task as a pilot for planning the next."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from evaluation.power import Pilot, agreement_of, read_pilot
from evaluation.results import Votes, expected_wins
from evaluation.study.systems import Meetings, cast_votes, study_votes
from evaluation.study.values import NO_TIME, Study


class StudyPilot(NamedTuple):
    """``systems`` met in it, an answer took ``seconds`` on average; ``better`` and ``worse`` were closest."""

    systems: int
    seconds: float | None
    better: str | None
    worse: str | None
    estimates: Pilot


def study_pilot(study: Study, meetings: Meetings) -> StudyPilot:
    """What to expect of two systems that are as close as the closest neighbours of the pilot.

    People agree as they did about all systems. Which system is the better one is read from the pilot itself,
    so a small pilot makes the difference look larger than it is.
    """
    votes = study_votes(study, meetings)
    _answer, place = cast_votes(study, meetings)
    times = study.active_ms[study.counted & (study.active_ms != NO_TIME)]
    seconds = float(times.mean()) / 1000 if len(times) else None
    systems = len(np.unique(np.concatenate([votes.first, votes.second])))
    found = closest_neighbours(votes)
    if found is None:
        return StudyPilot(systems, seconds, None, None, read_pilot([], [], []))
    better, worse = found
    values, mine = _between(votes, better, worse)
    estimates = read_pilot(values[mine], votes.sentences[mine], place[mine], agreement_of(votes.signs, place))
    names = votes.system_names
    return StudyPilot(systems, seconds, names[better], names[worse], estimates)


def closest_neighbours(votes: Votes) -> tuple[int, int] | None:
    """Of systems next to each other by expected wins, and compared, the two that differ least."""
    shares = expected_wins(votes.wins.astype(np.float64))
    ranked = sorted(np.flatnonzero(~np.isnan(shares)).tolist(), key=lambda system: -shares[system])
    leads = []
    for better, worse in pairwise(ranked):
        values, mine = _between(votes, better, worse)
        if mine.any():
            leads.append((abs(float(values[mine].mean())), better, worse))
    return min(leads)[1:] if leads else None


def _between(votes: Votes, better: int, worse: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The votes as seen by the better one, and which of them are between these two."""
    forth = (votes.first == better) & (votes.second == worse)
    back = (votes.first == worse) & (votes.second == better)
    return np.where(back, -votes.signs, votes.signs), forth | back
