"""Ranked translations: sources, the outputs of several systems, and how people ranked them.

Two forms of files are read, plain or gzipped. A set of ``metrics.datasets`` (``DIR/PREFIX.segments.tsv`` with
outputs and rankings or pairs beside it), and JSON lines that carry everything, for data without a reference::

    {"seg": "13", "doc": "news", "judge": "j1", "source": "…",
     "items": [{"system": "x", "rank": 4, "text": "…"}, …]}

An output is a *cell*: a row of every feature matrix. A pair of ``pairs.tsv`` becomes a ranking of two.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.problems import InputError, Problem
from metrics import datasets
from metrics.datasets import Comparisons, IntArray
from metrics.ranking.pairs import decided
from metrics.tables import Faults, lines

HUMAN_SYSTEMS = frozenset({"_ref", "ref", "reference"})


@dataclass(frozen=True, slots=True)
class Ranking:
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
    rankings: tuple[Ranking, ...]

    def judged(self) -> IntArray:
        """The cells that stand in a ranking."""
        return np.unique(np.array([cell for r in self.rankings for cell, _ in r.ranks], np.int64))

    def comparisons(self) -> Comparisons:
        """All pairs of all rankings."""
        won = [pair for ranking in self.rankings for pair in decided(ranking.ranks)]
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
        """The given cells, source by source."""
        of = np.array(self.source_of, np.int64)[cells]
        order = np.argsort(of, kind="stable")
        cuts = np.flatnonzero(np.diff(of[order])) + 1
        return [cells[part] for part in np.split(order, cuts)] if len(cells) else []


def read(prefix: str | Path) -> RankedSet:
    """A set by the name of its JSON lines file, or by ``DIR/PREFIX``; raises InputError."""
    path = Path(prefix)
    if path.is_file():
        return read_inline(path)
    files = datasets.find_set(prefix)
    return read_files(files.segments, files.outputs, files.rankings, files.pairs)


def read_files(
    segments: Path, outputs: Path, rankings: Path | None = None, pairs: Path | None = None
) -> RankedSet:
    """A set from its files; rankings win over pairs. Raises InputError."""
    dataset = datasets.read_dataset(segments, outputs)
    if rankings:
        found = _rankings(rankings, dataset.numbers())
    elif pairs:
        human = datasets.read_pairs(pairs, dataset)
        both = zip(human.better.tolist(), human.worse.tolist(), strict=True)
        found = [Ranking(((better, 1), (worse, 2))) for better, worse in both]
    else:
        remedy = "give rankings or pairs"
        raise InputError(Problem("missing_file", "nothing says what people preferred", remedy, outputs.name))
    return RankedSet(
        tuple(text.source for text in dataset.texts.values()),
        tuple(text.document or segment for segment, text in dataset.texts.items()),
        tuple(cell.system for cell in dataset.cells),
        tuple(cell.translation for cell in dataset.cells),
        tuple(dataset.segment_codes().tolist()),
        tuple(found),
    )


def read_inline(path: Path) -> RankedSet:
    """JSON lines that carry source and outputs; equal texts of one system for one source are one cell."""
    sources: dict[tuple[str, str, str], int] = {}
    cells: dict[tuple[int, str, str], int] = {}
    rankings: list[Ranking] = []
    faults = Faults(path)
    for line, text in lines(path):
        record = _record(text, line, faults)
        if record is None:
            continue
        key = record["source"], str(record.get("doc") or ""), str(record.get("seg") or "")
        source = sources.setdefault(key, len(sources))
        ranks = [
            (cells.setdefault((source, item["system"], item["text"]), len(cells)), item["rank"])
            for item in record["items"]
            if item["rank"] is not None
        ]
        rankings.append(Ranking(tuple(ranks), str(record.get("judge") or "")))
    faults.raise_if_any()
    texts, documents, segments = zip(*sources, strict=True) if sources else ((), (), ())
    of, systems, outputs = zip(*cells, strict=True) if cells else ((), (), ())
    named = tuple(doc or segment for doc, segment in zip(documents, segments, strict=True))
    return RankedSet(texts, named, systems, outputs, of, tuple(rankings))


def joined(sets: Sequence[RankedSet]) -> RankedSet:
    """Several sets as one; the numbers of cells and sources move up, documents stay apart."""
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


def machines_only(ranked: RankedSet) -> RankedSet:
    """Without the human reference, which WMT 2010 had judges rank among the systems."""
    return without_systems(ranked, is_human)


def is_human(system: str) -> bool:
    """Whether a system's name says that people wrote its outputs."""
    return system.lower() in HUMAN_SYSTEMS


def without_sites(ranked: RankedSet, sites: Collection[str]) -> RankedSet:
    """Without the outputs of the named sites: the systems of a test never seen in training."""
    return without_systems(ranked, lambda system: site(system) in sites)


def without_systems(ranked: RankedSet, gone: Callable[[str], bool]) -> RankedSet:
    """Rankings without some systems, and without rankings that no longer compare anything."""
    lost = {cell for cell, system in enumerate(ranked.systems) if gone(system)}
    kept = (
        replace(r, ranks=tuple((cell, rank) for cell, rank in r.ranks if cell not in lost))
        for r in ranked.rankings
    )
    return replace(ranked, rankings=tuple(r for r in kept if len(r.ranks) > 1))


def site(system: str) -> str:
    """The group behind a system's name, which lasts longer than the name: its first letters and digits.

    >>> site("RWTH_primary"), site("rwth-combo"), site("onlineA")
    ('rwth', 'rwth', 'onlinea')
    """
    found = re.match(r"[^\W_]+", system.lower())
    return found[0] if found else system.lower()


def without_contradictions(ranked: RankedSet) -> RankedSet:
    """The paper's test filter: only sources on which no two rankings order a pair oppositely."""
    won: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for ranking in ranked.rankings:
        for better, worse in decided(ranking.ranks):
            won[ranked.source_of[better]].add((better, worse))
    bad = {
        source for source, pairs in won.items() if any((worse, better) in pairs for better, worse in pairs)
    }
    kept = tuple(r for r in ranked.rankings if r.ranks and ranked.source_of[r.ranks[0][0]] not in bad)
    return replace(ranked, rankings=kept)


def _rankings(path: Path, numbers: dict[tuple[str, str], int]) -> list[Ranking]:
    """Rankings by names; systems that were shown as one text all get its rank."""
    faults, found = Faults(path), []
    for line, text in lines(path):
        try:
            record = json.loads(text)
            named = [(name, rank) for names, rank in record["items"] if rank is not None for name in names]
            ranks = tuple((numbers[system, str(record["seg"])], int(rank)) for system, rank in named)
        except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
            remedy = 'write {"seg": …, "items": [[[system, …], rank], …]}'
            faults.add("bad_ranking", f"not a ranking of known outputs ({error})", remedy, line)
            continue
        found.append(Ranking(ranks, str(record.get("judge") or "")))
    faults.raise_if_any()
    return found


def _record(text: str, line: int, faults: Faults) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
        items: Iterable[dict[str, Any]] = record["items"]
        good = isinstance(record["source"], str) and all(
            isinstance(item["system"], str)
            and isinstance(item["text"], str)
            and (
                item["rank"] is None or (isinstance(item["rank"], int) and not isinstance(item["rank"], bool))
            )
            for item in items
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        good = False
    if not good:
        remedy = 'write {"source": …, "items": [{"system": …, "rank": 1, "text": …}, …]}'
        faults.add("bad_ranking", "not a ranking with its texts", remedy, line)
        return None
    return record  # type: ignore[no-any-return] # its shape was checked above
