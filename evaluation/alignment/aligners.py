"""Word aligners: the protocol, the registry by name, the aligner ``exact``, and adapters for external tools.

A word aligner takes two token sequences and returns links. Its ``version`` names everything that its links
depend on and is stored with each alignment. ``exact`` and ``lexical`` need no training data;
``statistical`` and the external tools are trained on the sentence pairs that they align.

The external tools are eflomal (GPL, runs as a separate process) and systran-align (wraps fast_align). They
align a whole corpus at once, so an adapter returns links only for sentence pairs of its corpus. Neither is a
dependency of this project; if one is not installed, ``AlignerMissing`` is raised.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from evaluation.alignment.link_files import parse_links
from evaluation.alignment.values import Link, Symmetry, mirror_links, symmetrize

Corpus = Sequence[tuple[Sequence[str], Sequence[str]]]
"""Sentence pairs to train on."""


class WordAligner(Protocol):
    """Computes word links; exchanging the two sentences mirrors the links."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]: ...


def load_aligner(name: str, language: str = "", corpus: Corpus | None = None) -> WordAligner:
    """Return the aligner of this name for two texts of one language.

    ``statistical``, ``eflomal`` and ``systran`` are trained on ``corpus``; the last two must be installed.

    >>> load_aligner("exact").links(["the", "red", "house"], ["a", "red", "house"])
    ((1, 1), (2, 2))
    """
    if name not in ALIGNERS:
        raise ValueError(f"unknown aligner {name!r}; known: {', '.join(sorted(ALIGNERS))}")
    return ALIGNERS[name](language, corpus or ())


@dataclass(frozen=True, slots=True)
class ExactAligner:
    """Links equal tokens along a longest common subsequence.

    The subsequence is computed with the bit-parallel recurrence of Hyyrö (2004): one integer per token of A
    holds a row of differences, so very long sentences stay fast. Among equally long subsequences the choice
    depends on the sorted texts, so exchanging the sentences mirrors the links.
    """

    name: str = "exact"
    version: str = "exact-1"

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        """
        >>> ExactAligner().links("a b c d".split(), "b x d".split())
        ((1, 0), (3, 2))
        """
        a, b = tuple(a), tuple(b)
        return _link_common(a, b) if a <= b else mirror_links(_link_common(b, a))


