"""Han & Lavie 2005 (paper 002): distinguish people from machines, and rank systems, by collocations alone.

Separation ratio and accuracy of the ranking of systems, for four measures and four ways to choose
collocations. References stand for the people; ours are means over the sets. The paper had four sets, so one
of our numbers stands beside several printed ones. BLEU, NIST and METEOR see the reference and stand below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from evaluation.problems import InputError, Problem
from metrics import registry
from metrics.collocation import table
from metrics.collocation.association import Measure
from metrics.collocation.reading import Reader, reader
from metrics.collocation.study import JudgedSet, Key, Result, read_set, study
from metrics.collocation.trees import PAPER_METHODS, Method
from metrics.linguistics.base import ToolAbsent
from metrics.metaeval.scoring import score_dataset
from metrics.metaeval.systems import system_level
from metrics.replicate.printed import ACCURACY, BY_MEASURE, BY_METHOD, PEERS
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

NAME = "paper-002"
MEASURES = (Measure.DICE, Measure.T, Measure.CHI2, Measure.LLR)
METHODS = PAPER_METHODS
REFERENCE_METRICS = ("bleu", "nist:tokenize=13a", "meteor:tokenize=13a")
Found = Sequence[Mapping[Key, Result]]


@dataclass(frozen=True, slots=True)
class Asked:
    """Sets, and the file of a background table (``train collocations``) or nothing."""

    sets: tuple[str, ...]
    background: str = ""


def replicate(asked: Asked, note: Note = lambda message: None) -> Report:
    """Without a background table only the metrics that see a reference are run."""
    needs_sets(NAME, asked.sets)
    sets = [_read(prefix) for prefix in asked.sets]
    missing = [Missing("the third goal, decoding", "the slides announce it and print no numbers")]
    found: Found = ()
    signatures: dict[str, str] = {}
    try:
        background, words = _background(asked.background)
    except InputError as error:
        fault = error.problems[0]
        missing.insert(0, Missing("every row of collocations", f"{fault.message}; {fault.remedy}"))
    except ToolAbsent as error:
        missing.insert(0, Missing("every row of collocations", str(error)))
    else:
        found = _studied(sets, background, words, note)
        signatures["background"] = f"{background.corpus}; {background.digest}; {words.tools}"
    note("BLEU, NIST and METEOR score the systems")
    peers = {name: _mean([_accuracy(name, judged) for judged in sets]) for name in REFERENCE_METRICS}
    return replication(
        NAME,
        (_by_measure(found), _by_method(found), *_accuracies(found, peers, sets)),
        missing=missing,
        data=data_of_sets(asked.sets),
        settings={"sets": len(sets), "cutoff": True},
        signatures=signatures | {name: registry.parse(name).signature for name in REFERENCE_METRICS},
    )


def _read(prefix: str) -> JudgedSet:
    judged = read_set(prefix)
    if any(not text.references for text in judged.dataset.texts.values()):
        message = "people are represented by the references, and a segment has none"
        raise InputError(Problem("missing_reference", message, file=label_of(prefix)))
    return judged


def _background(path: str) -> tuple[table.Table, Reader]:
    if not path:
        remedy = "train one: manage.py train collocations"
        raise InputError(Problem("no_table", "no background table was named (--table FILE)", remedy))
    background = table.load(Path(path))
    return background, reader(background.corpus.reader)


def _studied(sets: Sequence[JudgedSet], background: table.Table, words: Reader, note: Note) -> Found:
    texts = list({text: None for judged in sets for own in judged.texts().values() for text in own})
    note(f"{len(texts):,} sentences are tagged")
    content = dict(zip(texts, words.read(texts), strict=True))
    found = []
    for judged in sets:
        note(f"collocations of {judged.name}")
        found.append(study(judged, background, content))
    return found


def _by_measure(found: Found) -> Table:
    rows = []
    for name, printed in BY_MEASURE.items():
        method = Method(printed["method"])
        ours = [_percent(found, (measure, method)) for measure in MEASURES]
        rows.append(Row(f"{name}, {method.value}", _beside(printed["ratios"], ours)))
    columns = ("Dice", "t", "χ²", "LR")
    return Table("Separation ratio in per cent, by measure", columns, tuple(rows), (_RATIO, _SETS), 2, "set")


def _by_method(found: Found) -> Table:
    rows = []
    for name, printed in BY_METHOD.items():
        measure = Measure(printed["measure"])
        ours = [_percent(found, (measure, method)) for method in METHODS]
        rows.append(Row(f"{name}, {measure.value}", _beside(printed["ratios"], ours)))
    columns = tuple(method.value for method in METHODS)
    return Table("Separation ratio in per cent, by method", columns, tuple(rows), (_RATIO, _SETS), 2, "set")


def _accuracies(
    found: Found, peers: Mapping[str, float | None], sets: Sequence[JudgedSet]
) -> tuple[Table, ...]:
    tables = []
    systems = ", ".join(str(len(judged.people)) for judged in sets)
    note = f"The share of pairs of systems that are ordered as people order them; ours: {systems} systems."
    for name, printed in ACCURACY.items():
        rows = [
            Row(
                measure.value,
                _beside(printed[measure.value], [_ours(found, (measure, m), "accuracy") for m in METHODS]),
            )
            for measure in MEASURES
        ]
        for peer, value in peers.items():
            plain = peer.split(":")[0]
            rows.append(Row(f"{plain}, with the reference", (Cell(PEERS[name].get(plain), value), *_EMPTY)))
        columns = tuple(method.value for method in METHODS)
        title = f"Accuracy of the ranking of systems, beside {name}"
        tables.append(Table(title, columns, tuple(rows), (note, _SETS), 3, "measure"))
    return tuple(tables)


_RATIO = "(mean of the references − mean of the systems) / mean of the references."
_SETS = "The paper’s sets are not ours: ours are means over all sets, the same beside every printed set."
_EMPTY = (Cell(),) * (len(METHODS) - 1)


def _beside(printed: Sequence[float], ours: Sequence[float | None]) -> tuple[Cell, ...]:
    return tuple(Cell(paper, value) for paper, value in zip(printed, ours, strict=True))


def _percent(found: Found, key: Key) -> float | None:
    value = _ours(found, key, "separation")
    return None if value is None else 100 * value


def _ours(found: Found, key: Key, field: str) -> float | None:
    return _mean([getattr(results[key], field) for results in found])


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _accuracy(name: str, judged: JudgedSet) -> float | None:
    scores = score_dataset(registry.parse(name), judged.dataset).systems
    return system_level(scores, judged.people).accuracy
