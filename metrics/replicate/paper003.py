"""Federmann 2010 (paper 003): do annotators agree about phrases? Table 2, κ and κ′ task by task.

The tasks here are others than the paper's: the first stands beside the paper's first. The printed average is
not the mean of the printed rows, so three rows close the table: the average as printed, the mean over tasks
(the paper's recomputed from its rows), and all judgements pooled, which the paper does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from evaluation.agreement import Interval, Judgements, Reading, TaskRow, agreement_by_task, read_judgements
from evaluation.problems import InputError, Problem
from evaluation.schemes import SCHEMES, Scheme
from metrics.replicate.printed import KAPPA, KAPPA_AVERAGE, KAPPA_SIZES, PAPERS
from metrics.replicate.values import Cell, Data, Missing, Report, Row, Table, data_of, software

NAME = "paper-003"
SIX_WAY = "six-way"


def replicate(
    studies: Mapping[str, Judgements],
    scheme: Scheme,
    *,
    data: Sequence[Data] = (),
    resamples: int = 1000,
    seed: int = 1,
) -> Report:
    """The report of these tasks; judgements of a scheme with four choices have a κ′ only."""
    empty = [name for name, study in studies.items() if not len(study)]
    if not studies or empty:
        what = f"in {empty[0]}" if empty else "at all"
        raise InputError(Problem("no_judgements", f"there are no judgements {what}", "collect some first"))
    found = agreement_by_task(studies, Reading(scheme, resamples=resamples, seed=seed))
    rows = [
        _row(f"task {number + 1}: {row.task}", _printed(number), row, scheme)
        for number, row in enumerate(found.rows)
    ]
    rows += [_unmatched(number) for number in range(len(found.rows), len(KAPPA))]
    summaries = [
        Row("average as printed", (Cell(KAPPA_AVERAGE[0]), Cell(KAPPA_AVERAGE[1]))),
        _row("mean over tasks", _printed_mean(), found.mean, scheme),
        _row("pooled", (None, None), found.pooled, scheme),
    ]
    table = Table("Table 2: κ and κ′", ("κ", "κ′"), (*rows, *summaries), _notes(found.pooled, scheme), 4)
    return Report(
        recipe=NAME,
        title=PAPERS[NAME].title,
        citation=PAPERS[NAME].citation,
        tables=(table, _sizes(studies, found.rows)),
        missing=_missing(scheme),
        data=tuple(data),
        settings={"scheme": scheme.name, "resamples": resamples, "seed": seed, "resampled": "sentences"},
        software=software(),
    )


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


def scheme_of(studies: Mapping[str, Judgements]) -> Scheme:
    """The scheme that all studies were judged with; the paper knows two."""
    labels = {study.label_names for study in studies.values()}
    found = [scheme for scheme in SCHEMES.values() if {scheme.labels} == labels]
    if not found:
        said = " and ".join(sorted(", ".join(names) for names in labels)) or "nothing"
        remedy = "choose tasks of one scheme, six-way or four-way"
        raise InputError(Problem("wrong_scheme", f"the tasks were judged with {said}", remedy))
    return found[0]


def _row(label: str, paper: tuple[float | None, float | None], row: TaskRow, scheme: Scheme) -> Row:
    kappa = _cell(paper[0], row.kappa, row.interval) if scheme.name == SIX_WAY else Cell(paper[0])
    return Row(label, (kappa, _cell(paper[1], row.prime, row.prime_interval)))


def _cell(paper: float | None, value: float | None, interval: Interval | None) -> Cell:
    return Cell(paper, value, *(interval or (None, None)))


def _printed(number: int) -> tuple[float | None, float | None]:
    return KAPPA[number] if number < len(KAPPA) else (None, None)


def _unmatched(number: int) -> Row:
    kappa, prime = KAPPA[number]
    return Row(f"task {number + 1}", (Cell(kappa), Cell(prime)))


def _printed_mean() -> tuple[float, float]:
    return sum(row[0] for row in KAPPA) / len(KAPPA), sum(row[1] for row in KAPPA) / len(KAPPA)


def _notes(pooled: TaskRow, scheme: Scheme) -> tuple[str, ...]:
    chance = "P(E) is fixed: 1/6 for κ over six choices, 1/4 for κ′ over the four that they collapse to."
    six = f"κ {pooled.band or 'without data'}, " if scheme.name == SIX_WAY else ""
    return (
        chance,
        f"The paper finds fair agreement by κ and substantial agreement by κ′; pooled, ours is {six}"
        f"κ′ {pooled.band_prime or 'without data'}, over {pooled.pairs:,} pairs of judgements.",
        "The paper's tasks are not ours: the rows stand beside each other by their number only. "
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


def _missing(scheme: Scheme) -> tuple[Missing, ...]:
    if scheme.name == SIX_WAY:
        return ()
    return (Missing("κ of Table 2", f"the data were judged with the scheme {scheme.name}, not six-way"),)
