"""Ranked translations: sources, the outputs of several systems, and how people ranked them.

Two kinds of files are read, plain or gzipped: a set of ``metrics.metaeval.datasets``
(``DIR/PREFIX.segments.tsv`` with its outputs and its rankings or pairs), and JSON lines that contain
everything, for data without a reference::

    {"seg": "13", "doc": "news", "judge": "j1", "source": "…",
     "items": [{"system": "x", "rank": 4, "text": "…"}, …]}

An output is a *cell*: a row of every feature matrix. A pair of ``pairs.tsv`` is a ranking of two outputs.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from appraise.lib.problems import InputError, ProblemLog
from appraise.lib.streams import read_lines
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Comparisons, IntArray

HUMAN_SYSTEMS = frozenset({"_ref", "ref", "reference"})


@dataclass(frozen=True, slots=True)
class OutputRanking:
    """One judge's order of some outputs of one source: (cell, rank), 1 is best, equal ranks are ties."""

    ranks: tuple[tuple[int, int], ...]
    judge: str = ""


@dataclass(frozen=True, slots=True)
class RankedSet:
    """Sources with their documents; per cell its system, text and source; rankings over cells."""

    sources: tuple[str, ...]
    documents: tuple[str, ...]
    systems: tuple[str, ...]
    texts: tuple[str, ...]
    source_of: tuple[int, ...]
    rankings: tuple[OutputRanking, ...]

    def judged_cells(self) -> IntArray:
        """The cells that occur in a ranking."""
        return np.unique(np.array([cell for r in self.rankings for cell, _ in r.ranks], np.int64))

    def comparisons(self) -> Comparisons:
        """All pairs of all rankings."""
        won = [pair for ranking in self.rankings for pair in list_decided(ranking.ranks)]
        tied = [
            (i, j)
            for r in self.rankings
            for i, first in r.ranks
            for j, second in r.ranks
            if i < j and first == second
        ]
        better, worse = np.array(won, np.int64).reshape(-1, 2).T
        return Comparisons(better, worse, np.array(tied, np.int64).reshape(-1, 2))

    def groups(self, cells: IntArray) -> list[IntArray]:
        """The cells, grouped by source."""
        of = np.array(self.source_of, np.int64)[cells]
        order = np.argsort(of, kind="stable")
        cuts = np.flatnonzero(np.diff(of[order])) + 1
        return [cells[part] for part in np.split(order, cuts)] if len(cells) else []


def read_ranked_set(prefix: str | Path) -> RankedSet:
    """Read a set by the name of its JSON lines file, or by ``DIR/PREFIX``; raises ``InputError``."""
    path = Path(prefix)
    if path.is_file():
        return read_inline(path)
    files = datasets.find_set(prefix)
    return read_files(files.segments, files.outputs, files.rankings, files.pairs)


def read_files(
    segments: Path, outputs: Path, rankings: Path | None = None, pairs: Path | None = None
) -> RankedSet:
    """Read a set from its files; rankings are preferred to pairs. Raises ``InputError``."""
    dataset = datasets.read_dataset(segments, outputs)
    if rankings:
        human_rankings = [
            OutputRanking(tuple((cell, rank) for cells, rank in items for cell in cells), judge)
            for judge, items in datasets.read_ranked_items(rankings, dataset)
        ]
    elif pairs:
        human = datasets.read_pairs(pairs, dataset)
        both = zip(human.better.tolist(), human.worse.tolist(), strict=True)
        human_rankings = [OutputRanking(((better, 1), (worse, 2))) for better, worse in both]
    else:
        remedy = "give rankings or pairs"
        raise InputError.of("missing_file", "there are no human judgements", remedy, outputs.name)
    return RankedSet(
        tuple(text.source for text in dataset.texts.values()),
        tuple(text.document or segment for segment, text in dataset.texts.items()),
        tuple(cell.system for cell in dataset.cells),
        tuple(cell.translation for cell in dataset.cells),
        tuple(dataset.segment_codes().tolist()),
        tuple(human_rankings),
    )


