"""Word aligners: the protocol, the registry by name, and the aligner ``exact``.

A word aligner takes two token sequences and returns links. Its ``version`` names everything that its links
depend on and is stored with each alignment. ``exact`` and ``lexical`` need no training data;
``statistical`` is trained on the sentence pairs that it aligns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from evaluation.alignment.values import Link, mirror_links

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

    ``statistical`` is trained on ``corpus``.

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


# The modules are imported on first use: NumPy, SciPy and NLTK are slow to import.
ALIGNERS: dict[str, Callable[[str, Corpus], WordAligner]] = {
    "exact": lambda language, corpus: ExactAligner(),
    "lexical": lambda language, corpus: _cached_lexical(language),
    "statistical": _load_statistical,
}
