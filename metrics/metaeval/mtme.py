"""A directory of mt-metrics-eval as a judged set: texts, human scores, and scores that metrics published."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from appraise.lib.problems import InputError, Problem, shorten
from evaluation.assessments import ParallelTexts, PublishedScores, ScoreLevel
from evaluation.assessments.values import DocumentLabel
from evaluation.assessments.weights import weigh_as_stated
from evaluation.importers.evidence import (
    MtmeFiles,
    read_human_scores,
    read_metric_scores,
    read_parallel_texts,
    read_ratings,
    select_rating_files,
)
from evaluation.importers.evidence.mtme_scores import list_human_names, list_metric_names
from metrics.metaeval.datasets import Dataset, DatasetCell, FloatArray, Ratings, Text
from metrics.metaeval.scoring import CellScores

HumanCells = dict[tuple[str, int], float]


@dataclass(frozen=True, slots=True)
class MtmeSet:
    """The systems that people scored, with their scores; cells stand system by system."""

    files: MtmeFiles
    texts: ParallelTexts
    dataset: Dataset
    ratings: Ratings

    def list_imported(self) -> list[str]:
        """The metrics that have published segment scores."""
        return list_metric_names(self.files)

    def read_imported(self, names: Sequence[str]) -> dict[str, CellScores]:
        """Read the published scores of metrics, by the names of their files, such as ``COMET-refA``."""
        unknown = [name for name in names if name not in self.list_imported()]
        if unknown:
            message = f"there are no segment scores of {shorten(unknown[0])!r}"
            known = f"choose among: {', '.join(self.list_imported()) or 'none'}"
            raise InputError(Problem("missing_file", message, known, "metric-scores"))
        levels = (ScoreLevel.SEGMENT, ScoreLevel.SYSTEM)
        scores: dict[str, dict[ScoreLevel, PublishedScores]] = {name: {} for name in names}
        for published in read_metric_scores(self.files, self.texts, names, levels):
            scores[published.full_name][published.level] = published
        systems = list(self.dataset.systems())
        return {
            name: arrange_scores(name, systems, len(self.texts), by_level)
            for name, by_level in scores.items()
        }


def arrange_scores(
    name: str, systems: Sequence[str], length: int, by_level: Mapping[ScoreLevel, PublishedScores]
) -> CellScores:
    """Return the published scores of a metric system by system, each with ``length`` segments."""
    segments = by_level[ScoreLevel.SEGMENT].values
    system_scores = by_level[ScoreLevel.SYSTEM].values if ScoreLevel.SYSTEM in by_level else {}
    blank = (None,) * length
    rows = [np.array(segments.get(system, blank), dtype=np.float64) for system in systems]
    corpus = {
        system: score
        for system, row in zip(systems, rows, strict=True)
        if (score := _system_score(row, system_scores.get(system))) is not None
    }
    cells: FloatArray = np.concatenate(rows) if rows else np.empty(0)
    return CellScores(cells, corpus, f"imported:{name}")


def load_mtme(
    folder: str | Path,
    language_pair: str,
    human: str,
    *,
    references: Sequence[str] = (),
    with_references: bool,
) -> MtmeSet:
    """Read a directory; metrics that we compute use these references, or else the first by name."""
    files = MtmeFiles.from_folder(folder, language_pair)
    texts = read_parallel_texts(files)
    scores = _read_human(files, texts, human)
    rated = {system for system, _ in scores}
    systems = [
        name for name in texts.outputs if name in rated and (with_references or name not in texts.references)
    ]
    chosen = _choose_references(texts, references)
    labels = texts.documents or (DocumentLabel("", ""),) * len(texts)
    segments = {
        str(segment + 1): Text(
            source,
            tuple(texts.references[name][segment] for name in chosen),
            labels[segment].document,
            labels[segment].domain,
        )
        for segment, source in enumerate(texts.sources)
    }
    cells = tuple(
        DatasetCell(system, str(segment), text)
        for system in systems
        for segment, text in enumerate(texts.outputs[system], 1)
    )
    judged = [
        (place * len(texts) + segment, scores[system, segment])
        for place, system in enumerate(systems)
        for segment in range(len(texts))
        if (system, segment) in scores
    ]
    numbers, values = np.array(judged, dtype=np.float64).reshape(-1, 2).T
    ratings = Ratings(numbers.astype(np.int64), values.copy())
    return MtmeSet(files, texts, Dataset(segments, cells, chosen), ratings)


def _choose_references(texts: ParallelTexts, names: Sequence[str]) -> tuple[str, ...]:
    unknown = [name for name in names if name not in texts.references]
    if unknown:
        message = f"there is no reference {shorten(unknown[0])!r}"
        known = f"choose among: {', '.join(texts.references) or 'none'}"
        raise InputError(Problem("missing_file", message, known, "references"))
    first = sorted(texts.references, key=lambda name: (not name.startswith("ref"), name))[:1]
    return tuple(names) or tuple(first)


def _read_human(files: MtmeFiles, texts: ParallelTexts, human: str) -> HumanCells:
    """The published segment scores, or else the negated sums of the error weights, averaged over raters."""
    for published in read_human_scores(files, texts, human):
        if published.level is ScoreLevel.SEGMENT:
            return {
                (system, segment): value
                for system, values in published.values.items()
                for segment, value in enumerate(values)
                if value is not None
            }
    if not select_rating_files(files, human):
        known = ", ".join(list_human_names(files)) or "none"
        message = f"there are no human scores called {shorten(human)!r}"
        raise InputError(
            Problem("missing_file", message, f"names with segment scores: {known}", "human-scores")
        )
    collected: dict[tuple[str, int], list[float]] = {}
    for rating in read_ratings(files, texts, human):
        score = 0.0 - sum(map(weigh_as_stated, rating.spans))
        collected.setdefault((rating.system, rating.segment), []).append(score)
    return {cell: float(np.mean(values)) for cell, values in collected.items()}


def _system_score(row: FloatArray, published: Collection[float | None] | None) -> float | None:
    """The published score of a system, or else the mean of its segments."""
    for value in published or ():
        if value is not None:
            return value
    known = row[~np.isnan(row)]
    return float(known.mean()) if len(known) else None
