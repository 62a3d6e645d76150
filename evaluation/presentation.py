"""How a comparison looks to one annotator: two staves of text and a numbered card per difference.

Pure: from texts, token spans and phrases to fragments that a template only loops over. Nothing here knows
systems, ids or other people's answers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Span = tuple[int, int]


class Phrase(NamedTuple):
    """One phrase of an alignment: token spans of both candidates, ``None`` for a missing side."""

    first: Span | None
    second: Span | None
    shared: bool
    moved: bool

    @property
    def differs(self) -> bool:
        return self.moved or not self.shared

    @property
    def mirrored(self) -> Phrase:
        return Phrase(self.second, self.first, self.shared, self.moved)


@dataclass(frozen=True, slots=True)
class Stave:
    """A candidate: its text and where its tokens begin and end."""

    text: str
    spans: Sequence[Span]

    @property
    def words(self) -> tuple[str, ...]:
        return tuple([self.text[start:end] for start, end in self.spans])

    def slice(self, span: Span | None) -> str:
        """The original text of a token span, spaces inside it included."""
        if span is None or span[0] == span[1]:
            return ""
        return self.text[self.spans[span[0]][0] : self.spans[span[1] - 1][1]]


@dataclass(frozen=True, slots=True)
class Fragment:
    """A run of text; ``number`` is set where it belongs to a difference."""

    text: str
    number: int | None = None
    kind: str = ""
    asked: bool = False
    space: str = ""

    @property
    def head(self) -> str:
        """The first word, which stays together with the chip."""
        return self.text.split(" ", 1)[0]

    @property
    def tail(self) -> str:
        return self.text[len(self.head) :]


@dataclass(frozen=True, slots=True)
class Card:
    """A difference, as A and B show it. ``index`` is the phrase's number in the stored alignment."""

    number: int
    index: int
    kind: str
    a: str
    b: str
    asked: bool

    @property
    def hue(self) -> int:
        return hue(self.number)

    @property
    def field(self) -> str:
        """The name of its radio buttons on a page that stores nothing."""
        return f"choice-{self.number}"


def hue(number: int) -> int:
    """Six colours, used in turn; the number identifies, colour only helps."""
    return (number - 1) % 6 + 1


@dataclass(frozen=True, slots=True)
class Sheet:
    a: list[Fragment]
    b: list[Fragment]
    cards: list[Card]

    @property
    def asked(self) -> list[Card]:
        return [card for card in self.cards if card.asked]


def sheet(
    first: Stave, second: Stave, phrases: Sequence[Phrase], asked: Collection[int], *, swapped: bool
) -> Sheet:
    """Lay out a comparison; ``asked`` are the indices of the phrases that are questions here."""
    left, right = (second, first) if swapped else (first, second)
    shown = [phrase.mirrored if swapped else phrase for phrase in phrases]
    order_a = _reading_order(shown, mirror=False)
    order_b = _reading_order(shown, mirror=True)
    numbers = _Numbers([index for index in order_a if shown[index].differs], shown, asked)
    return Sheet(
        a=_fragments(left, order_a, [phrase.first for phrase in shown], numbers),
        b=_fragments(right, order_b, [phrase.second for phrase in shown], numbers),
        cards=[
            Card(
                number=number,
                index=index,
                kind=_kind(shown[index]),
                a=left.slice(shown[index].first),
                b=right.slice(shown[index].second),
                asked=index in asked,
            )
            for index, number in numbers.of.items()
        ],
    )


@dataclass(slots=True)
class _Numbers:
    """Questions are numbered first to last as A reads; quiet differences get no number."""

    differing: Sequence[int]
    phrases: Sequence[Phrase]
    asked: Collection[int]
    of: dict[int, int] = field(init=False)

    def __post_init__(self) -> None:
        questions = [index for index in self.differing if index in self.asked]
        quiet = [index for index in self.differing if index not in self.asked]
        self.of = {index: number for number, index in enumerate(questions + quiet, 1)}


def _kind(phrase: Phrase) -> str:
    if phrase.first is None:
        return "only-b"
    if phrase.second is None:
        return "only-a"
    return "moved" if phrase.moved else "sub"


def _reading_order(phrases: Sequence[Phrase], *, mirror: bool) -> list[int]:
    """Phrase indices in the order in which one side reads, one-sided ones at the place they would fill.

    A phrase that this side lacks stands right after its left neighbour on the other side.
    """
    here = [phrase.second if mirror else phrase.first for phrase in phrases]
    there = [phrase.first if mirror else phrase.second for phrase in phrases]
    order = sorted((i for i, span in enumerate(here) if span), key=lambda i: here[i] or (0, 0))
    elsewhere = sorted((i for i, span in enumerate(there) if span), key=lambda i: there[i] or (0, 0))
    for place, index in enumerate(elsewhere):
        if here[index] is None:
            left = elsewhere[place - 1] if place else None
            order.insert(order.index(left) + 1 if left is not None else 0, index)
    return order


def _fragments(
    stave: Stave, order: Sequence[int], spans: Sequence[Span | None], numbers: _Numbers
) -> list[Fragment]:
    """The side as fragments; neighbouring shared phrases flow together."""
    fragments: list[Fragment] = []
    end = 0
    for index in order:
        span, phrase = spans[index], numbers.phrases[index]
        text = stave.slice(span)
        space = ""
        if span:
            start = stave.spans[span[0]][0]
            space, end = stave.text[end:start], stave.spans[span[1] - 1][1]
        elif fragments and stave.text[end : end + 1].isspace():
            space = " "  # where words stand apart; Chinese and Japanese must not get a space of ours
        if phrase.differs:
            fragments.append(Fragment(text, numbers.of[index], _kind(phrase), index in numbers.asked, space))
        elif fragments and fragments[-1].number is None:
            last = fragments[-1]
            fragments[-1] = Fragment(last.text + space + text, space=last.space)
        else:
            fragments.append(Fragment(text, space=space))
    return fragments
