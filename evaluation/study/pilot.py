"""A task that was judged here, as a pilot for the next."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from evaluation.power import Pilot, read_pilot
from evaluation.results import expected_wins
from evaluation.study.systems import Meetings, cast_votes, study_votes
from evaluation.study.values import NO_TIME, Study


class StudyPilot(NamedTuple):
    """``systems`` met in it, an answer took ``seconds`` on average."""

    systems: int
    seconds: float | None
    estimates: Pilot


def study_pilot(study: Study, meetings: Meetings) -> StudyPilot:
    """All pairs of systems together, each turned so that the one with more expected wins comes first.

    The order is that of the pilot itself, so a small pilot makes differences look larger than they are.
    """
    votes = study_votes(study, meetings)
    _answer, place = cast_votes(study, meetings)
    strength = np.nan_to_num(expected_wins(votes.wins.astype(np.float64)), nan=-1.0)
    turned = strength[votes.first] < strength[votes.second]
    values = np.where(turned, -votes.signs, votes.signs)
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    size = len(meetings.system_names)
    units = (votes.sentences * size + low) * size + high
    times = study.active_ms[study.counted & (study.active_ms != NO_TIME)]
    return StudyPilot(
        len(np.unique(np.concatenate([votes.first, votes.second]))),
        float(times.mean()) / 1000 if len(times) else None,
        read_pilot(values, units, place),
    )
