"""Federmann 2010 (paper 003): do annotators agree about phrases? Table 2, κ and κ′ task by task.

The tasks here are others than the paper's: the first stands beside the paper's first. The printed average is
not the mean of the printed rows, so three rows close the table: the average as printed, the mean over tasks
(the paper's recomputed from its rows), and all judgements pooled, which the paper does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.agreement import (
    Interval,
    Judgements,
    Reading,
    TaskRow,
    TaskTable,
    agreement_by_task,
    read_judgements,
)
from evaluation.agreement.ordered import collapsed_part
from evaluation.problems import InputError, Problem
from evaluation.schemes import FOUR_WAY, SIX_WAY, Scheme
from metrics.replicate.printed import KAPPA, KAPPA_AVERAGE, KAPPA_SIZES
from metrics.replicate.values import Cell, Data, Missing, Report, Row, Table, data_of, replication

NAME = "paper-003"


def replicate(
    studies: Mapping[str, Judgements], *, data: Sequence[Data] = (), resamples: int = 1000, seed: int = 1
) -> Report:
    """The report of these tasks; those that were judged with four choices have a κ′ only."""
    empty = [name for name, study in studies.items() if not len(study)]
    if not studies or empty:
        what = f"in {empty[0]}" if empty else "at all"
        raise InputError(Problem("no_judgements", f"there are no judgements {what}", "collect some first"))
    schemes = {name: scheme_of(name, study) for name, study in studies.items()}
    six = {name: study for name, study in studies.items() if schemes[name] is SIX_WAY}
    four = {name: collapsed_part(study, schemes[name]) for name, study in studies.items()}
    fine = agreement_by_task(six, Reading(SIX_WAY, resamples=resamples, seed=seed)) if six else None
    coarse = agreement_by_task(four, Reading(FOUR_WAY, resamples=resamples, seed=seed))
    return replication(
        NAME,
        (_table(fine, coarse), _sizes(studies, coarse.rows)),
        missing=(
            Missing(f"κ of {name}", f"it was judged with {schemes[name].title}, not with six")
            for name in studies
            if name not in six
        ),
        data=data,
        settings={"resamples": resamples, "seed": seed, "resampled": "sentences"},
    )


def scheme_of(name: str, study: Judgements) -> Scheme:
    """The scheme that a task was judged with; the paper knows two."""
    for scheme in (SIX_WAY, FOUR_WAY):
        if study.label_names == scheme.labels:
            return scheme
    message = f"{name} was judged with {', '.join(study.label_names)}"
    raise InputError(Problem("wrong_scheme", message, "choose tasks with six or with four choices"))


def read(files: Sequence[str], scheme: Scheme) -> tuple[dict[str, Judgements], tuple[Data, ...]]:
    """One task for each file of judgements, and what was read; raises ``InputError``."""
    studies: dict[str, Judgements] = {}
    data = []
    for name in files:
        label = Path(name).name.split(".")[0]
        if label in studies:
            message = f"two files are called {label!r}, which names the task"
            raise InputError(Problem("duplicate_task", message, "name each file once, and otherwise"))
        studies[label] = read_judgements(Path(name), scheme.labels)
        data.append(data_of(Path(name).name, [Path(name)]))
    return studies, tuple(data)


def _table(fine: TaskTable | None, coarse: TaskTable) -> Table:
    """κ from the tasks with six choices, κ′ from all of them read with four."""
    kappa = {row.task: row for row in fine.rows} if fine else {}
    pooled = fine.pooled if fine else None
    rows = [
        _row(f"task {number + 1}: {row.task}", _printed(number), kappa.get(row.task), row)
        for number, row in enumerate(coarse.rows)
    ]
    rows += [_unmatched(number) for number in range(len(coarse.rows), len(KAPPA))]
    summaries = [
        Row("average as printed", (Cell(KAPPA_AVERAGE[0]), Cell(KAPPA_AVERAGE[1]))),
        _row("mean over tasks", _printed_mean(), fine.mean if fine else None, coarse.mean),
        _row("pooled", (None, None), pooled, coarse.pooled),
    ]
    notes = _notes(pooled, coarse.pooled)
    return Table("Table 2: κ and κ′", ("κ", "κ′"), (*rows, *summaries), notes, 4)


def _row(label: str, paper: tuple[float | None, float | None], six: TaskRow | None, four: TaskRow) -> Row:
    kappa = _cell(paper[0], six.kappa, six.interval) if six else Cell(paper[0])
    return Row(label, (kappa, _cell(paper[1], four.kappa, four.interval)))


def _cell(paper: float | None, value: float | None, interval: Interval | None) -> Cell:
    return Cell(paper, value, *(interval or (None, None)))


def _printed(number: int) -> tuple[float | None, float | None]:
    return KAPPA[number] if number < len(KAPPA) else (None, None)


def _unmatched(number: int) -> Row:
    kappa, prime = KAPPA[number]
    return Row(f"task {number + 1}", (Cell(kappa), Cell(prime)))


def _printed_mean() -> tuple[float, float]:
    return sum(row[0] for row in KAPPA) / len(KAPPA), sum(row[1] for row in KAPPA) / len(KAPPA)


def _notes(six: TaskRow | None, four: TaskRow) -> tuple[str, ...]:
    kappa = f"κ {six.band or 'without data'}, " if six else ""
    return (
        "P(E) is fixed: 1/6 for κ over six choices, 1/4 for κ′ over the four that they collapse to.",
        f"The paper finds fair agreement by κ and substantial agreement by κ′; pooled, ours is {kappa}"
        f"κ′ {four.band or 'without data'}, over {four.pairs:,} pairs of judgements.",
        "The paper’s tasks are not ours: the rows stand beside each other by their number only. "
        "Its average is not the mean of its rows, which is given below it.",
    )


def _sizes(studies: Mapping[str, Judgements], rows: Sequence[TaskRow]) -> Table:
    people = {name for study in studies.values() for name in study.annotator_names}
    sentences = sum(len(set(study.sentences.tolist())) for study in studies.values()) / len(rows)
    items = sum(row.items for row in rows)
    judged = sum(row.judgements for row in rows)
    ours = (len(rows), sentences, len(people), items, judged)
    labels = ("tasks", "sentences a task", "annotators", "phrase pairs", "judgements")
    cells = zip(labels, KAPPA_SIZES, ours, strict=True)
    note = "The paper counts 15,325 scores for phrase pairs and does not say how many different pairs."
    return Table(
        "Size of the evaluation",
        ("number",),
        tuple(Row(label, (Cell(paper, float(value)),)) for label, paper, value in cells),
        (note,),
        0,
    )