def read_inline(path: Path) -> RankedSet:
    """Read JSON lines with source and outputs; equal texts of one system for one source are one cell."""
    sources: dict[tuple[str, str, str], int] = {}
    cells: dict[tuple[int, str, str], int] = {}
    rankings: list[OutputRanking] = []
    problems = ProblemLog(path)
    for line, text in read_lines(path):
        record = _read_record(text, line, problems)
        if record is None:
            continue
        key = record["source"], str(record.get("doc") or ""), str(record.get("seg") or "")
        source = sources.setdefault(key, len(sources))
        ranks = [
            (cells.setdefault((source, item["system"], item["text"]), len(cells)), item["rank"])
            for item in record["items"]
            if item["rank"] is not None
        ]
        rankings.append(OutputRanking(tuple(ranks), str(record.get("judge") or "")))
    problems.raise_if_any()
    texts, documents, segments = zip(*sources, strict=True) if sources else ((), (), ())
    source_of, systems, outputs = zip(*cells, strict=True) if cells else ((), (), ())
    named = tuple(doc or segment for doc, segment in zip(documents, segments, strict=True))
    return RankedSet(texts, named, systems, outputs, source_of, tuple(rankings))


def join_sets(sets: Sequence[RankedSet]) -> RankedSet:
    """Join several sets; cells and sources are renumbered, documents of different sets stay distinct."""
    result = RankedSet((), (), (), (), (), ())
    for number, ranked in enumerate(sets):
        cells, sources = len(result.texts), len(result.sources)
        moved = [
            replace(r, ranks=tuple((cell + cells, rank) for cell, rank in r.ranks)) for r in ranked.rankings
        ]
        result = RankedSet(
            result.sources + ranked.sources,
            result.documents + tuple(f"{number}/{document}" for document in ranked.documents),
            result.systems + ranked.systems,
            result.texts + ranked.texts,
            result.source_of + tuple(source + sources for source in ranked.source_of),
            result.rankings + tuple(moved),
        )
    return result


def drop_human_outputs(ranked: RankedSet) -> RankedSet:
    """Without the human reference, which WMT 2010 had judges rank among the systems."""
    return drop_systems(ranked, is_human)


def is_human(system: str) -> bool:
    """Whether the name of a system says that people wrote its outputs."""
    return system.lower() in HUMAN_SYSTEMS


def drop_systems(ranked: RankedSet, exclude: Callable[[str], bool]) -> RankedSet:
    """Rankings without some systems, and without rankings that then compare nothing."""
    excluded = {cell for cell, system in enumerate(ranked.systems) if exclude(system)}
    rankings = (
        replace(r, ranks=tuple((cell, rank) for cell, rank in r.ranks if cell not in excluded))
        for r in ranked.rankings
    )
    return replace(ranked, rankings=tuple(r for r in rankings if len(r.ranks) > 1))


def list_decided(ranks: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ordered pairs (better, worse) of a ranking given as (row, rank); ties give none.

    >>> list_decided([(0, 2), (1, 1), (2, 2)])
    [(1, 0), (1, 2)]
    """
    return [(i, j) for i, first in ranks for j, second in ranks if first < second]


def drop_contradictions(ranked: RankedSet) -> RankedSet:
    """The test filter of the paper: only sources on which no two rankings order a pair oppositely."""
    won: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for ranking in ranked.rankings:
        for better, worse in list_decided(ranking.ranks):
            won[ranked.source_of[better]].add((better, worse))
    contradicted = {
        source for source, pairs in won.items() if any((worse, better) in pairs for better, worse in pairs)
    }
    rankings = tuple(
        r for r in ranked.rankings if r.ranks and ranked.source_of[r.ranks[0][0]] not in contradicted
    )
    return replace(ranked, rankings=rankings)


def _read_record(text: str, line: int, problems: ProblemLog) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
        items: Iterable[dict[str, Any]] = record["items"]
        is_valid = isinstance(record["source"], str) and all(
            isinstance(item["system"], str)
            and isinstance(item["text"], str)
            and (
                item["rank"] is None or (isinstance(item["rank"], int) and not isinstance(item["rank"], bool))
            )
            for item in items
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        is_valid = False
    if not is_valid:
        remedy = 'write {"source": …, "items": [{"system": …, "rank": 1, "text": …}, …]}'
        problems.add("bad_ranking", "not a ranking with its texts", remedy, line)
        return None
    return record  # type: ignore[no-any-return] # its shape is checked above
