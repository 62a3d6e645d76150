"""The collocation table: word and co-occurrence counts of one corpus, and its file.

A site may have several tables. Each names its corpus, so that every score can be traced to its source.

The file is an uncompressed ``.npz``, 8 bytes a pair. It is written under a temporary name and renamed when
it is complete and on disk, so that a reader never sees half a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from appraise.lib.digests import bytes_digest
from appraise.lib.problems import InputError
from appraise.lib.streams import Arrays, read_arrays
from metrics.compiled.compiler import Ints, Longs

FORMAT = "collocations-1"
ARRAYS = ("frequency", "rows", "partners", "counts")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The corpus of a table: its name and description, the digest of its text, and the tools."""

    name: str
    description: str
    digest: str
    sentences: int
    language: str = "en"
    reader: str = "en"
    tools: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.description}), {self.sentences:,} sentences"


@dataclass(frozen=True)
class CollocationTable:
    """Counts over sentences. Row x of (rows, partners, counts) lists the smaller partners of word x."""

    corpus: Corpus
    words: tuple[str, ...]
    frequency: Ints
    rows: Longs
    partners: Ints
    counts: Ints

    @property
    def pairs(self) -> int:
        """The number of distinct collocations."""
        return int(self.partners.size)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """Identifies the content of the table in signatures."""
        return bytes_digest(
            json.dumps(asdict(self.corpus), sort_keys=True).encode(),
            "\n".join(self.words).encode("utf-8", "surrogatepass"),
            *(np.ascontiguousarray(getattr(self, name)).view(np.uint8).data for name in ARRAYS),
        )[:12]


def save_table(table: CollocationTable, path: Path) -> None:
    """Write a table, all or nothing."""
    head = {"format": FORMAT, "corpus": asdict(table.corpus), "digest": table.digest}
    arrays: Arrays = {
        "head": np.frombuffer(json.dumps(head, ensure_ascii=False).encode(), np.uint8),
        "words": np.frombuffer("\n".join(table.words).encode("utf-8", "surrogatepass"), np.uint8),
    }
    arrays |= {name: getattr(table, name) for name in ARRAYS}
    with write_atomically(path) as partial, partial.open("wb") as file:
        np.savez(file, allow_pickle=False, **arrays)


def load_table(path: Path) -> CollocationTable:
    """Open a table; raises ``InputError`` for any other file."""
    try:
        arrays = read_arrays(path)
        head = json.loads(arrays["head"].tobytes())
        if head["format"] != FORMAT:
            raise ValueError(f"format {head['format']!r}, expected {FORMAT!r}")
        text = arrays["words"].tobytes().decode("utf-8", "surrogatepass")
        words = tuple(text.split("\n")) if text else ()
        table = CollocationTable(Corpus(**head["corpus"]), words, *(arrays[name] for name in ARRAYS))
        _check(table)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError.of(
            "not_a_table", f"not a collocation table ({error})", "train it", str(path)
        ) from error
    table.__dict__["digest"] = head["digest"]  # as recorded, because hashing again takes longer than reading
    return table


def _check(table: CollocationTable) -> None:
    if not (len(table.words) == table.frequency.size == table.rows.size - 1):
        raise ValueError(f"{len(table.words)} words, {table.frequency.size} counts, {table.rows.size} rows")
    if not (table.rows[-1] == table.partners.size == table.counts.size):
        raise ValueError(f"{table.partners.size} partners, {table.counts.size} counts")


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which is renamed to ``path`` if the block succeeds and deleted otherwise."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
