"""The files of one language pair in a directory of mt-metrics-eval, from a folder or from an upload.

| path | content |
|---|---|
| ``sources/LP.txt`` | one segment per line |
| ``references/LP.NAME.txt`` | the same |
| ``documents/LP.docs`` | ``DOMAIN<TAB>DOCUMENT`` per segment |
| ``system-outputs/LP/SYSTEM.txt`` | one segment per line |
| ``human-scores/LP.NAME.LEVEL.score`` | ``SYSTEM<TAB>VALUE`` |
| ``human-scores/LP.NAME.seg.rating`` | ``SYSTEM<TAB>JSON``, optionally ``<TAB>RATER`` |
| ``metric-scores/LP/METRIC-REFERENCE.LEVEL.score`` | ``SYSTEM<TAB>VALUE`` |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from appraise.lib.problems import InputError, Problem, shorten
from evaluation.assessments.values import ScoreLevel
from evaluation.importers.decode import lines
from evaluation.importers.model import COMMAND_LINE, Limits, SourceFile
from evaluation.importers.state import ImportState

FOLDERS = ("sources", "references", "documents", "system-outputs", "human-scores", "metric-scores")
LEVELS = tuple(f".{level.value}.score" for level in ScoreLevel)
RATING = ".seg.rating"


@dataclass(frozen=True, slots=True)
class MtmeFiles:
    """The files of one language pair by their path in the directory, without ``.gz``."""

    language_pair: str
    files: dict[str, SourceFile]
    limits: Limits = COMMAND_LINE

    @classmethod
    def from_folder(cls, folder: str | Path, language_pair: str) -> MtmeFiles:
        """List the files of a folder; ``InputError`` if it has no source text of this language pair."""
        root = Path(folder)
        paths = sorted(path for name in FOLDERS for path in (root / name).rglob("*") if path.is_file())
        named = ((path.relative_to(root).as_posix(), SourceFile.from_path(path)) for path in paths)
        return cls.from_files((replace(file, name=name) for name, file in named), language_pair)

    @classmethod
    def from_files(
        cls, files: Iterable[SourceFile], language_pair: str, limits: Limits = COMMAND_LINE
    ) -> MtmeFiles:
        """Take files whose names are paths; folders above those of the layout do not count."""
        files, found = list(files), dict[str, SourceFile]()
        for file in files:
            path = find_layout_path(file.name)
            if path is not None and _language_pair(path) == language_pair:
                if path in found:
                    message = f"there are two files {shorten(path)}"
                    raise InputError(Problem("duplicate_file", message, "keep one of them", path))
                found[path] = replace(file, name=shorten(path, 200))
        source = f"sources/{language_pair}.txt"
        if source not in found:
            message = f"there is no source text of {shorten(language_pair)!r}"
            known = ", ".join(list_language_pairs(files))
            remedy = f"language pairs with one: {known}" if known else "check the folder"
            raise InputError(Problem("missing_file", message, remedy, shorten(source)))
        return cls(language_pair, found, limits)

    def list_names(self, folder: str, ends: tuple[str, ...]) -> dict[str, SourceFile]:
        """The files in a folder by what stands between the language pair and the end of the name."""
        begin = f"{folder}/{self.language_pair}{'/' if folder in _BY_PAIR else '.'}"
        return {
            path.removeprefix(begin): file
            for path, file in sorted(self.files.items())
            if path.startswith(begin) and path.endswith(ends)
        }

    def start(self) -> ImportState:
        """Return the state of one pass over some of the files."""
        return ImportState(list(self.files.values()), self.limits)


_BY_PAIR = ("system-outputs", "metric-scores")  # folders with one folder per language pair


def list_language_pairs(files: Iterable[SourceFile]) -> list[str]:
    """The language pairs with a source text, in alphabetical order.

    >>> list_language_pairs([SourceFile.from_bytes("wmt23/sources/en-de.txt", b"")])
    ['en-de']
    """
    paths = filter(None, (find_layout_path(file.name) for file in files))
    return sorted(_language_pair(path) for path in paths if path.startswith("sources/"))


def find_layout_path(name: str) -> str | None:
    """The path of a file below the directory, without ``.gz``; None if it does not belong to the layout.

    >>> find_layout_path("data/wmt23/human-scores/en-de.mqm.seg.score.gz")
    'human-scores/en-de.mqm.seg.score'
    >>> find_layout_path("README.md") is None
    True
    """
    parts = PurePosixPath(name).parts
    places = [place for place, part in enumerate(parts[:-1]) if part in FOLDERS]
    if not places:
        return None
    folder, *rest = parts[places[-1] :]
    if len(rest) != (2 if folder in _BY_PAIR else 1):
        return None
    return "/".join([folder, *rest]).removesuffix(".gz")


def read_cells(file: SourceFile, state: ImportState) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbered rows of a file, which is never quoted."""
    for number, line in lines(file, state, cr_ends=False):
        if line.strip():
            yield number, line.split("\t")


def _language_pair(path: str) -> str:
    return path.split("/")[1].partition(".")[0]
