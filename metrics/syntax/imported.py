"""Segment scores that somebody else computed: COMET, BLEURT, an SRL metric, anything.

A UTF-8 table, plain or gzipped, tab-separated with a header: ``translation``, the score, and, where they are
known, ``reference`` and ``source``. A score belongs to the texts of its row, so a file serves any task that
shows the same texts, and nothing depends on system names or numbering.
"""

from __future__ import annotations

import gzip
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.problems import InputError, Problem
from evaluation.streams import readable

TEXTS = ("translation", "reference", "source")
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Scores by the texts that the file names, in the order of ``TEXTS``."""

    columns: tuple[str, ...]
    scores: dict[Key, float]
    digest: str

    def find(self, translation: str, references: Sequence[str], source: str | None) -> float | None:
        """The score of a translation; with several references, that of the first that the file has."""
        for reference in references or ("",):
            texts = {"translation": translation, "reference": reference, "source": source or ""}
            value = self.scores.get(tuple(_plain(texts[column]) for column in self.columns))
            if value is not None:
                return value
        return None


def read_scores(path: Path, column: str = "score") -> Table:
    """Read the file; raises ``InputError`` with the places of the first faults."""
    data = _bytes(path)
    header, *rows = _decoded(data, path).removesuffix("\n").split("\n")
    names = header.rstrip("\r").split("\t")
    if "translation" not in names or column not in names:
        message = f"the columns are {', '.join(names)}"
        raise InputError(Problem("columns", message, f"needed: translation and {column}", str(path), 1))
    texts = tuple(name for name in TEXTS if name in names)
    scores: dict[Key, float] = {}
    problems: list[Problem] = []
    for number, row in enumerate(rows, 2):
        cells = row.rstrip("\r").split("\t")
        value = _number(cells[names.index(column)]) if len(cells) == len(names) else None
        if value is None:
            found = f"expected {len(names)} columns and a number in {column}, found {row[:80]!r}"
            problems.append(Problem("bad_row", found, "mend the row", str(path), number))
            continue
        key = tuple(_plain(cells[names.index(name)]) for name in texts)
        if scores.setdefault(key, value) != value:
            message = f"these texts already have the score {scores[key]}, here {value}"
            problems.append(Problem("two_scores", message, "keep one row", str(path), number))
    if problems:
        raise InputError(problems[:20])
    return Table(texts, scores, hashlib.sha256(data).hexdigest()[:16])


def _bytes(path: Path) -> bytes:
    with readable(path):
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data


def _decoded(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        problem = Problem(
            "encoding_unsupported", f"not UTF-8: {error.reason}", "save as UTF-8", str(path), line
        )
        raise InputError(problem) from error


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _plain(text: str) -> str:
    return " ".join(text.split())
