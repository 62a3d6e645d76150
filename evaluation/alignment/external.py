"""Word aligners that others wrote, used when they are installed: eflomal and systran-align.

Both align a whole corpus at once, so an adapter learns from the corpus and then answers for its sentence
pairs only. eflomal (GPL) runs as a separate process; systran-align is a wrapper of fast_align. Neither is a
dependency of this project; where one is missing, the error says so.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from importlib import import_module, metadata
from pathlib import Path

from evaluation.alignment.formats import parse_links
from evaluation.alignment.symmetry import Symmetry, symmetrize
from evaluation.alignment.values import Link
from evaluation.alignment.words import Corpus

Sentence = tuple[str, ...]


class AlignerMissing(ValueError):
    """The tool is not installed here."""


class _CorpusAligner:
    """Answers from links that were computed for the corpus."""

    _known: dict[tuple[Sentence, Sentence], tuple[Link, ...]]

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        key = tuple(a), tuple(b)
        if key in self._known:
            return self._known[key]
        if key[::-1] in self._known:
            return tuple(sorted((j, i) for i, j in self._known[key[::-1]]))
        raise ValueError("this sentence pair was not in the corpus that was aligned")


class EflomalAligner(_CorpusAligner):
    """eflomal (Östling and Tiedemann 2016) in both directions, symmetrised by grow-diag-final-and."""

    name = "eflomal"

    def __init__(self, corpus: Corpus) -> None:
        program = shutil.which("eflomal-align")
        if program is None:
            raise AlignerMissing("eflomal is not installed: the program eflomal-align is not on the path")
        self.version = f"eflomal {_version('eflomal')} grow-diag-final-and"
        pairs = [(tuple(a), tuple(b)) for a, b in corpus if a and b]
        with tempfile.TemporaryDirectory() as folder:
            lines = _eflomal(program, pairs, Path(folder))
        self._known = {
            (a, b): tuple(
                sorted(symmetrize(_parsed(x, a, b), _parsed(y, a, b), Symmetry.GROW_DIAG_FINAL_AND))
            )
            for (a, b), x, y in zip(pairs, *lines, strict=True)
        }


def _parsed(line: str, a: Sentence, b: Sentence) -> tuple[Link, ...]:
    return parse_links(line, len(a), len(b), file="eflomal")


def _eflomal(
    program: str, pairs: list[tuple[Sentence, Sentence]], folder: Path
) -> tuple[list[str], list[str]]:
    names = {name: folder / name for name in ("a", "b", "forward", "backward")}
    for name, side in (("a", 0), ("b", 1)):
        names[name].write_text("".join(f"{' '.join(pair[side])}\n" for pair in pairs), encoding="utf-8")
    options = zip(("-s", "-t", "-f", "-r"), map(str, names.values()), strict=True)
    subprocess.run(
        [program, *[word for option in options for word in option]], check=True, capture_output=True
    )
    forward, backward = (
        names[name].read_text(encoding="utf-8").split("\n") for name in ("forward", "backward")
    )
    return forward[: len(pairs)], backward[: len(pairs)]


class SystranAligner(_CorpusAligner):
    """fast_align (Dyer, Chahuneau and Smith 2013) as packaged by systran-align, symmetrised by itself."""

    name = "systran"

    def __init__(self, corpus: Corpus) -> None:
        try:
            module = import_module("systran_align")
        except ImportError:
            raise AlignerMissing("systran-align is not installed") from None
        self.version = f"systran-align {_version('systran-align')}"
        pairs = [(tuple(a), tuple(b)) for a, b in corpus if a and b]
        with tempfile.TemporaryDirectory() as folder:
            forward, backward = str(Path(folder) / "forward"), str(Path(folder) / "backward")
            train = Path(folder) / "corpus"
            train.write_text(
                "".join(f"{' '.join(a)} ||| {' '.join(b)}\n" for a, b in pairs), encoding="utf-8"
            )
            module.generate_alignment_probabilities(str(train), forward, backward)
            tool = module.Aligner(forward, backward)
            self._known = {(a, b): _links(tool.align(list(a), list(b))) for a, b in pairs}


def _links(answer: dict[str, Sequence[Sequence[int]]]) -> tuple[Link, ...]:
    return tuple(sorted((int(i), int(j)) for i, j in answer["alignments"]))


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "unknown"
