"""How far the induced trees agree with real dependency parses: the open question of paper 002's last slide.

A parse joins all tokens, a collocation tree only content words, each once. So the parse is contracted first:
every content word is joined to its nearest ancestor that is the first appearance of another content word.
Both are then sets of undirected branches, compared by precision and recall.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from metrics.collocation.content_words import ContentWords

Pairs = frozenset[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Agreement:
    """Counts over any number of sentences; they add up."""

    shared: int = 0
    induced: int = 0
    parsed: int = 0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(self.shared + other.shared, self.induced + other.induced, self.parsed + other.parsed)

    @property
    def precision(self) -> float | None:
        """Share of the induced branches that the parse has."""
        return self.shared / self.induced if self.induced else None

    @property
    def recall(self) -> float | None:
        """Share of the parse's branches that were induced."""
        return self.shared / self.parsed if self.parsed else None

    @property
    def f1(self) -> float | None:
        """2 · shared / (induced + parsed)."""
        return 2 * self.shared / (self.induced + self.parsed) if self.induced + self.parsed else None


def agreement(induced: Iterable[tuple[int, int]], parsed: Iterable[tuple[int, int]]) -> Agreement:
    """Compare two sets of branches over the same content words; which end comes first does not matter.

    >>> agreement([(0, 1), (2, 1)], [(1, 2), (0, 2)])
    Agreement(shared=1, induced=2, parsed=2)
    """
    ours, theirs = _sort_ends(induced), _sort_ends(parsed)
    return Agreement(len(ours & theirs), len(ours), len(theirs))


def contract(content: ContentWords, heads: Sequence[int]) -> Pairs:
    """The parse as branches between content words; ``heads`` are token numbers, a root is its own head.

    >>> dogs_chase_the_cat = ContentWords(("dog", "chase", "cat"), (0, 1, 3), 1)
    >>> sorted(contract(dogs_chase_the_cat, [1, 1, 3, 1]))
    [(0, 1), (1, 2)]
    """
    number = {place: word for word, place in enumerate(content.places)}
    joined = ((word, _ancestor(place, heads, number)) for place, word in number.items())
    return _sort_ends((word, above) for word, above in joined if above is not None)


def neighbours(content: ContentWords) -> Pairs:
    """The simplest guess, to compare with: every content word is joined to the next."""
    return frozenset((word, word + 1) for word in range(len(content.words) - 1))


def _ancestor(place: int, heads: Sequence[int], number: dict[int, int]) -> int | None:
    seen = {place}
    while heads[place] not in seen:
        place = heads[place]
        if place in number:
            return number[place]
        seen.add(place)
    return None


def _sort_ends(branches: Iterable[tuple[int, int]]) -> Pairs:
    return frozenset((min(branch), max(branch)) for branch in branches)
