"""Federmann 2010 (paper 003): do annotators agree about phrases? Table 2, κ and κ′ task by task.

The tasks are not those of the paper: rows are compared by their number only. The printed average is not the
mean of the printed rows, so the table ends with three rows: the average as printed, the mean over tasks (that
of the paper recomputed from its rows), and all judgements pooled, which the paper does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

from appraise.lib.problems import InputError
from evaluation.agreement import AgreementSettings, Judgements, TaskRow, TaskTable, read_judgements
from evaluation.agreement.kappa import collapse_judgements
from evaluation.agreement.tasks import compute_task_table
from evaluation.schemes import FOUR_WAY, SCHEMES, SIX_WAY, Scheme
from metrics.metaeval.datasets import digest
from metrics.replicate import report
from metrics.replicate.report import Note, PaperCell, PaperRow, PaperTable, Replication, ReplicationOptions

NAME = "paper-003"


def run(options: ReplicationOptions, note: Note = lambda message: None) -> Replication:
    """Read the files of judgements and replicate the table."""
    scheme = SCHEMES.get(options.scheme or "six-way")
    if scheme is None:
        message = f"there is no scheme {options.scheme!r}"
        raise InputError.of("unknown_scheme", message, f"known: {', '.join(SCHEMES)}")
    studies, data = read_studies(options.sets, scheme)
    note(f"{sum(map(len, studies.values())):,} judgements of {len(studies)} tasks")
    return replicate_studies(studies, data=data, resamples=options.resamples, seed=options.seed)


def replicate_studies(
    studies: Mapping[str, Judgements],
    *,
    data: Sequence[report.DataDigest] = (),
    resamples: int = 1000,
    seed: int = 1,
) -> Replication:
    """The report of these tasks; those judged with four choices have only κ′."""
    empty = [name for name, study in studies.items() if not len(study)]
    if not studies or empty:
        what = f"in {empty[0]}" if empty else "at all"
        raise InputError.of("no_judgements", f"there are no judgements {what}", "collect some first")
    schemes = {name: find_scheme(name, study) for name, study in studies.items()}
    six = {name: study for name, study in studies.items() if schemes[name] is SIX_WAY}
    four = {name: collapse_judgements(study, schemes[name]) for name, study in studies.items()}
    fine = (
        compute_task_table(six, AgreementSettings(SIX_WAY, resamples=resamples, seed=seed)) if six else None
    )
    coarse = compute_task_table(four, AgreementSettings(FOUR_WAY, resamples=resamples, seed=seed))
    return report.make_replication(
        NAME,
        (_table(fine, coarse), _sizes(studies, coarse.rows)),
        missing=(
            report.MissingPart(f"κ of {name}", f"it was judged with {schemes[name].title}, not with six")
            for name in studies
            if name not in six
        ),
        data=data,
        settings={"resamples": resamples, "seed": seed, "resampled": "sentences"},
    )


def find_scheme(name: str, study: Judgements) -> Scheme:
    """The scheme of a task; the paper has two."""
    for scheme in (SIX_WAY, FOUR_WAY):
        if study.label_names == scheme.labels:
            return scheme
    message = f"{name} was judged with {', '.join(study.label_names)}"
    raise InputError.of("wrong_scheme", message, "choose tasks with six or with four choices")


def read_studies(
    files: Sequence[str], scheme: Scheme
) -> tuple[dict[str, Judgements], tuple[report.DataDigest, ...]]:
    """Read one task from each file of judgements; returns them and their digests. Raises ``InputError``."""
    studies: dict[str, Judgements] = {}
    data = []
    for name in files:
        label = Path(name).name.split(".")[0]
        if label in studies:
            message = f"two files are called {label!r}, which names the task"
            raise InputError.of("duplicate_task", message, "give every file once, under its own name")
        studies[label] = read_judgements(Path(name), scheme.labels)
        data.append(report.DataDigest(Path(name).name, digest([name])))
    return studies, tuple(data)


def _table(fine: TaskTable | None, coarse: TaskTable) -> PaperTable:
    """κ from the tasks with six choices, κ′ from all of them read with four."""
    kappa = {row.task: row for row in fine.rows} if fine else {}
    pooled = fine.pooled if fine else None
    rows = [
        _row(f"task {number}: {row.task}", paper, kappa.get(row.task), row)
        if row
        else _row(f"task {number}", paper)
        for number, (row, paper) in enumerate(zip_longest(coarse.rows, report.KAPPA, fillvalue=None), start=1)
    ]
    means = tuple(sum(column) / len(column) for column in zip(*report.KAPPA, strict=True))
    summaries = [
        _row("average as printed", report.KAPPA_AVERAGE),
        _row("mean over tasks", means, fine.mean if fine else None, coarse.mean),
        _row("pooled", None, pooled, coarse.pooled),
    ]
    notes = _notes(pooled, coarse.pooled)
    return PaperTable("Table 2: κ and κ′", ("κ", "κ′"), (*rows, *summaries), notes, 4)


def _row(
    label: str, printed: Sequence[float] | None, six: TaskRow | None = None, four: TaskRow | None = None
) -> PaperRow:
    cells = [
        PaperCell(paper, row.kappa, *(row.interval or (None, None))) if row else PaperCell(paper)
        for paper, row in zip(printed or (None, None), (six, four), strict=True)
    ]
    return PaperRow(label, tuple(cells))


def _notes(six: TaskRow | None, four: TaskRow) -> tuple[str, ...]:
    kappa = f"κ {six.band or 'without data'}, " if six else ""
    return (
        "P(E) is fixed: 1/6 for κ over six choices, 1/4 for κ′ over the four that they collapse to.",
        f"The paper finds fair agreement by κ and substantial agreement by κ′; pooled, ours is {kappa}"
        f"κ′ {four.band or 'without data'}, over {four.pairs:,} pairs of judgements.",
        "The paper’s tasks are not ours: the rows stand beside each other by their number only. "
        "Its average is not the mean of its rows, which is given below it.",
    )


def _sizes(studies: Mapping[str, Judgements], rows: Sequence[TaskRow]) -> PaperTable:
    people = {name for study in studies.values() for name in study.annotator_names}
    sentences = sum(len(set(study.sentences.tolist())) for study in studies.values()) / len(rows)
    items = sum(row.items for row in rows)
    judged = sum(row.judgements for row in rows)
    ours = (len(rows), sentences, len(people), items, judged)
    labels = ("tasks", "sentences a task", "annotators", "phrase pairs", "judgements")
    cells = zip(labels, report.KAPPA_SIZES, ours, strict=True)
    note = "The paper counts 15,325 scores for phrase pairs and does not say how many different pairs."
    return PaperTable(
        "Size of the evaluation",
        ("number",),
        tuple(PaperRow(label, (PaperCell(paper, float(value)),)) for label, paper, value in cells),
        (note,),
        0,
    )
