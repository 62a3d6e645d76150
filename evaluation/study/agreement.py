"""Every figure of the agreement page, computed together from one study."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement import AgreementReport, AgreementSettings, TaskRow, TaskTable, compute_agreement
from evaluation.agreement.stability import TimeWindow, compute_timeline, estimate_judgements_needed
from evaluation.agreement.tasks import average_task_rows, compute_task_row
from evaluation.schemes import SCHEMES
from evaluation.study.annotators import (
    AnnotatorLine,
    Filter,
    compute_annotator_lines,
    count_times,
    find_doubtful_annotators,
    select_answers,
)
from evaluation.study.systems import SystemPairs
from evaluation.study.values import Study, VoterChoices, add_voters

HALF_WIDTHS = (0.05, 0.02, 0.01)


@dataclass(frozen=True, slots=True)
class Subset:
    """κ after applying filters."""

    without: tuple[Filter, ...]
    row: TaskRow


@dataclass(frozen=True, slots=True)
class AgreementSummary:
    """A report with its surrounding figures, all computed after applying the filters ``without``.

    ``voters`` take part in the report and in the rows of tasks; all other figures are about people.
    """

    report: AgreementReport
    mixed: bool
    without: tuple[Filter, ...]
    by_task: TaskTable
    subsets: tuple[Subset, ...]
    annotators: tuple[AnnotatorLine, ...]
    times: tuple[tuple[float, float | None, int], ...]
    windows: tuple[TimeWindow, ...]
    wanted: tuple[tuple[float, int | None], ...]
    voters: tuple[str, ...] = ()


def summarise_agreement(
    study: Study,
    system_pairs: SystemPairs | None = None,
    *,
    without: Collection[Filter] = (),
    votes: VoterChoices | None = None,
    resamples: int = 1000,
    seed: int = 1,
) -> AgreementSummary:
    """Summarise the agreement of the filtered answers; subsets are always those of the whole study."""
    people = study.filter_rows(select_answers(study, without)) if without else study
    everybody = add_voters(people, votes) if votes else people
    judgements = everybody.judgements()
    report = compute_agreement(
        judgements, people.scheme, resamples=resamples, seed=seed, repeats=people.repeats()
    )
    settings = AgreementSettings(people.scheme, resamples=resamples, seed=seed)
    pooled = _pooled_row(report)
    return AgreementSummary(
        report=report,
        mixed=study.is_mixed,
        without=tuple(sorted(without)),
        by_task=_compute_task_table(everybody, settings, pooled),
        subsets=_compute_subsets(study, settings, None if without or votes else pooled),
        annotators=compute_annotator_lines(people, system_pairs),
        times=count_times(people),
        windows=compute_timeline(people.judgements() if votes else judgements),
        wanted=tuple(
            (width, estimate_judgements_needed(len(judgements), report.kappa.interval, width))
            for width in HALF_WIDTHS
        ),
        voters=tuple(votes or ()),
    )


def _pooled_row(report: AgreementReport) -> TaskRow:
    """The headline κ as a row of the table of tasks."""
    kappa, counts = report.kappa, (report.items, report.judgements, report.pairs)
    return TaskRow("pooled", *counts, kappa.value, kappa.interval, kappa.prime, kappa.prime_interval)


def _compute_task_table(study: Study, settings: AgreementSettings, pooled: TaskRow) -> TaskTable:
    """Compute each task with its own scheme; the pooled row uses the scheme that all have in common."""
    if len(study.tasks) == 1:
        rows: tuple[TaskRow, ...] = (replace(pooled, task=study.tasks[0].slug),)
    else:
        rows = tuple(
            compute_task_row(
                task.slug,
                study.select_task(n).judgements(),
                replace(settings, scheme=SCHEMES[task.scheme]),
            )
            for n, task in enumerate(study.tasks)
        )
    mean = average_task_rows(rows)
    if study.is_mixed:  # κ of different schemes can be neither averaged nor pooled; κ′ can be both
        mean, pooled = (replace(row, kappa=None, interval=None) for row in (mean, pooled))
    return TaskTable(rows, mean, pooled)


def _compute_subsets(
    study: Study, settings: AgreementSettings, unfiltered: TaskRow | None
) -> tuple[Subset, ...]:
    """Compute κ without filters (``unfiltered``, if known), with each filter, and with all of them."""
    combinations: list[tuple[Filter, ...]] = [(), *((name,) for name in Filter), tuple(Filter)]
    rows: dict[bytes, TaskRow] = {}  # several filters often leave out the same answers, or none
    if unfiltered is not None:
        rows[_pack(select_answers(study, ()))] = unfiltered
    doubtful = find_doubtful_annotators(study)
    subsets: list[Subset] = []
    for without in combinations:
        mask = select_answers(study, without, doubtful)
        key = _pack(mask)
        if key not in rows:
            answers = study if mask.all() else study.filter_rows(mask)
            rows[key] = compute_task_row("", answers.judgements(settings.scheme), settings)
        subsets.append(Subset(without, rows[key]))
    return tuple(subsets)


def _pack(mask: NDArray[np.bool_]) -> bytes:
    return np.packbits(mask).tobytes()
