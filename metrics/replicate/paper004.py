"""Guzmán et al. 2014 (paper 004): what discourse adds to other metrics. Tables 2–5.

Each row is a metric or a sum of metrics; columns: alone, with DR, with DR-LEX; figures are means over the
sets. At segment level ties of the metric count against it, as in WMT12. Table 5 needs a second collection.
The metrics are ours, not those of the paper's toolkit; the sums hold those parts of its sums that exist here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from evaluation.problems import InputError, Problem
from metrics import datasets, registry
from metrics.base import MetricUnavailable
from metrics.datasets import Comparisons, Dataset
from metrics.discourse import tables as discourse
from metrics.discourse.families import ALL, LEX, SYN, ULC
from metrics.discourse.tables import (
    Combine,
    JudgedSet,
    Scored,
    judged_cells,
    segment_table,
    system_table,
    tuned,
    tuned_on,
    uniformly,
)
from metrics.learned.combination import NothingToLearn
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.scoring import score_dataset
from metrics.replicate.printed import DISCOURSE
from metrics.replicate.values import (
    Cell,
    Missing,
    Note,
    Report,
    Row,
    Table,
    data_of_sets,
    label_of,
    needs_sets,
    replication,
)

NAME = "paper-004"
COLUMNS = ("alone", "+DR", "+DR-LEX")
PLAIN = ":lowercase=true:tokenize=13a"
SINGLE = {
    "meteor": "meteor:tokenize=13a",
    "nist": "nist" + PLAIN,
    "rouge-w": "rouge-w" + PLAIN,
    "ter": "ter",
    "bleu": "bleu:lowercase=true",
}
SYNTAX = {name: name for name in SYN.metrics}
SUMS = {family.name: family.metrics for family in (LEX, SYN, ULC, ALL)}
TITLES = {"dr": "DR", "dr-lex": "DR-LEX", "rouge-w": "ROUGE", "average": "average"}


@dataclass(frozen=True, slots=True)
class Asked:
    """``model`` is a learned discourse parser (``train discourse``); without one rules cut the sentences.

    ``syntax`` asks for the metrics that parse every judged sentence; ``whole`` scores all outputs for the
    system level, as the paper does, and not the judged ones only.
    """

    sets: tuple[str, ...]
    test: tuple[str, ...] = ()
    model: str = ""
    syntax: bool = False
    whole: bool = False
    resamples: int = 1000
    seed: int = 1


def replicate(asked: Asked, note: Note = lambda message: None) -> Report:
    """Score every set once, then build the tables of the parts that could be scored."""
    needs_sets(NAME, asked.sets)
    signatures: dict[str, str] = {}
    missing: dict[str, str] = {}
    sets, other = (
        [_judged_set(prefix, asked, signatures, missing, note) for prefix in prefixes]
        for prefixes in (asked.sets, asked.test)
    )
    rows = _rows([*sets, *other])
    tables, untuned = _tables(asked, sets, other, rows)
    lost = [
        *(Missing(f"metric {name}", why) for name, why in missing.items()),
        *untuned,
        *_unbuilt(asked, other),
    ]
    return replication(
        NAME,
        tables,
        missing=lost,
        data=data_of_sets((*asked.sets, *asked.test)),
        settings={
            "ties": TieRule.WMT12.value,
            "system level from": "all outputs" if asked.whole else "judged outputs",
            "resamples": asked.resamples,
            "seed": asked.seed,
        },
        signatures=signatures,
    )


def specifications(asked: Asked) -> dict[str, str]:
    """What is scored, by the name that the tables use."""
    how = f":parser=learned:model={asked.model}" if asked.model else ":parser=heuristic"
    return {"dr": f"dr{how}", "dr-lex": f"dr-lex{how}"} | SINGLE | (SYNTAX if asked.syntax else {})


def _judged_set(
    prefix: str, asked: Asked, signatures: dict[str, str], missing: dict[str, str], note: Note
) -> JudgedSet:
    """Scores of the judged cells and of the systems; metrics that cannot score are written down."""
    dataset, human = _read(prefix)
    judged = judged_cells(human)
    part = replace(dataset, cells=tuple(dataset.cells[cell] for cell in judged))
    scored: dict[str, Scored] = {}
    for name, specification in specifications(asked).items():
        note(f"{label_of(prefix)}: {name}")
        whole = asked.whole and name not in SYNTAX
        try:
            found = score_dataset(registry.parse(specification), dataset if whole else part)
        except MetricUnavailable as error:
            if name in ("dr", "dr-lex"):
                raise InputError(Problem("cannot_score", str(error), file=label_of(prefix))) from error
            missing[name] = str(error)
            continue
        signatures[name] = found.signature
        scored[name] = (found.cells[judged] if whole else found.cells, found.systems)
    return JudgedSet.of(dataset, human, scored)


def _read(prefix: str) -> tuple[Dataset, Comparisons]:
    files = datasets.find_set(prefix)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    if any(not text.references for text in dataset.texts.values()):
        message = "the metrics compare with references, and a segment has none"
        raise InputError(Problem("missing_reference", message, file=label_of(prefix)))
    human = datasets.read_human(files, dataset)
    if not len(human.better):
        raise InputError(Problem("no_judgements", "no pair of outputs is decided", file=label_of(prefix)))
    return dataset, human


def _rows(sets: Sequence[JudgedSet]) -> dict[str, Sequence[str]]:
    """The rows of which every part was scored on every set."""
    scored = set.intersection(*(set(one.scores) for one in sets))
    wanted: dict[str, Sequence[str]] = {name: (name,) for name in SINGLE}
    return {name: parts for name, parts in (wanted | SUMS).items() if scored.issuperset(parts)}


def _tables(
    asked: Asked, sets: Sequence[JudgedSet], other: Sequence[JudgedSet], rows: Mapping[str, Sequence[str]]
) -> tuple[list[Table], list[Missing]]:
    """The tables, and which of them could not be tuned; these have the paper's numbers only."""
    alone: dict[str, Sequence[str]] = {"dr": ("dr",), "dr-lex": ("dr-lex",)}
    untuned: list[Missing] = []

    def segments(
        on: Sequence[JudgedSet], which: Mapping[str, Sequence[str]], way: Combine, of: str = ""
    ) -> discourse.Table:
        try:
            return segment_table(on, which, way, resamples=asked.resamples, seed=asked.seed)
        except NothingToLearn as error:
            untuned.append(Missing(of, str(error)))
            return discourse.Table({}, ())

    pairs = _pairs(sets)
    by_system = "Spearman’s ρ over systems"
    by_segment = "Kendall’s τ over segments"
    first = segments(sets, alone, uniformly)
    found = [
        _table(f"Table 2: {by_system}", "system", system_table(sets, alone), system_table(sets, rows), pairs),
        _table(f"Table 3: {by_segment}, uniform", "uniform", first, segments(sets, rows, uniformly), pairs),
        _table(
            f"Table 4: {by_segment}, tuned", "tuned", first, segments(sets, rows, tuned, "Table 4"), pairs
        ),
    ]
    if other:
        shown = {name: parts for name, parts in rows.items() if name in DISCOURSE["transferred"]}
        moved = segments(other, shown, tuned_on(sets), "Table 5")
        title = f"Table 5: {by_segment}, tuned on other sets"
        found.append(_table(title, "transferred", segments(other, alone, uniformly), moved, _pairs(other)))
    return found, untuned


