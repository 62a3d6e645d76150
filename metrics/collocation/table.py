"""The collocation table: word and co-occurrence counts of one corpus.

There may be several, each a file that names its corpus, so that every score can be traced to its source. The
counts are mapped into memory, 8 bytes a pair, and shared by all processes that read them.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from evaluation.problems import InputError, Problem
from metrics.collocation.storage import Array, map_arrays, save_arrays
from metrics.kernels.compiler import Ints, Longs

FORMAT = "collocations-1"
ARRAYS = ("words", "frequency", "rows", "partners", "counts")


@dataclass(frozen=True, slots=True)
class Corpus:
    """Where a table comes from: what it is called, what it is, and exactly which text and tools."""

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
class Table:
    """Counts over sentences. Row x of (rows, partners, counts) lists the smaller partners of word x."""

    corpus: Corpus
    words: tuple[str, ...]
    frequency: Ints
    rows: Longs
    partners: Ints
    counts: Ints

    def __post_init__(self) -> None:
        # One kind of array for the kernels, whether counted just now or mapped from a file: one compilation.
        for name in ARRAYS[1:]:
            array = getattr(self, name).view(np.ndarray)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def pairs(self) -> int:
        """How many different collocations were seen."""
        return int(self.partners.size)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """Names the content of the table in signatures."""
        state = hashlib.sha256(json.dumps(asdict(self.corpus), sort_keys=True).encode())
        state.update("\n".join(self.words).encode("utf-8", "surrogatepass"))
        for array in (self.frequency, self.rows, self.partners, self.counts):
            state.update(np.ascontiguousarray(array).view(np.uint8).data)
        return state.hexdigest()[:12]

    def co_occurrences(self, a: str, b: str) -> tuple[int, int, int]:
        """(c12, c1, c2) of two words; zeros for words that the corpus does not have."""
        i, j = self.numbers.get(a, -1), self.numbers.get(b, -1)
        c1, c2 = (int(self.frequency[k]) if k >= 0 else 0 for k in (i, j))
        if min(i, j) < 0 or i == j:
            return 0, c1, c2
        start, end = self.rows[max(i, j)], self.rows[max(i, j) + 1]
        place = start + np.searchsorted(self.partners[start:end], min(i, j))
        found = place < end and self.partners[place] == min(i, j)
        return int(self.counts[place]) if found else 0, c1, c2


def save(table: Table, path: Path) -> None:
    """Write a table; a reader of ``path`` gets the old one or the new one, never half of it."""
    head = {"format": FORMAT, "corpus": asdict(table.corpus), "digest": table.digest}
    arrays: dict[str, Array] = {
        "head": np.frombuffer(json.dumps(head, ensure_ascii=False).encode(), np.uint8),
        "words": np.frombuffer("\n".join(table.words).encode("utf-8", "surrogatepass"), np.uint8),
    }
    save_arrays(path, arrays | {name: getattr(table, name) for name in ARRAYS[1:]})


def load(path: Path) -> Table:
    """Open a table; raises ``InputError`` when the file is not one."""
    arrays = map_arrays(path)
    try:
        head = json.loads(arrays["head"].tobytes())
        if head["format"] != FORMAT:
            raise ValueError(f"format {head['format']!r}, expected {FORMAT!r}")
        text = arrays["words"].tobytes().decode("utf-8", "surrogatepass")
        words = tuple(text.split("\n")) if text else ()
        table = Table(Corpus(**head["corpus"]), words, *(arrays[name] for name in ARRAYS[1:]))
        _check(table)
    except (KeyError, TypeError, ValueError) as error:
        problem = Problem("not_a_table", f"this is no collocation table ({error})", "train it", str(path))
        raise InputError(problem) from error
    table.__dict__["digest"] = head["digest"]  # recorded when it was written; reading all pages again is slow
    return table


def _check(table: Table) -> None:
    if not (len(table.words) == table.frequency.size == table.rows.size - 1):
        raise ValueError(f"{len(table.words)} words, {table.frequency.size} counts, {table.rows.size} rows")
    if not (table.rows[-1] == table.partners.size == table.counts.size):
        raise ValueError(f"{table.partners.size} partners, {table.counts.size} counts")
