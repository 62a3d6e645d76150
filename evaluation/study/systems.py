"""Which system wins: every verdict on a pair counts wherever the pair stands.

A pair that occurs in several comparisons is judged once and is a vote at each place; a candidate that several
systems wrote is a vote for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.judgements import Codes, Ints
from evaluation.results import SystemResults, Votes, system_results
from evaluation.schemes import SIX_WAY
from evaluation.study.values import Study

# Of the six-way codes; N/A has no sign and casts no vote.
SIGNS = np.array([9 if choice.sign is None else choice.sign for choice in SIX_WAY.choices], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Meetings:
    """Row i: at one place (of a sentence), system ``first[i]`` holds the first text of ``pairs[i]``."""

    pairs: Codes
    sentences: Codes
    first: Codes
    second: Codes
    system_names: tuple[str, ...]


def meet(
    pairs: Codes,
    sentences: Codes,
    first: Codes,
    second: Codes,
    writers: Ints,
    system_names: tuple[str, ...],
) -> Meetings:
    """Every system of the ``first`` candidate against every system of the ``second``, at each place.

    ``writers`` is (candidate, system that wrote it) × outputs; a candidate that nobody wrote meets nobody.
    """
    place, one = _matched(first, writers)
    again, other = _matched(second[place], writers)
    place, one = place[again], one[again]
    return Meetings(pairs[place], sentences[place], one, other, system_names)


def study_votes(study: Study, meetings: Meetings) -> Votes:
    """First presentations of ordinary pairs, as votes between systems."""
    answer, place = cast_votes(study, meetings)
    return Votes(
        first=meetings.first[place].astype(np.int64),
        second=meetings.second[place].astype(np.int64),
        signs=SIGNS[study.labels[answer]],
        sentences=meetings.sentences[place].astype(np.int64),
        annotators=study.annotators[answer].astype(np.int64),
        system_names=meetings.system_names,
        annotator_names=study.annotator_names,
    )


def cast_votes(study: Study, meetings: Meetings) -> tuple[Ints, Ints]:
    """For each vote the answer (row of the study) and the place (row of the meetings) that it comes from."""
    rows = np.flatnonzero(study.counted & (SIGNS[study.labels] != 9))
    answer, place = _matched(study.pairs[rows], np.stack([meetings.pairs, np.arange(len(meetings.pairs))]))
    return rows[answer], place


def study_results(study: Study, meetings: Meetings, *, resamples: int = 1000, seed: int = 1) -> SystemResults:
    return system_results(study_votes(study, meetings), resamples=resamples, seed=seed)


def _matched(keys: Codes, table: Ints) -> tuple[Ints, Ints]:
    """Join: places in ``keys`` and the values of ``table`` (keys, values) that belong to them.

    >>> [part.tolist() for part in _matched(np.array([7, 5, 7]), np.array([[7, 7, 8], [1, 2, 3]]))]
    [[0, 0, 2, 2], [1, 2, 1, 2]]
    """
    order = np.argsort(table[0], kind="stable")
    known, values = table[0][order], table[1][order]
    starts, ends = (np.searchsorted(known, keys, side) for side in ("left", "right"))
    often = ends - starts
    return np.repeat(np.arange(len(keys)), often), values[np.repeat(starts, often) + _counting(often)]


def _counting(often: Ints) -> Ints:
    """0…n−1 for each n, one after the other.

    >>> _counting(np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    return np.arange(often.sum()) - np.repeat(np.cumsum(often) - often, often)
