"""Separation of humans and systems, and accuracy of system rankings, on judged sets (paper 002, goals I, II).

References represent the humans. Sentences without a known collocation are left out of an average and counted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from metrics.base import FloatArray
from metrics.collocation.association import AssociationMeasure
from metrics.collocation.content_words import ContentWords
from metrics.collocation.scoring import score_sentences
from metrics.collocation.table import CollocationTable
from metrics.collocation.trees import Method
from metrics.metaeval import datasets
from metrics.metaeval.systems import human_by_system, system_level

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


def read_set(prefix: str) -> CollocationSet:
    files = datasets.find_set(prefix)
    dataset = datasets.read_dataset(files.segments, files.outputs)
    human = datasets.read_human(files, dataset)
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
    averages = {name: average_scores(own) for name, own in zip(names, values, strict=True)}
    known = {name: value for name, value in averages.items() if value is not None and name != HUMAN}
    machine = float(np.mean(list(known.values()))) if known else None
    return separation_ratio(averages[HUMAN], machine), system_level(known, judged.people).accuracy


def average_scores(sentence_scores: FloatArray) -> float | None:
    """The mean over the sentences that have a score; None without any.

    >>> average_scores(np.array([1.0, np.nan, 3.0]))
    2.0
    """
    defined = sentence_scores[~np.isnan(sentence_scores)]
    return math.fsum(defined) / defined.size if defined.size else None


def separation_ratio(human: float | None, system: float | None) -> float | None:
    """(human average − system average) / human average; None without both or for a human average of 0.

    >>> f"{separation_ratio(.0620049, .0482311):.2%}"
    '22.21%'
    """
    if human is None or system is None or human == 0:
        return None
    return (human - system) / human
