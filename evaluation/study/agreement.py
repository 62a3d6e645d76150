"""Everything on the agreement page, computed together from one study."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement import (
    AgreementReport,
    Reading,
    TaskRow,
    TaskTable,
    judgements_wanted,
    report,
)
from evaluation.agreement.stability import Window
from evaluation.agreement.tasks import mean_row, task_row
from evaluation.schemes import SCHEMES
from evaluation.study.annotators import AnnotatorLine, annotator_lines, time_histogram
from evaluation.study.filters import Filter, doubts, kept
from evaluation.study.machines import MachineVotes, with_machines
from evaluation.study.systems import Meetings
from evaluation.study.timeline import timeline
from evaluation.study.values import Study

HALF_WIDTHS = (0.05, 0.02, 0.01)


@dataclass(frozen=True, slots=True)
class Subset:
    """κ after leaving something out."""

    without: tuple[Filter, ...]
    row: TaskRow


@dataclass(frozen=True, slots=True)
class AgreementSummary:
    """A report with its surrounding figures; ``without`` is what was left out of all of them.

    ``machines`` take part in the report and in the rows of tasks; all the rest is about people.
    """

    report: AgreementReport
    mixed: bool
    without: tuple[Filter, ...]
    by_task: TaskTable
    subsets: tuple[Subset, ...]
    annotators: tuple[AnnotatorLine, ...]
    times: tuple[tuple[float, float | None, int], ...]
    windows: tuple[Window, ...]
    wanted: tuple[tuple[float, int | None], ...]
    machines: tuple[str, ...] = ()


def agreement_summary(
    study: Study,
    meetings: Meetings | None = None,
    *,
    without: Collection[Filter] = (),
    machines: MachineVotes | None = None,
    resamples: int = 1000,
    seed: int = 1,
) -> AgreementSummary:
    """Agreement of the answers that stay; the table of subsets is always about the whole study."""
    some = study.where(kept(study, without)) if without else study
    heard = with_machines(some, machines) if machines else some
    judgements = heard.judgements()
    found = report(judgements, some.scheme, resamples=resamples, seed=seed, repeats=some.repeats())
    reading = Reading(some.scheme, resamples=resamples, seed=seed)
    pooled = pooled_row(found)
    return AgreementSummary(
        report=found,
        mixed=study.mixed,
        without=tuple(sorted(without)),
        by_task=_by_task(heard, reading, pooled),
        subsets=_subsets(study, reading, None if without or machines else pooled),
        annotators=annotator_lines(some, meetings),
        times=time_histogram(some),
        windows=timeline(some.judgements() if machines else judgements),
        wanted=tuple(
            (width, judgements_wanted(len(judgements), found.kappa.interval, width)) for width in HALF_WIDTHS
        ),
        machines=tuple(machines or ()),
    )


def pooled_row(found: AgreementReport) -> TaskRow:
    """The headline as a row of a table."""
    kappa = found.kappa
    return TaskRow(
        "pooled",
        found.items,
        found.judgements,
        found.pairs,
        kappa.value,
        kappa.interval,
        kappa.prime,
        kappa.prime_interval,
    )


def _by_task(study: Study, reading: Reading, pooled: TaskRow) -> TaskTable:
    """Each task by its own scheme; the pooled row over the scheme that all have in common."""
    if len(study.tasks) == 1:
        rows: tuple[TaskRow, ...] = (replace(pooled, task=study.tasks[0].slug),)
    else:
        rows = tuple(
            task_row(task.slug, study.of_task(n).judgements(), replace(reading, scheme=SCHEMES[task.scheme]))
            for n, task in enumerate(study.tasks)
        )
    mean = mean_row(rows)
    if study.mixed:  # κ of different schemes has no mean and no pool; κ′ has both
        mean, pooled = (replace(row, kappa=None, interval=None) for row in (mean, pooled))
    return TaskTable(rows, mean, pooled)


def _subsets(study: Study, reading: Reading, everything: TaskRow | None) -> tuple[Subset, ...]:
    """All answers (``everything``, where it is known), without each kind of doubtful ones, without all."""
    asked: list[tuple[Filter, ...]] = [(), *((name,) for name in Filter), tuple(Filter)]
    found: list[Subset] = []
    known: dict[bytes, TaskRow] = {}  # filters often leave out the same answers, or none
    if everything is not None:
        known[_key(kept(study, ()))] = everything
    doubtful = doubts(study)
    for without in asked:
        mask = kept(study, without, doubtful)
        key = _key(mask)
        if key not in known:
            some = study if mask.all() else study.where(mask)
            known[key] = task_row("", some.judgements(reading.scheme), reading)
        found.append(Subset(without, known[key]))
    return tuple(found)


def _key(mask: NDArray[np.bool_]) -> bytes:
    return np.packbits(mask).tobytes()
