"""From phrases to questions: which phrase pairs are asked, where, and only once (paper 003, section 3).

A pair is two texts, the lexically smaller one first; an occurrence says where it stands and whether its
texts are exchanged there (``flipped``). Pairs are merged within a scope: an item (default), the whole task
(the paper's mode) or never. Words on one side only are merged within an item at most, because one verdict
on “the” against nothing would mean nothing for a hundred sentences. A moved pair has the same words on both
sides and is about their two places, so it belongs to its comparison alone.

Of the comparisons in which a pair occurs, one owns it and asks it. The choice follows from the seed and the
texts, never from ids, names or the order of upload.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from evaluation.alignment.values import Kind, Phrase


class PairKind(StrEnum):
    """What a question is about."""

    DIFFERENT = "different"
    ONE_SIDED = "one_sided"
    MOVED = "moved"


class Scope(StrEnum):
    """How far equal pairs count as one."""

    ITEM = "item"
    TASK = "task"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Located:
    """A question where it stands: phrase ``index`` of a comparison. ``key`` names its pair."""

    key: str
    first: str
    second: str
    kind: PairKind
    index: int
    flipped: bool


@dataclass(frozen=True, slots=True)
class Compared:
    """Two candidates of an item, and their phrases as text: ``texts[i]`` belongs to ``phrases[i]``."""

    item: str
    a: str
    b: str
    phrases: Sequence[Phrase]
    texts: Sequence[tuple[str, str]]


def questions(compared: Compared, scope: Scope = Scope.ITEM, *, moved: bool = True) -> list[Located]:
    """The questions of one comparison; ``moved=False`` leaves phrases that only changed place unasked.

    >>> phrases = [Phrase((0, 1), (0, 1), Kind.DIFFERENT), Phrase((1, 2), None, Kind.A_ONLY)]
    >>> [(q.first, q.second, q.flipped) for q in questions(Compared("1", "red car", "blue", phrases,
    ...     [("red", "blue"), ("car", "")]))]
    [('blue', 'red', True), ('', 'car', True)]
    """
    found = []
    for index, (phrase, (a, b)) in enumerate(zip(compared.phrases, compared.texts, strict=True)):
        kind = _kind(phrase)
        if kind is None or (kind is PairKind.MOVED and not moved):
            continue
        flipped = b < a and kind is not PairKind.MOVED
        first, second = (b, a) if flipped else (a, b)
        key = _key(compared, scope, kind, first, second, index)
        found.append(Located(key, first, second, kind, index, flipped))
    return found


def owner(places: Iterable[tuple[str, str]], seed: int, key: str) -> tuple[str, str]:
    """Of the comparisons (as their two texts) in which a pair occurs, the one that asks it."""
    return min(places, key=lambda place: _digest(str(seed), key, *sorted(place)))


def _kind(phrase: Phrase) -> PairKind | None:
    match phrase.kind:
        case Kind.SHARED:
            return PairKind.MOVED if phrase.moved else None
        case Kind.DIFFERENT:
            return PairKind.DIFFERENT
        case _:
            return PairKind.ONE_SIDED


def _key(compared: Compared, scope: Scope, kind: PairKind, first: str, second: str, index: int) -> str:
    texts = (kind.value, first, second)
    comparison = (compared.item, *sorted((compared.a, compared.b)), str(index))
    if kind is PairKind.MOVED or scope is Scope.NONE:
        return _digest(*texts, *comparison)
    if kind is PairKind.ONE_SIDED or scope is Scope.ITEM:
        return _digest(*texts, compared.item)
    return _digest(*texts)


def _digest(*parts: str) -> str:
    """A short name for texts; control characters are refused at import, so the separator is unique."""
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:32]
