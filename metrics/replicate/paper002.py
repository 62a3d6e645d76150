"""Han & Lavie 2005 (paper 002): distinguish people from machines, and rank systems, by collocations alone.

Separation ratio and accuracy of the ranking of systems, for four measures and four ways to choose
collocations. References represent the people; our numbers are means over the sets. Sentences without a known
collocation are left out of an average and counted. The paper had four sets, so each of our numbers is
compared with several printed ones. BLEU, NIST and METEOR use the reference.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appraise.lib.problems import InputError
from evaluation.agreement.tasks import mean_of_known
from metrics import registry
from metrics.base import FloatArray, mean_or_none
from metrics.collocation.association import AssociationMeasure
from metrics.collocation.content_words import ContentWordReader, ContentWords, get_reader
from metrics.collocation.scoring import Method, score_sentences
from metrics.collocation.table import CollocationTable, load_table
from metrics.metaeval import datasets
from metrics.metaeval.scoring import score_dataset
from metrics.metaeval.systems import human_by_system, system_level
from metrics.replicate import report
from metrics.replicate.report import Note, PaperCell, PaperRow, PaperTable, Replication, ReplicationOptions
from metrics.tools.base import ToolAbsent

NAME = "paper-002"
MEASURES = tuple(AssociationMeasure)
METHODS = tuple(Method)
REFERENCE_METRICS = ("bleu", "nist:tokenize=13a", "meteor:tokenize=13a")
Key = tuple[AssociationMeasure, Method]
HUMAN = ""  # the reference among the systems


@dataclass(frozen=True)
class CollocationSet:
    """One language pair: texts of the reference and of every system, and the human score of each system."""

    name: str
    dataset: datasets.Dataset
    people: Mapping[str, float]

    def texts(self) -> dict[str, list[str]]:
        """Sentences by system, the reference first."""
        reference = [text.references[0] for text in self.dataset.texts.values()]
        cells = self.dataset.cells
        systems = self.dataset.systems().items()
        return {HUMAN: reference} | {name: [cells[i].translation for i in own] for name, own in systems}


@dataclass(frozen=True, slots=True)
class CollocationResult:
    """Results of one combination of measure and method on one set."""

    separation: float | None
    accuracy: float | None
    coverage_separation: float | None
    coverage_accuracy: float | None
    undefined: float


Results = Sequence[Mapping[Key, CollocationResult]]


def run(options: ReplicationOptions, note: Note = lambda message: None) -> Replication:
    """Without a background table only the metrics that use the reference are run."""
    sets = [read_set(prefix) for prefix in options.sets]
    missing = [report.MissingPart("the third goal, decoding", "the slides announce it and print no numbers")]
    results: Results = ()
    signatures: dict[str, str] = {}
    try:
        background, words = _load_background(options.table)
    except InputError as error:
        problem = error.problems[0]
        missing.insert(
            0, report.MissingPart("every row of collocations", f"{problem.message}; {problem.remedy}")
        )
    except ToolAbsent as error:
        missing.insert(0, report.MissingPart("every row of collocations", str(error)))
    else:
        results = _study_sets(sets, background, words, note)
        signatures["background"] = f"{background.corpus}; {background.digest}; {words.tools}"
    note("BLEU, NIST and METEOR score the systems")
    peers = {name: mean_of_known(_accuracy(name, judged) for judged in sets) for name in REFERENCE_METRICS}
    return report.make_replication(
        NAME,
        (*_separations(results), *_accuracies(results, peers, sets)),
        missing=missing,
        data=report.digest_sets(options.sets),
        settings={"sets": len(sets), "cutoff": True},
        signatures=signatures | {name: registry.parse(name).signature for name in REFERENCE_METRICS},
    )


def _load_background(path: str) -> tuple[CollocationTable, ContentWordReader]:
    if not path:
        remedy = "train one: manage.py train collocations"
        raise InputError.of("no_table", "no background table was named (--table FILE)", remedy)
    background = load_table(Path(path))
    return background, get_reader(background.corpus.reader)


def _study_sets(
    sets: Sequence[CollocationSet], background: CollocationTable, words: ContentWordReader, note: Note
) -> Results:
    texts = list({text: None for judged in sets for own in judged.texts().values() for text in own})
    note(f"{len(texts):,} sentences are tagged")
    content = dict(zip(texts, words.read(texts), strict=True))
    results = []
    for judged in sets:
        note(f"collocations of {judged.name}")
        results.append(study_set(judged, background, content))
    return results


def _separations(results: Results) -> Iterator[PaperTable]:
    """The separation ratios by measure, each set with its printed method, and by method."""
    for name, (key, columns, sets) in _SEPARATIONS.items():
        rows = []
        for label, printed in sets.items():
            fixed = printed[key]
            keys = (
                [(measure, Method(fixed)) for measure in MEASURES]
                if name == "measure"
                else [(AssociationMeasure(fixed), method) for method in METHODS]
            )
            ours = [_percent(results, pair) for pair in keys]
            rows.append(PaperRow(f"{label}, {fixed}", report.pair_cells(printed["ratios"], ours)))
        title = f"Separation ratio in per cent, by {name}"
        yield PaperTable(title, columns, tuple(rows), (_RATIO, _SETS), 2, "set")


def _accuracies(
    results: Results, peers: Mapping[str, float | None], sets: Sequence[CollocationSet]
) -> tuple[PaperTable, ...]:
    tables = []
    systems = ", ".join(str(len(judged.people)) for judged in sets)
    note = f"The share of pairs of systems that are ordered as people order them; ours: {systems} systems."
    for name, printed in report.ACCURACY.items():
        rows = [
            PaperRow(
                measure.value,
                report.pair_cells(
                    printed[measure.value], [_mean_of(results, (measure, m), "accuracy") for m in METHODS]
                ),
            )
            for measure in MEASURES
        ]
        for peer, value in peers.items():
            plain = peer.split(":")[0]
            rows.append(
                PaperRow(
                    f"{plain}, with the reference", (PaperCell(report.PEERS[name].get(plain), value), *_EMPTY)
                )
            )
        columns = tuple(method.value for method in METHODS)
        title = f"Accuracy of the ranking of systems, beside {name}"
        tables.append(PaperTable(title, columns, tuple(rows), (note, _SETS), 3, "measure"))
    return tuple(tables)


_SEPARATIONS = {
    "measure": ("method", ("Dice", "t", "χ²", "LR"), report.BY_MEASURE),
    "method": ("measure", tuple(method.value for method in METHODS), report.BY_METHOD),
}
_RATIO = "(mean of the references − mean of the systems) / mean of the references."
_SETS = "The paper’s sets are not ours: ours are means over all sets, the same beside every printed set."
_EMPTY = (PaperCell(),) * (len(METHODS) - 1)


def _percent(results: Results, key: Key) -> float | None:
    value = _mean_of(results, key, "separation")
    return None if value is None else 100 * value


def _mean_of(results: Results, key: Key, field: str) -> float | None:
    return mean_of_known(getattr(by_key[key], field) for by_key in results)


def _accuracy(name: str, judged: CollocationSet) -> float | None:
    scores = score_dataset(registry.parse(name), judged.dataset).systems
    return system_level(scores, judged.people).accuracy


def read_set(prefix: str) -> CollocationSet:
    """Read a set with its judgements; every segment needs a reference."""
    dataset, human = datasets.read_set(prefix)
    report.check_references(prefix, dataset, "people are represented by the references")
    return CollocationSet(Path(prefix).name, dataset, human_by_system(human, dataset.systems()))


def study_set(
    judged: CollocationSet,
    background: CollocationTable,
    content: Mapping[str, ContentWords],
    *,
    cutoff: bool = True,
) -> dict[Key, CollocationResult]:
    """All combinations on one set with one background corpus."""
    texts = judged.texts()
    sentences = [content[text] for lines in texts.values() for text in lines]
    ends = np.cumsum([len(lines) for lines in texts.values()])[:-1]
    results = {}
    for (measure, method), scores in score_sentences(background, sentences, cutoff=cutoff).items():
        averages = scores.averages
        strength = _separate(judged, list(texts), np.split(averages, ends))
        covered = _separate(judged, list(texts), np.split(scores.coverage(method), ends))
        undefined = float(np.isnan(averages).mean())
        results[measure, method] = CollocationResult(*strength, *covered, undefined)
    return results


def _separate(
    judged: CollocationSet, names: Sequence[str], values: Sequence[FloatArray]
) -> tuple[float | None, float | None]:
    averages = {name: mean_or_none(own[~np.isnan(own)]) for name, own in zip(names, values, strict=True)}
    known = {name: value for name, value in averages.items() if value is not None and name != HUMAN}
    machine = float(np.mean(list(known.values()))) if known else None
    return separation_ratio(averages[HUMAN], machine), system_level(known, judged.people).accuracy


def separation_ratio(human: float | None, system: float | None) -> float | None:
    """(human average − system average) / human average; None without both or for a human average of 0.

    >>> f"{separation_ratio(.0620049, .0482311):.2%}"
    '22.21%'
    """
    if human is None or system is None or human == 0:
        return None
    return (human - system) / human