def _table(title: str, key: str, alone: discourse.Table, found: discourse.Table, pairs: str) -> Table:
    printed = DISCOURSE[key]
    rows = [_row(name, printed[name], alone.rows[name][:1]) for name in ("dr", "dr-lex")]
    rows += [
        _row(name, values, found.rows.get(name, ()))
        for name, values in printed.items()
        if name not in ("dr", "dr-lex", "average")
    ]
    rows.append(_row("average", printed["average"], found.average))
    notes = (
        f"Ours: {pairs}. Intervals are of the gain over the first column, moved to the figure itself.",
        "The paper’s average is over all its rows, ours over the rows that were run; a sum holds the parts "
        "that exist here. "
        + ("The first column of a sum is tuned; in the paper’s average it is not." if key in _TUNED else ""),
    )
    return Table(title, COLUMNS, tuple(rows), notes, 3, "metric")


_TUNED = ("tuned", "transferred")


def _row(name: str, printed: Sequence[float], found: Sequence[discourse.Cell]) -> Row:
    cells = []
    for place in range(len(COLUMNS)):
        paper = printed[place] if place < len(printed) else None
        cells.append(_cell(paper, found[place], found[0]) if place < len(found) else Cell(paper))
    return Row(TITLES.get(name, name.upper()), tuple(cells))


def _cell(paper: float | None, cell: discourse.Cell, first: discourse.Cell) -> Cell:
    value, start = _known(cell.value), _known(first.value)
    if cell.interval is None or value is None or start is None:
        return Cell(paper, value)
    return Cell(paper, value, start + cell.interval[0], start + cell.interval[1])


def _known(value: float) -> float | None:
    return None if np.isnan(value) else value


def _pairs(sets: Sequence[JudgedSet]) -> str:
    return f"{', '.join(f'{len(one.human.better):,}' for one in sets)} decisive pairs"


def _unbuilt(asked: Asked, other: Sequence[JudgedSet]) -> list[Missing]:
    lost = [
        Missing(
            "the metrics of other participants of WMT12, ASIYA-SRL and ASIYA-SEM",
            "they are not part of this project; their rows are left out",
        )
    ]
    if not asked.syntax:
        because = "it was not asked for (--syntax): every judged sentence has to be parsed"
        lost.append(Missing("the rows ASIYA-SYN, ASIYA-0809, ASIYA-ALL", because))
    if not other:
        lost.append(Missing("Table 5", "no second collection was named (--test SET …)"))
    return lost
