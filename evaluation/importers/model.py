"""The values of importers: the files that they take and the items and judgements that they return.

Services, pages, commands and exporters see the same values whatever the format was. A text is the text of the
file, byte for byte, except that XML loses line breaks and indentation. File names are not trusted: messages
show the bare name if it is harmless, otherwise a generated one.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import GZIP, explain_read_error
from evaluation.assessments import AssessmentProtocol, OutputRating, PublishedScores
from evaluation.schemes import Choice

Link = tuple[int, int]
Span = tuple[int, int]
MEBIBYTE = 1024 * 1024


class FileRole(StrEnum):
    """The content of a file of plain parallel text; ``ITEMS`` is any other file."""

    ITEMS = "items"
    SOURCE = "source"
    REFERENCE = "reference"
    SYSTEM = "system"
    DOCUMENTS = "documents"
    ALIGNMENTS = "alignments"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of an import; the defaults are those of the browser.

    Sizes are bytes after unpacking. ``max_tokens`` is counted at white space; ``max_marks`` counts all
    tokens, so it also limits punctuation and scripts without spaces. The longest sentence still fits into the
    form of an annotation page (``DATA_UPLOAD_MAX_NUMBER_FIELDS``).
    """

    max_bytes: int = 50 * MEBIBYTE
    max_items: int = 200_000
    max_judgements: int = 1_000_000
    max_systems: int = 200
    max_field: int = 128 * 1024
    max_characters: int = 20_000
    max_tokens: int = 2_000
    max_marks: int = 4_000
    max_name: int = 200
    max_depth: int = 64
    max_problems: int = 20
    gzip: bool = False


BROWSER = Limits()
COMMAND_LINE = Limits(max_bytes=1024 * MEBIBYTE, gzip=True)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that can be opened repeatedly; ``systems`` names the systems of its text or links.

    >>> file = SourceFile.from_bytes("../../etc/passwd", b"hello")
    >>> file.name, safe_name(file.name, 3)
    ('../../etc/passwd', 'file-3')
    """

    name: str
    opener: Callable[[], IO[bytes]]
    role: FileRole = FileRole.ITEMS
    systems: tuple[str, ...] = ()

    @classmethod
    def from_bytes(cls, name: str, data: bytes, role: FileRole = FileRole.ITEMS, *systems: str) -> SourceFile:
        return cls(name, lambda: io.BytesIO(data), role, systems)

    @classmethod
    def from_path(cls, path: str | Path, role: FileRole = FileRole.ITEMS, *systems: str) -> SourceFile:
        return cls(Path(path).name, lambda: Path(path).open("rb"), role, systems)

    @contextmanager
    def open(self, limits: Limits) -> Iterator[IO[bytes]]:
        """Open the file; unpack gzip if ``limits`` allow it."""
        try:
            opened = self.opener()
        except OSError as error:
            raise InputError(explain_read_error(error, self.name)) from error
        with opened as raw:
            packed = limits.gzip and raw.read(2) == GZIP
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield cast(IO[bytes], unpacked)  # GzipFile has the methods but not the type


_HARMLESS = re.compile(r"[\w][\w .,+=@()\[\]~-]{0,119}")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}$")


def safe_name(name: str, number: int) -> str:
    r"""Return the displayed name of the ``number``-th file: its own if harmless, otherwise a generated one.

    >>> safe_name("news test.de.txt", 1), safe_name("x\n<b>.xml", 2), safe_name("a" * 300, 4)
    ('news test.de.txt', 'file-2.xml', 'file-4')
    """
    if _HARMLESS.fullmatch(name):
        return name
    extension = _EXTENSION.search(name)
    return f"file-{number}" + (extension.group().lower() if extension else "")


def with_safe_names(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Return the files with unique names that are safe to display."""
    named: list[SourceFile] = []
    for number, file in enumerate(files, 1):
        name = safe_name(file.name, number)
        if any(name == other.name for other in named):
            name = f"file-{number}-{name}"
        named.append(replace(file, name=name))
    return named


class SourcePosition(NamedTuple):
    """A position in a file; line and column count from 1.

    >>> str(SourcePosition("a.tsv", 12))
    'a.tsv:12'
    """

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part)