def _link_common(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[Link, ...]:
    # A zero bit j in row i: the subsequence of a[:i+1] and b[:j+1] is longer than that of a[:i+1] and b[:j].
    positions: dict[str, int] = {}
    for j, token in enumerate(b):
        positions[token] = positions.get(token, 0) | 1 << j
    full = (1 << len(b)) - 1
    row, rows = full, []
    for token in a:
        matches = row & positions.get(token, 0)
        row = ((row + matches) | (row - matches)) & full
        rows.append(row)
    return _trace_back(rows, len(b))


def _trace_back(rows: list[int], columns: int) -> tuple[Link, ...]:
    links = []
    i, j = len(rows), columns
    while i and j:
        bit = 1 << (j - 1)
        if rows[i - 1] & bit:
            j -= 1
        elif i > 1 and not rows[i - 2] & bit:
            i -= 1
        else:
            i, j = i - 1, j - 1
            links.append((i, j))
    return tuple(reversed(links))


@cache
def _cached_lexical(language: str) -> WordAligner:
    # One per language, because the aligner caches what it computes for each word type.
    from evaluation.alignment.lexical import LexicalAligner

    return LexicalAligner(language)


def _load_statistical(language: str, corpus: Corpus) -> WordAligner:
    from evaluation.alignment.statistical import StatisticalAligner

    return StatisticalAligner(corpus, monolingual=True)


Sentence = tuple[str, ...]


class AlignerMissing(ValueError):
    """The tool is not installed."""


class _CorpusAligner:
    """Returns the links that were computed for the corpus."""

    name: str
    _links: dict[tuple[Sentence, Sentence], tuple[Link, ...]]

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        key = tuple(a), tuple(b)
        if key in self._links:
            return self._links[key]
        if key[::-1] in self._links:
            return mirror_links(self._links[key[::-1]])
        raise ValueError(f"the sentence pair is not in the corpus that {self.name} aligned")


class EflomalAligner(_CorpusAligner):
    """eflomal (Östling and Tiedemann 2016) in both directions, symmetrised by grow-diag-final-and."""

    name = "eflomal"

    def __init__(self, corpus: Corpus) -> None:
        program = shutil.which("eflomal-align")
        if program is None:
            raise AlignerMissing("eflomal is not installed: there is no program eflomal-align on the path")
        self.version = f"eflomal {_version('eflomal')} grow-diag-final-and"
        pairs = [(tuple(a), tuple(b)) for a, b in corpus if a and b]
        with tempfile.TemporaryDirectory() as folder:
            forward, backward = _run_eflomal(program, pairs, Path(folder))
        self._links = {}
        for (a, b), *lines in zip(pairs, forward, backward, strict=True):
            there, back = (parse_links(line, len(a), len(b), file="eflomal") for line in lines)
            self._links[a, b] = tuple(sorted(symmetrize(there, back, Symmetry.GROW_DIAG_FINAL_AND)))


def _run_eflomal(
    program: str, pairs: list[tuple[Sentence, Sentence]], folder: Path
) -> tuple[list[str], list[str]]:
    """Return the lines of links of both directions."""
    paths = [folder / name for name in ("a", "b", "forward", "backward")]
    for side in (0, 1):
        paths[side].write_text("".join(f"{' '.join(pair[side])}\n" for pair in pairs), encoding="utf-8")
    flags = zip(("-s", "-t", "-f", "-r"), map(str, paths), strict=True)
    subprocess.run([program, *itertools.chain(*flags)], check=True, capture_output=True)
    forward, backward = (path.read_text(encoding="utf-8").split("\n") for path in paths[2:])
    return forward[: len(pairs)], backward[: len(pairs)]


class SystranAligner(_CorpusAligner):
    """fast_align (Dyer, Chahuneau and Smith 2013) as packaged by systran-align, which symmetrises itself."""

    name = "systran"

    def __init__(self, corpus: Corpus) -> None:
        pairs = [(tuple(a), tuple(b)) for a, b in corpus if a and b]
        command = [_find_systran(), "-c", _SYSTRAN]
        run = subprocess.run(command, input=json.dumps(pairs), capture_output=True, check=True, text=True)
        answer = json.loads(run.stdout.rpartition("\n")[2])
        self.version = f"systran-align {answer['version']}"
        self._links = {
            pair: tuple(sorted((int(i), int(j)) for i, j in links))
            for pair, links in zip(pairs, answer["links"], strict=True)
        }


def _find_systran() -> str:
    """Return a Python interpreter that has systran-align: this one, or that of `make tools`."""
    if find_spec("systran_align"):
        return sys.executable
    tools = Path(os.environ.get("APPRAISE_TOOLS") or Path(__file__).parents[2] / ".tools") / "env"
    if any((tools / "lib").glob("python3.*/site-packages/systran_align*")):
        return str(tools / "bin" / "python")
    raise AlignerMissing("systran-align is not installed; run `make tools` to install it")


_SYSTRAN = """
import json, sys, tempfile
from importlib import metadata
from pathlib import Path
import systran_align
pairs = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    corpus, forward, backward = (str(Path(folder) / name) for name in ("corpus", "forward", "backward"))
    lines = "".join(f"{' '.join(a)} ||| {' '.join(b)}\\n" for a, b in pairs)
    Path(corpus).write_text(lines, encoding="utf-8")
    systran_align.generate_alignment_probabilities(corpus, forward, backward)
    tool = systran_align.Aligner(forward, backward)
    links = [tool.align(a, b)["alignments"] for a, b in pairs]
try:
    version = metadata.version("systran-align")
except metadata.PackageNotFoundError:
    version = "unknown"
print("\\n" + json.dumps({"version": version, "links": links}), end="")
"""


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"


# The modules are imported on first use: NumPy, SciPy and NLTK are slow to import.
ALIGNERS: dict[str, Callable[[str, Corpus], WordAligner]] = {
    "exact": lambda language, corpus: ExactAligner(),
    "lexical": lambda language, corpus: _cached_lexical(language),
    "statistical": _load_statistical,
    "eflomal": lambda language, corpus: EflomalAligner(corpus),
    "systran": lambda language, corpus: SystranAligner(corpus),
}
