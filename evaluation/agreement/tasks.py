"""Agreement by task, the layout of paper 003's Table 2, with intervals.

The "avg." row of the paper is not the mean of its rows. Therefore both candidates are given by name: the
*mean over tasks*, in which each task has the same weight, and *pooled*, all judgements together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

import numpy as np

from appraise.lib.resampling import Interval
from evaluation.agreement.bootstrap import Bootstrap
from evaluation.agreement.coefficients import fixed_kappa
from evaluation.agreement.judgements import Codes, Judgements
from evaluation.agreement.kappa import collapse_judgements, name_band
from evaluation.agreement.tally import Tally
from evaluation.schemes import Scheme

MIN_SENTENCES = 5
"""Sentences that an interval needs: four have only 35 different resamples, too few for a 95 % interval."""


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
        return name_band(self.kappa)

    @property
    def band_prime(self) -> str | None:
        return name_band(self.prime)


@dataclass(frozen=True, slots=True)
class TaskTable:
    rows: tuple[TaskRow, ...]
    mean: TaskRow
    pooled: TaskRow


@dataclass(frozen=True, slots=True)
class AgreementSettings:
    """How the agreement of every task is computed."""

    scheme: Scheme
    resamples: int = 1000
    seed: int = 1


def compute_task_table(tasks: Mapping[str, Judgements], settings: AgreementSettings) -> TaskTable:
    """Compute one row for each task, in the given order, and the two summaries."""
    rows = tuple(compute_task_row(name, judgements, settings) for name, judgements in tasks.items())
    pooled = pool_judgements(list(tasks.values()), settings.scheme.labels)
    return TaskTable(rows, average_task_rows(rows), compute_task_row("pooled", pooled, settings))


def compute_task_row(name: str, judgements: Judgements, settings: AgreementSettings) -> TaskRow:
    """Compute κ and κ′ of one task from the same resamples."""
    requests = [
        (fixed_kappa(labelled.size), Tally.of(labelled))
        for labelled in (judgements, collapse_judgements(judgements, settings.scheme))
    ]
    kappa, prime = Bootstrap(judgements, settings.resamples, settings.seed).estimate(requests)
    items, pairs = len(judgements.judged_items[0]), int(requests[0][1].pairs[1].sum())
    return TaskRow(
        name, items, len(judgements), pairs, kappa.value, kappa.interval, prime.value, prime.interval
    )


def compute_part_row(name: str, judgements: Judgements, settings: AgreementSettings) -> TaskRow:
    """Compute κ and κ′ of a part of a task, with intervals only where resamples of its sentences differ."""
    row = compute_task_row(name, judgements, settings)
    has_enough = judgements.sentence_count >= MIN_SENTENCES
    kappa, prime = (
        interval if has_enough and interval and interval[0] < interval[1] else None
        for interval in (row.interval, row.prime_interval)
    )
    return replace(row, interval=kappa, prime_interval=prime)


def average_task_rows(rows: Sequence[TaskRow]) -> TaskRow:
    """Return the unweighted mean over the tasks that have a κ."""
    items, judgements, pairs = (
        sum(getattr(row, name) for row in rows) for name in ("items", "judgements", "pairs")
    )
    kappa, prime = mean_of_known(row.kappa for row in rows), mean_of_known(row.prime for row in rows)
    return TaskRow("mean over tasks", items, judgements, pairs, kappa, None, prime, None)


def pool_judgements(studies: Sequence[Judgements], label_names: Sequence[str]) -> Judgements:
    """Merge studies; annotators of the same name are one, items and sentences stay distinct."""
    names = sorted({name for study in studies for name in study.annotator_names})
    code_of = {name: code for code, name in enumerate(names)}
    if any(study.label_names != tuple(label_names) for study in studies):
        raise ValueError(f"expected studies with the labels {', '.join(label_names)}")
    empty = np.zeros(0, dtype=np.int64)
    codes = [np.array([code_of[name] for name in study.annotator_names], dtype=np.int64) for study in studies]
    return Judgements(
        np.concatenate([empty, *(own[study.annotators] for own, study in zip(codes, studies, strict=True))]),
        _concatenate_codes([study.items for study in studies]),
        np.concatenate([empty, *(study.labels for study in studies)]),
        _concatenate_codes([study.sentences for study in studies]),
        tuple(label_names),
        tuple(names),
    )


def _concatenate_codes(columns: Sequence[Codes]) -> Codes:
    """Concatenate codes of several studies, shifted so that none is shared."""
    shifted: list[Codes] = [np.zeros(0, dtype=np.int64)]
    start = 0
    for column in columns:
        shifted.append(column + start)
        start += int(column.max(initial=-1)) + 1
    return np.concatenate(shifted)


def mean_of_known(values: Iterable[float | None]) -> float | None:
    """Return the mean of the values that are not None; None without any."""
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
