"""The value types of phrase alignment, and operations on sets of word links.

See paper 003, section 2.1. All indices count from 0 and all spans are half-open. A one-sided phrase (ε in the
paper) has no counterpart in the other sentence.

``symmetrize`` combines two directed word alignments with the heuristics of Och and Ney (2003) and Koehn, Och
and Marcu (2003): start from the intersection of both directions and grow into the union along the diagonal.
Links are visited in sorted order, so the result does not depend on the order of the input.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NotRequired, TypedDict

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
        """The kind after exchanging A and B.

        >>> Kind.A_ONLY.mirrored
        <Kind.B_ONLY: 'b_only'>
        """
        return {Kind.A_ONLY: Kind.B_ONLY, Kind.B_ONLY: Kind.A_ONLY}.get(self, self)


class AlignmentMode(StrEnum):
    """How links become phrases: so that they cover all words, or by Algorithm 1 of the paper."""

    COMPLETE = "complete"
    PAPER = "paper"


class PhraseJSON(TypedDict):
    a: list[int] | None
    b: list[int] | None
    kind: str
    moved: bool
    question: NotRequired[int]


class AlignmentJSON(TypedDict):
    a: list[str]
    b: list[str]
    links: str
    dropped_links: str
    phrases: list[PhraseJSON]


@dataclass(frozen=True, slots=True)
class Phrase:
    """A span of A, a span of B, or both."""

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
class PhraseAlignment:
    """Two sentences with their phrases, the word links inside phrases, and the other links (``dropped``).

    Phrases are in order of A; a B-only phrase directly follows its left neighbour in B.
    """

    a: tuple[str, ...]
    b: tuple[str, ...]
    links: tuple[Link, ...]
    dropped: tuple[Link, ...]
    phrases: tuple[Phrase, ...]

    def to_json(self, questions: Mapping[int, int] | None = None) -> AlignmentJSON:
        """Return the JSON object that the ``align`` command prints, with the question of each phrase."""
        phrases = [phrase.to_json() for phrase in self.phrases]
        for number, question in (questions or {}).items():
            phrases[number]["question"] = question
        return {
            "a": list(self.a),
            "b": list(self.b),
            "links": format_links(self.links),
            "dropped_links": format_links(self.dropped),
            "phrases": phrases,
        }


def format_links(links: Iterable[Link]) -> str:
    """Return links in Pharaoh notation, counted from 0.

    >>> format_links([(0, 0), (1, 2)])
    '0-0 1-2'
    """
    return " ".join(f"{i}-{j}" for i, j in links)


def join_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the contiguous runs of some spans.

    >>> join_spans([(4, 5), (0, 2), (2, 3)])
    [(0, 3), (4, 5)]
    """
    runs: list[Span] = []
    for start, end in sorted(spans):
        if runs and runs[-1][1] == start:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return runs


def mirror_links(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return the links after exchanging A and B, sorted.

    >>> mirror_links([(0, 1), (1, 0)])
    ((0, 1), (1, 0))
    """
    return tuple(sorted((j, i) for i, j in links))


Links = frozenset[Link]

_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


class Symmetry(StrEnum):
    """A heuristic that combines two directions."""

    INTERSECTION = "intersection"
    UNION = "union"
    GROW_DIAG = "grow-diag"
    GROW_DIAG_FINAL = "grow-diag-final"
    GROW_DIAG_FINAL_AND = "grow-diag-final-and"


def symmetrize(forward: Iterable[Link], backward: Iterable[Link], how: Symmetry) -> Links:
    """Combine two sets of links, both in the order (source, target).

    >>> sorted(symmetrize([(0, 0), (1, 1)], [(0, 0), (1, 2)], Symmetry.GROW_DIAG))
    [(0, 0), (1, 1), (1, 2)]
    """
    one, other = frozenset(forward), frozenset(backward)
    if how is Symmetry.INTERSECTION:
        return one & other
    if how is Symmetry.UNION:
        return one | other
    links = _grow(one & other, one | other)
    if how is Symmetry.GROW_DIAG_FINAL:
        links = _add_final(_add_final(links, one, both=False), other, both=False)
    elif how is Symmetry.GROW_DIAG_FINAL_AND:
        links = _add_final(_add_final(links, one, both=True), other, both=True)
    return links


def _grow(links: Links, union: Links) -> Links:
    """Add links of the union that are next to a link and link a word without one."""
    grown = set(links)
    of_a, of_b = {i for i, _ in grown}, {j for _, j in grown}
    changed = True
    while changed:
        changed = False
        for i, j in sorted(grown):
            for di, dj in _NEIGHBOURS:
                new = (i + di, j + dj)
                if new in union and new not in grown and (new[0] not in of_a or new[1] not in of_b):
                    grown.add(new)
                    of_a.add(new[0])
                    of_b.add(new[1])
                    changed = True
    return frozenset(grown)


def _add_final(links: Links, directed: Links, *, both: bool) -> Links:
    """Add links of one direction if one of the two words has no link, or (``both``) if neither has."""
    final = set(links)
    of_a, of_b = {i for i, _ in final}, {j for _, j in final}
    for i, j in sorted(directed):
        free = (i not in of_a, j not in of_b)
        if all(free) if both else any(free):
            final.add((i, j))
            of_a.add(i)
            of_b.add(j)
    return frozenset(final)


def alignment_error_rate(
    sentences: Iterable[tuple[Iterable[Link], Iterable[Link], Iterable[Link]]],
) -> float | None:
    """Return the AER of sentences given as (sure, possible, computed) links; None without any links.

    AER = 1 − (|A∩S| + |A∩P|) / (|A| + |S|), where sure links are also possible (Och and Ney 2003).

    >>> alignment_error_rate([([(0, 0)], [(1, 1)], [(0, 0), (1, 1)])])
    0.0
    """
    hits = size = 0
    for sure, possible, computed in sentences:
        s, a = frozenset(sure), frozenset(computed)
        p = frozenset(possible) | s
        hits += len(a & s) + len(a & p)
        size += len(a) + len(s)
    return 1 - hits / size if size else None
