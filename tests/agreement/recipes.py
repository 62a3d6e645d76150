"""How published judgements become (annotator, item, label, sentence) rows.

WMT08 (Callison-Burch et al. 2008): an item is a task, an item number and two systems in the order of
their names; blank and −1 scores are skipped. For yes/no questions an item is one system's phrase, and
"not sure" is skipped. WMT12 and WMT15: an item is a segment and two systems (groups of systems with the
same output) *in the order in which they were shown*.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from collections.abc import Iterator
from pathlib import Path

ORDER = ("A>B", "A=B", "A<B")
YES_NO = ("1", "2")
Row = tuple[str, str, str, str]


def wmt08(folder: Path, kind: str) -> Iterator[Row]:
    path = folder / "rr_wmt08" / "judgments_wmt08_final.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        for line in csv.DictReader(lines):
            if line["TYPE"] == kind:
                yield from _accepted(line) if kind == "CONSTITUENT_ACCEPT" else _ranked(line)


def rankings(path: Path) -> Iterator[Row]:
    """WMT12 and WMT15."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            shown = [("+".join(systems), rank) for systems, rank in line["items"] if rank is not None]
            for (a, rank_a), (b, rank_b) in itertools.combinations(shown, 2):
                sentence = str(line["seg"])
                yield line["judge"], f"{sentence} {a} {b}", verdict(rank_a, rank_b), sentence


def verdict(rank_a: int, rank_b: int) -> str:
    return ORDER[1 + (rank_a > rank_b) - (rank_a < rank_b)]


def _scores(line: dict[str, str]) -> list[tuple[str, str]]:
    cells = [(line[f"SYSTEM_{i}"], line[f"SCORE_{i}_A"]) for i in range(5)]
    return [(system, score) for system, score in cells if system and score not in ("", "-1")]


def _ranked(line: dict[str, str]) -> Iterator[Row]:
    sentence = f"{line['TASK']} {line['ITEM_ID']}"
    for (a, rank_a), (b, rank_b) in itertools.combinations(sorted(_scores(line)), 2):
        yield line["ANNOTATOR_ID"], f"{sentence} {a} {b}", verdict(int(rank_a), int(rank_b)), sentence


def _accepted(line: dict[str, str]) -> Iterator[Row]:
    sentence = f"{line['TASK']} {line['ITEM_ID']}"
    for system, answer in _scores(line):
        if answer in YES_NO:
            yield line["ANNOTATOR_ID"], f"{sentence} {system}", answer, sentence
