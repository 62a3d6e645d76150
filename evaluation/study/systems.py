"""Votes and results of systems: every ranking of a pair counts at every occurrence of the pair.

A pair that occurs in several comparisons is judged once and is a vote at each occurrence; a candidate that
several systems wrote is a vote for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.judgements import Codes, Ints
from evaluation.results import SystemResults, Votes, compute_system_results
from evaluation.schemes import SIX_WAY
from evaluation.study.values import Study

NO_VOTE = 9
# The sign of each six-way label; N/A is no vote.
SIGNS = np.array([NO_VOTE if c.sign is None else c.sign for c in SIX_WAY.choices], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class SystemPairs:
    """Row i: at one occurrence (in a sentence), ``first[i]`` wrote the first text of ``pairs[i]``."""

    pairs: Codes
    sentences: Codes
    first: Codes
    second: Codes
    system_names: tuple[str, ...]


def pair_systems(
    pairs: Codes,
    sentences: Codes,
    first: Codes,
    second: Codes,
    outputs: Ints,
    system_names: tuple[str, ...],
) -> SystemPairs:
    """Pair every system of the ``first`` candidate with every system of the ``second``, per occurrence.

    ``outputs`` is (candidate, system) × outputs; a candidate without a system has no rows.
    """
    rows, first_systems = _join(first, outputs)
    matches, second_systems = _join(second[rows], outputs)
    rows, first_systems = rows[matches], first_systems[matches]
    return SystemPairs(pairs[rows], sentences[rows], first_systems, second_systems, system_names)


def collect_system_votes(study: Study, system_pairs: SystemPairs) -> Votes:
    """Collect the first presentations of ordinary pairs as votes between systems."""
    answers, rows = join_votes(study, system_pairs)
    return Votes(
        first=system_pairs.first[rows].astype(np.int64),
        second=system_pairs.second[rows].astype(np.int64),
        signs=SIGNS[study.labels[answers]],
        sentences=system_pairs.sentences[rows].astype(np.int64),
        annotators=study.annotators[answers].astype(np.int64),
        system_names=system_pairs.system_names,
        annotator_names=study.annotator_names,
    )


def join_votes(
    study: Study, system_pairs: SystemPairs, *, with_not_applicable: bool = False
) -> tuple[Ints, Ints]:
    """Return for each vote its answer (row of the study) and its row of ``system_pairs``."""
    is_vote = with_not_applicable | (SIGNS[study.labels] != NO_VOTE)
    answers = np.flatnonzero(study.is_counted & is_vote)
    numbered = np.stack([system_pairs.pairs, np.arange(len(system_pairs.pairs))])
    matches, rows = _join(study.pairs[answers], numbered)
    return answers[matches], rows


def compute_study_results(
    study: Study, system_pairs: SystemPairs, *, resamples: int = 1000, seed: int = 1
) -> SystemResults:
    return compute_system_results(collect_system_votes(study, system_pairs), resamples=resamples, seed=seed)


def _join(keys: Codes, table: Ints) -> tuple[Ints, Ints]:
    """Inner join: return positions in ``keys`` and the matching values of ``table`` (keys, values).

    >>> [part.tolist() for part in _join(np.array([7, 5, 7]), np.array([[7, 7, 8], [1, 2, 3]]))]
    [[0, 0, 2, 2], [1, 2, 1, 2]]
    """
    order = np.argsort(table[0], kind="stable")
    table_keys, values = table[0][order], table[1][order]
    starts, ends = (np.searchsorted(table_keys, keys, side) for side in ("left", "right"))
    matches = ends - starts
    within = np.arange(matches.sum()) - np.repeat(np.cumsum(matches) - matches, matches)
    return np.repeat(np.arange(len(keys)), matches), values[np.repeat(starts, matches) + within]
