"""From aligned phrases to the pairs that people judge, each asked once (paper 003, section 4).

"Phrase pairs that occur multiple times in our evaluation tasks are only ranked once": a *pair* is two texts,
the lexically smaller first; an *occurrence* is where it stands. How far equal texts count as one pair is the
scope: one item (the default), the whole task (the paper's way) or not at all. A verdict on a phrase that one
sentence lacks, or on the place of a phrase that both have, is about that place. Such pairs are never merged
across items, and within an item only if the words around them are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from evaluation.alignment.values import Alignment, Kind, Phrase, Span

Around = tuple[str, str]
"""The words before and after a phrase; empty at the edges of a sentence."""


class Scope(StrEnum):
    """How far equal pairs are merged."""

    ITEM = "item"
    TASK = "task"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Place:
    """One phrase of one comparison that is to be judged, with its texts; a missing side is empty."""

    item: str
    comparison: str
    phrase: int
    a: str
    b: str
    around_a: Around = ("", "")
    around_b: Around = ("", "")
    shared: bool = False
    spot: int | None = None
    """Where all candidates of the item are judged together: the number of the place among its places."""

    @property
    def bound(self) -> bool:
        """Whether the verdict is about this very place: something is missing or has only moved."""
        return self.shared or not self.a or not self.b


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where a pair stands; ``flipped`` if the comparison's A has the pair's second text."""

    item: str
    comparison: str
    phrase: int
    flipped: bool


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts to be judged against each other, once, at ``owner``; ``key`` is what was merged.

    ``moved``: the texts count as equal, though case or punctuation may differ; only their place is judged.
    """

    key: tuple[object, ...]
    first: str
    second: str
    occurrences: tuple[Occurrence, ...]
    owner: Occurrence
    moved: bool = False


def pairs(places: Iterable[Place], *, scope: Scope = Scope.ITEM, seed: int = 1) -> tuple[Pair, ...]:
    """Unique pairs in order of first occurrence; the owner depends on the seed and not on the order.

    >>> found = pairs([Place("1", "x-y", 0, "red", "blue"), Place("1", "y-z", 3, "blue", "red")])
    >>> [(pair.first, pair.second, [o.flipped for o in pair.occurrences]) for pair in found]
    [('blue', 'red', [True, False])]
    """
    groups: dict[tuple[object, ...], list[Place]] = {}
    for place in places:
        groups.setdefault(merge_key(place, scope), []).append(place)
    return tuple([_pair(key, group, seed) for key, group in groups.items()])


def questions(alignment: Alignment, *, ask_moved: bool = True) -> tuple[int, ...]:
    """Numbers of the phrases that are worth a question.

    Differing and one-sided phrases are; a shared phrase is if it moved (its place is judged), unless the
    move is asked about already: it travels with a differing phrase, or has changed places with a smaller one.

    >>> from evaluation.alignment import align
    >>> questions(align("Anna said yes".split(), "said Anna yes".split(), links=[(0, 1), (1, 0), (2, 2)]))
    (0,)
    """
    phrases = alignment.phrases
    moved = [phrase for phrase in phrases if phrase.moved]
    return tuple(
        number
        for number, phrase in enumerate(phrases)
        if phrase.kind is not Kind.SHARED
        or (ask_moved and phrase.moved and not any(_covers(alignment, other, phrase) for other in moved))
    )


def places_of(
    item: str,
    comparison: str,
    alignment: Alignment,
    *,
    text_a: Callable[[Span], str] | None = None,
    text_b: Callable[[Span], str] | None = None,
    ask_moved: bool = True,
) -> tuple[Place, ...]:
    """The questions of one comparison.

    ``text_a`` and ``text_b`` give the original text of a token span; by default tokens are joined by spaces.
    """
    text_a = text_a or _spaced(alignment.a)
    text_b = text_b or _spaced(alignment.b)
    places = []
    for number in questions(alignment, ask_moved=ask_moved):
        phrase = alignment.phrases[number]
        texts = text_a(phrase.a) if phrase.a else "", text_b(phrase.b) if phrase.b else ""
        around = _around(alignment.a, phrase.a), _around(alignment.b, phrase.b)
        places.append(Place(item, comparison, number, *texts, *around, phrase.kind is Kind.SHARED))
    return tuple(places)


def _covers(alignment: Alignment, other: Phrase, phrase: Phrase) -> bool:
    """Whether a question about ``other`` already asks about the move of ``phrase``."""
    if other.a is None or other.b is None or phrase.a is None or phrase.b is None:
        return False
    if other.kind is Kind.DIFFERENT:
        return (other.a[1], other.b[1]) == (phrase.a[0], phrase.b[0]) or (
            (phrase.a[1], phrase.b[1]) == (other.a[0], other.b[0])
        )
    exchanged = (other.a[1], phrase.b[1]) == (phrase.a[0], other.b[0]) or (
        (phrase.a[1], other.b[1]) == (other.a[0], phrase.b[0])
    )
    return exchanged and _size(alignment, other.a) < _size(alignment, phrase.a)


def _size(alignment: Alignment, span: Span) -> tuple[int, tuple[str, ...]]:
    return span[1] - span[0], alignment.a[slice(*span)]


def _spaced(tokens: tuple[str, ...]) -> Callable[[Span], str]:
    return lambda span: " ".join(tokens[slice(*span)])


def _around(tokens: tuple[str, ...], span: Span | None) -> Around:
    if span is None:
        return "", ""
    start, end = span
    return tokens[start - 1] if start else "", tokens[end] if end < len(tokens) else ""


def _sides(place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What identifies each side: its text, and where the place counts, the words around it."""
    if place.bound and place.spot is None:
        return (place.a, *place.around_a), (place.b, *place.around_b)
    return (place.a,), (place.b,)


def merge_key(place: Place, scope: Scope) -> tuple[object, ...]:
    """Places with the same key are one pair; variants of one spot are, whatever the scope."""
    if place.spot is not None:
        return spot_key(place.item, place.spot, place.a, place.b)
    if scope is Scope.NONE:
        return place.item, place.comparison, place.phrase
    sides = tuple(sorted(_sides(place)))
    return sides if scope is Scope.TASK and not place.bound else (place.item, sides)


def spot_key(item: str, spot: int, one: str, other: str) -> tuple[object, ...]:
    """What names two variants of a place, wherever in the item they meet."""
    return item, spot, tuple(sorted((one, other)))


def _pair(key: tuple[object, ...], group: list[Place], seed: int) -> Pair:
    occurrences = tuple([_occurrence(place) for place in group])
    first, second = sorted((group[0].a, group[0].b))
    owner = min(occurrences, key=lambda o: lot(seed, first, second, o))
    return Pair(key, first, second, occurrences, owner, moved=group[0].shared)


def _occurrence(place: Place) -> Occurrence:
    of_a, of_b = _sides(place)
    return Occurrence(place.item, place.comparison, place.phrase, flipped=of_b < of_a)


def lot(seed: int, first: str, second: str, occurrence: Occurrence) -> bytes:
    """A pseudo-random key to draw owners by: the same on every machine and in any order."""
    parts = (seed, first, second, occurrence.item, occurrence.comparison, occurrence.phrase)
    return blake2b("\0".join(map(str, parts)).encode(errors="surrogatepass"), digest_size=16).digest()
