"""Reads the rankings of a published campaign as a study, so that the reports of a task apply to it.

A *pair* is two different outputs of one source, whichever systems wrote them, with the smaller text first; a
judge's first answer to it counts. Systems that wrote the same text were shown as one and are not compared.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from evaluation.agreement.judgements import CodeAssigner
from evaluation.schemes import FOUR_WAY, Choice
from evaluation.study import Study, StudyTask, SystemPairs
from evaluation.study.systems import pair_systems
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME
from metrics.ranking.data import RankedSet

LABELS = {1: CODE_OF[Choice.A_BETTER], 0: CODE_OF[Choice.EQUAL], -1: CODE_OF[Choice.B_BETTER]}


class OutputPair(NamedTuple):
    """Two outputs of a source; ``campaign`` and ``source`` are numbers."""

    campaign: int
    source: int
    first: str
    second: str


@dataclass(frozen=True, eq=False)
class Reread:
    """Answers, who met whom, and the pairs in the order of the study's codes."""

    study: Study
    meetings: SystemPairs
    pairs: tuple[OutputPair, ...]


def reread(campaigns: Mapping[str, RankedSet]) -> Reread:
    """Campaigns by their names as the tasks of one study."""
    judges, pairs = CodeAssigner(), CodeAssigner()
    answers: dict[tuple[int, int], int] = {}  # judge and pair: label
    for number, ranked in enumerate(campaigns.values()):
        for ranking in ranked.rankings:
            judge = judges[ranking.judge]
            for (one, x), (other, y) in itertools.combinations(ranking.ranks, 2):
                (first, of_first), (second, of_second) = sorted(
                    [(ranked.texts[one], x), (ranked.texts[other], y)]
                )
                if first != second:
                    pair = pairs[OutputPair(number, ranked.source_of[one], first, second)]
                    sign = (of_second > of_first) - (of_second < of_first)
                    answers.setdefault((judge, pair), LABELS[sign])
    found: list[OutputPair] = list(pairs)  # type: ignore[arg-type]  # a coder's keys are what was asked for
    names = [str(judge) for judge in judges]
    return Reread(_study(list(campaigns), names, answers, found), _meetings(campaigns, found), tuple(found))


def _study(
    campaigns: Sequence[str],
    judges: Sequence[str],
    answers: Mapping[tuple[int, int], int],
    pairs: Sequence[OutputPair],
) -> Study:
    who, about = np.array(list(answers), dtype=np.int64).reshape(-1, 2).T
    nothing, sentences = np.zeros(len(answers), dtype=np.int64), CodeAssigner()
    return Study(
        tasks=tuple(StudyTask(name, name, FOUR_WAY.name) for name in campaigns),
        annotator_names=tuple(judges),
        annotators=who,
        pairs=about,
        presentations=nothing,
        labels=np.array(list(answers.values()), dtype=np.int64),
        swapped=nothing.astype(bool),
        surplus=nothing.astype(bool),
        active_ms=nothing + NO_TIME,
        pair_keys=np.arange(len(pairs)),
        pair_tasks=np.array([pair.campaign for pair in pairs], dtype=np.int64),
        pair_sentences=np.array([sentences[pair[:2]] for pair in pairs], dtype=np.int64),
        expected=np.full(len(pairs), NO_CHECK),
    )


def _meetings(campaigns: Mapping[str, RankedSet], pairs: Sequence[OutputPair]) -> SystemPairs:
    """Every writer of the first text against every writer of the second."""
    texts, systems = CodeAssigner(), CodeAssigner()
    writers = [
        (texts[number, source, text], systems[system])
        for number, ranked in enumerate(campaigns.values())
        for source, text, system in zip(ranked.source_of, ranked.texts, ranked.systems, strict=True)
    ]
    codes = np.array([(texts[(*p[:2], p.first)], texts[(*p[:2], p.second)]) for p in pairs], dtype=np.int64)
    first, second = codes.reshape(-1, 2).T
    sentences, number = CodeAssigner(), np.arange(len(pairs))
    of_pair = np.array([sentences[pair[:2]] for pair in pairs], dtype=np.int64)
    table = np.array(sorted(set(writers)), dtype=np.int64).reshape(-1, 2).T
    return pair_systems(number, of_pair, first, second, table, tuple(map(str, systems)))
