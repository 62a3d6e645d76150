"""What an importer returns: items with their candidates, judgements made elsewhere, and where each stood.

Values only. Everything that reads these (services, pages, commands, writers) sees the same shape whatever the
file was; a text is the text of the file, byte for byte, except that XML loses the white space of its layout.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from evaluation.problems import Problem
from evaluation.schemes import Choice

Link = tuple[int, int]
Span = tuple[int, int]


class Place(NamedTuple):
    """Where something stands; line and column count from 1.

    >>> str(Place("a.tsv", 12))
    'a.tsv:12'
    """

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part)


class Candidate(NamedTuple):
    """What one system wrote."""

    system: str
    text: str


class PairLinks(NamedTuple):
    """Word links between two candidates, counted from 0 over their tokens split at white space."""

    a: str
    b: str
    links: tuple[Link, ...]

    def __str__(self) -> str:
        return " ".join(f"{i}-{j}" for i, j in self.links)


class GivenPhrase(NamedTuple):
    """A phrase pair that the file brings: half-open token spans, None for a side that has nothing."""

    a: Span | None
    b: Span | None


class PairPhrases(NamedTuple):
    """The segmentation of two candidates that the file brings, over tokens split at white space."""

    a: str
    b: str
    phrases: tuple[GivenPhrase, ...]


@dataclass(frozen=True, slots=True)
class ImportedItem:
    """One sentence with all that belongs to it; ``candidates`` keep the order of the file."""

    id: str
    source: str
    candidates: tuple[Candidate, ...]
    place: Place
    document: str = ""
    references: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    links: tuple[PairLinks, ...] = ()
    phrases: tuple[PairPhrases, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        return tuple(candidate.system for candidate in self.candidates)

    def text(self, system: str) -> str:
        """What ``system`` wrote; KeyError if it wrote nothing here."""
        for candidate in self.candidates:
            if candidate.system == system:
                return candidate.text
        raise KeyError(system)


class Measure(StrEnum):
    """What a judgement made elsewhere says: a verdict on two systems, a rating (high is good), a rank (1 is
    best).
    """

    LABEL = "label"
    RATING = "rating"
    RANK = "rank"


@dataclass(frozen=True, slots=True)
class ImportedJudgement:
    """What one person said elsewhere.

    A label is relative to ``systems`` in that order; a rating or a rank belongs to the single system.
    ``phrase`` counts the given phrase pairs of the item from 1, None when the whole sentence was judged.
    """

    annotator: str
    item: str
    systems: tuple[str, ...]
    measure: Measure
    place: Place
    label: Choice | None = None
    value: float | None = None
    phrase: int | None = None


Record = ImportedItem | ImportedJudgement


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a checked set: counted, and read again from the file each time they are iterated.

    So a set of 200,000 items costs no more memory than one of ten.
    """

    count: int
    again: Callable[[], Iterator[ImportedItem]]

    def __iter__(self) -> Iterator[ImportedItem]:
        return self.again()

    def __len__(self) -> int:
        return self.count


@dataclass(frozen=True, slots=True)
class ImportedSet:
    """A file, or several, read and checked from the first byte to the last.

    ``digest`` names the content: the same items in another format, encoding or line ending have the same one.
    ``incomplete`` says that some systems did not translate every item.
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
