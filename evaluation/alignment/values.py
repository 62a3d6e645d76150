"""The words of phrase alignment: links, phrases and the alignment of two sentences (paper 003, section 2.1).

All indices count from 0 and all spans are half-open. A phrase with only one side is an ε phrase: the other
sentence has nothing there.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

Link = tuple[int, int]
Span = tuple[int, int]


class Kind(StrEnum):
    """How the two sides of a phrase compare."""

    SHARED = "shared"
    DIFFERENT = "different"
    A_ONLY = "a_only"
    B_ONLY = "b_only"

    @property
    def mirrored(self) -> Kind:
        """The kind when A and B change places.

        >>> Kind.A_ONLY.mirrored
        <Kind.B_ONLY: 'b_only'>
        """
        return {Kind.A_ONLY: Kind.B_ONLY, Kind.B_ONLY: Kind.A_ONLY}.get(self, self)


class Mode(StrEnum):
    """How phrases are made from links: all words kept, or Algorithm 1 of the paper for replication."""

    COMPLETE = "complete"
    PAPER = "paper"


class PhraseJSON(TypedDict):
    a: list[int] | None
    b: list[int] | None
    kind: str
    moved: bool


class AlignmentJSON(TypedDict):
    a: list[str]
    b: list[str]
    links: str
    dropped_links: str
    phrases: list[PhraseJSON]


@dataclass(frozen=True, slots=True)
class Phrase:
    """One place of the comparison: a span of A, a span of B, or both."""

    a: Span | None
    b: Span | None
    kind: Kind
    moved: bool = False

    @property
    def mirrored(self) -> Phrase:
        return Phrase(self.b, self.a, self.kind.mirrored, self.moved)

    def to_json(self) -> PhraseJSON:
        return {
            "a": None if self.a is None else list(self.a),
            "b": None if self.b is None else list(self.b),
            "kind": self.kind.value,
            "moved": self.moved,
        }


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two sentences, the word links that were used, those that were not, and the phrases.

    Phrases stand in order of A; a B-only phrase stands right after its left neighbour in B.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    links: tuple[Link, ...]
    dropped: tuple[Link, ...]
    phrases: tuple[Phrase, ...]

    def to_json(self) -> AlignmentJSON:
        """The form that the ``align`` command prints."""
        return {
            "a": list(self.a),
            "b": list(self.b),
            "links": format_links(self.links),
            "dropped_links": format_links(self.dropped),
            "phrases": [phrase.to_json() for phrase in self.phrases],
        }


def format_links(links: Iterable[Link]) -> str:
    """Links in Pharaoh notation, counted from 0.

    >>> format_links([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{i}-{j}" for i, j in links)


def mirror_links(links: Iterable[Link]) -> tuple[Link, ...]:
    """The same links with A and B exchanged, sorted.

    >>> mirror_links([(0, 1), (1, 0)])
    ((0, 1), (1, 0))
    """
    return tuple(sorted((j, i) for i, j in links))