class ImportedCandidate(NamedTuple):
    """The output of one system."""

    system: str
    text: str


class PairLinks(NamedTuple):
    """Word links between two candidates, counted from 0 over tokens split at white space."""

    a: str
    b: str
    links: tuple[Link, ...]

    def __str__(self) -> str:
        return " ".join(f"{i}-{j}" for i, j in self.links)


class GivenPhrase(NamedTuple):
    """A phrase pair given by the file: half-open token spans, None for a missing side."""

    a: Span | None
    b: Span | None


class PairPhrases(NamedTuple):
    """The phrases of two candidates given by the file, over tokens split at white space."""

    a: str
    b: str
    phrases: tuple[GivenPhrase, ...]


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """One item; ``candidates`` keep the order of the file.

    ``damaged``: copies of candidates that the file damaged on purpose, for attention checks.
    """

    id: str
    source: str
    candidates: tuple[ImportedCandidate, ...]
    position: SourcePosition
    document: str = ""
    references: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    links: tuple[PairLinks, ...] = ()
    phrases: tuple[PairPhrases, ...] = ()
    damaged: tuple[ImportedCandidate, ...] = ()
    domain: str = ""

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(candidate.system for candidate in self.candidates)

    def text(self, system: str) -> str:
        """Return the output of ``system``; raise ``KeyError`` if there is none."""
        for candidate in self.candidates:
            if candidate.system == system:
                return candidate.text
        raise KeyError(system)


class JudgementMeasure(StrEnum):
    """The kind of a judgement made elsewhere: a label on two systems, a rating (higher is better) or a rank
    (1 is best).
    """

    LABEL = "label"
    RATING = "rating"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class ImportedJudgement:
    """One judgement made elsewhere.

    A label is relative to ``systems`` in that order; a rating or a rank belongs to the single system.
    ``phrase`` counts the given phrase pairs of the item from 1; None means the whole sentence.
    ``source_ranking`` names the ranking that a rank comes from; empty where an annotator made one per item.
    """

    annotator: str
    item: str
    systems: tuple[str, ...]
    measure: JudgementMeasure
    position: SourcePosition
    label: Choice | None = None
    value: float | None = None
    phrase: int | None = None
    source_ranking: str = ""


Record = ImportedItem | ImportedJudgement


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a checked set, counted; every iteration reads the files again.

    So 200,000 items need no more memory than ten.
    """

    count: int
    reopen: Callable[[], Iterator[ImportedItem]]

    def __iter__(self) -> Iterator[ImportedItem]:
        return self.reopen()

    def __len__(self) -> int:
        return self.count


class ImportedAssessment(NamedTuple):
    """What one person said about one output, with what only the file knows.

    ``protocol`` is a name of ``ImportedEvidence.protocols``, ``item`` the id of an item of the set (the
    segment of the rating is not used). ``shown`` is the damaged text of an attention check, None if the
    output itself was shown. ``origin`` has what an export needs beyond the rating.
    """

    protocol: str
    item: str
    rating: OutputRating
    presentation: int = 0
    version: int = 1
    shown: str | None = None
    origin: dict[str, Any] = {}  # noqa: RUF012 — never changed; Any: JSON values


@dataclass(frozen=True, slots=True)
class ImportedEvidence:
    """Scores and error spans for the outputs of a set; each function reads the files again.

    ``references`` are the names of the references of every item, in their order.
    """

    protocols: dict[str, AssessmentProtocol]
    assessments: Callable[[], Iterator[ImportedAssessment]]
    scores: Callable[[], Iterator[PublishedScores]]
    references: tuple[str, ...] = ()
    digest: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """One or more files after reading and checking them completely.

    ``digest`` identifies the content: the same items in another format or with other line ends have the same
    digest. ``incomplete``: some systems did not translate every item.
    """

    format: str
    items: Items
    systems: tuple[str, ...]
    digest: str
    source_language: str = ""
    target_language: str = ""
    name: str = ""
    incomplete: bool = False
    judgements: tuple[ImportedJudgement, ...] = ()
    warnings: tuple[Problem, ...] = ()
    evidence: ImportedEvidence | None = None
