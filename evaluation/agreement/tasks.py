"""Agreement task by task, the layout of paper 003's Table 2, with intervals.

The paper's "avg." row is not the mean of its rows. So the two rows that it could be are both given, by
name: the *mean over tasks*, in which each task weighs the same, and *pooled*, all judgements together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from evaluation.agreement.bands import band
from evaluation.agreement.bootstrap import Interval, Unit, sampled
from evaluation.agreement.chance import Chance, Labels
from evaluation.agreement.judgements import Codes, Judgements
from evaluation.agreement.ordered import collapsed_part
from evaluation.agreement.tally import Pairing, Tally
from evaluation.schemes import Scheme


@dataclass(frozen=True, slots=True)
class TaskRow:
    """κ and κ′ of one task; the mean over tasks has no interval."""

    task: str
    items: int
    judgements: int
    pairs: int
    kappa: float | None
    interval: Interval | None
    prime: float | None
    prime_interval: Interval | None

    @property
    def band(self) -> str | None:
        return band(self.kappa)

    @property
    def band_prime(self) -> str | None:
        return band(self.prime)


@dataclass(frozen=True, slots=True)
class TaskTable:
    rows: tuple[TaskRow, ...]
    mean: TaskRow
    pooled: TaskRow


@dataclass(frozen=True, slots=True)
class Reading:
    """How the judgements of every task are read."""

    scheme: Scheme
    chance: Chance = Chance.FIXED
    pairing: Pairing = Pairing.DIFFERENT
    unit: Unit = Unit.SENTENCE
    resamples: int = 1000
    seed: int = 1


def agreement_by_task(studies: Mapping[str, Judgements], reading: Reading) -> TaskTable:
    """One row for each task, in the order given, and the two summaries."""
    rows = tuple(task_row(name, study, reading) for name, study in studies.items())
    everything = pooled(list(studies.values()), reading.scheme.labels)
    return TaskTable(rows, mean_row(rows), task_row("pooled", everything, reading))


def task_row(name: str, study: Judgements, reading: Reading) -> TaskRow:
    """κ and κ′ of one task from the same resamples."""
    asked = [
        (Labels.of(each).kappa(reading.chance), Tally.of(each, reading.pairing))
        for each in (study, collapsed_part(study, reading.scheme))
    ]
    kappa, prime = sampled(asked, study, resamples=reading.resamples, seed=reading.seed, unit=reading.unit)
    items = len(study.seen_items[0])
    pairs = int(asked[0][1].pairs[1].sum())
    return TaskRow(name, items, len(study), pairs, kappa.value, kappa.interval, prime.value, prime.interval)


def mean_row(rows: Sequence[TaskRow]) -> TaskRow:
    """The mean over tasks that have a κ, each weighing the same."""
    return TaskRow(
        "mean over tasks",
        sum(row.items for row in rows),
        sum(row.judgements for row in rows),
        sum(row.pairs for row in rows),
        _mean([row.kappa for row in rows]),
        None,
        _mean([row.prime for row in rows]),
        None,
    )


def pooled(studies: Sequence[Judgements], label_names: Sequence[str]) -> Judgements:
    """All judgements as one study; annotators of one name are one, items and sentences stay apart."""
    names = sorted({name for study in studies for name in study.annotator_names})
    code_of = {name: code for code, name in enumerate(names)}
    if any(study.label_names != tuple(label_names) for study in studies):
        raise ValueError(f"studies with the labels {', '.join(label_names)} expected")
    empty = np.zeros(0, dtype=np.int64)
    codes = [np.array([code_of[name] for name in study.annotator_names], dtype=np.int64) for study in studies]
    return Judgements(
        np.concatenate([empty, *(own[study.annotators] for own, study in zip(codes, studies, strict=True))]),
        _apart([study.items for study in studies]),
        np.concatenate([empty, *(study.labels for study in studies)]),
        _apart([study.sentences for study in studies]),
        tuple(label_names),
        tuple(names),
        _times(studies),
    )


def _apart(columns: Sequence[Codes]) -> Codes:
    """Codes of several studies, moved so that none is shared."""
    found: list[Codes] = [np.zeros(0, dtype=np.int64)]
    start = 0
    for column in columns:
        found.append(column + start)
        start += int(column.max(initial=-1)) + 1
    return np.concatenate(found)


def _times(studies: Sequence[Judgements]) -> np.ndarray[tuple[int], np.dtype[np.float64]] | None:
    known = [study.times for study in studies if study.times is not None]
    return np.concatenate(known) if studies and len(known) == len(studies) else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
