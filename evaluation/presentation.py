"""The presentation of a comparison to one annotator: two texts in fragments and a card per question.

Turns texts, token spans and phrases into fragments over which a template only loops. Systems, ids and the
answers of others are unknown here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from typing import NamedTuple

from evaluation.alignment.pairs import RUN_SEPARATOR
from evaluation.alignment.questions import have_same_words
from evaluation.alignment.values import join_spans

Span = tuple[int, int]


class ShownPhrase(NamedTuple):
    """One phrase of an alignment: token spans of both candidates, ``None`` for a missing side."""

    first: Span | None
    second: Span | None
    shared: bool
    moved: bool

    @property
    def differs(self) -> bool:
        return self.moved or not self.shared

    @property
    def mirrored(self) -> ShownPhrase:
        return ShownPhrase(self.second, self.first, self.shared, self.moved)


@dataclass(frozen=True, slots=True)
class Stave:
    """The text of a candidate with the character spans of its tokens."""

    text: str
    spans: Sequence[Span]

    @classmethod
    def of(cls, text: str, offsets: Sequence[int]) -> Stave:
        """
        >>> Stave.of("Go on", [0, 2, 3, 5]).words
        ('Go', 'on')
        """
        return cls(text, tuple(zip(offsets[::2], offsets[1::2], strict=True)))

    @property
    def words(self) -> tuple[str, ...]:
        return self.list_words((0, len(self.spans)))

    def list_words(self, span: Span) -> tuple[str, ...]:
        return tuple([self.text[start:end] for start, end in self.spans[slice(*span)]])

    def slice(self, span: Span | None) -> str:
        """Return the original text of a token span, inner spaces included."""
        if span is None or span[0] == span[1]:
            return ""
        return self.text[self.spans[span[0]][0] : self.spans[span[1] - 1][1]]


_MARKS = {"sub": "", "moved": " ⇄", "gap": " +"}


@dataclass(frozen=True, slots=True)
class Fragment:
    """A part of a text; ``number`` is set if it belongs to a difference."""

    text: str
    number: int | None = None
    kind: str = ""
    asked: bool = False
    space: str = ""
    elsewhere: int | None = None
    """For a difference that is not asked here: which comparison asks, 0 if it has no number yet."""

    @property
    def hue(self) -> int:
        return hue(self.number or 1)

    @property
    def look(self) -> str:
        """The style of the underline; the same for both one-sided kinds."""
        return "gap" if self.kind.startswith("only") else self.kind

    @property
    def mark(self) -> str:
        """The sign next to the number on its chip."""
        return _MARKS[self.look]

    @property
    def head(self) -> str:
        """The first word, which is not separated from the chip."""
        return self.text.split(" ", 1)[0]

    @property
    def tail(self) -> str:
        return self.text[len(self.head) :]


class Excerpt(NamedTuple):
    """A question with the words around it; of ``parts``, those that are true belong to the question."""

    before: str
    parts: list[tuple[str, bool]]
    after: str


@dataclass(frozen=True, slots=True)
class Card:
    """A question in display order, or a difference that is not asked here.

    ``index`` is the number of its first phrase in the stored alignment.
    """

    number: int
    index: int
    kind: str
    a: str
    b: str
    asked: bool
    is_whole: bool = False
    """Whether hardly anything of the two sentences is outside this question."""
    excerpts: tuple[Excerpt, ...] = ()

    @property
    def has_two_places(self) -> bool:
        return any(sum(is_marked for _, is_marked in excerpt.parts) > 1 for excerpt in self.excerpts)

    @property
    def hue(self) -> int:
        return hue(self.number)

    @property
    def field(self) -> str:
        """The name of its radio buttons on a preview page."""
        return f"choice-{self.number}"


def hue(number: int) -> int:
    """Return one of six colours in turn; the number identifies, the colour only helps."""
    return (number - 1) % 6 + 1


@dataclass(frozen=True, slots=True)
class Sheet:
    """Both texts as fragments, and the cards of their differences."""

    a: list[Fragment]
    b: list[Fragment]
    cards: list[Card]
    unmarked: list[tuple[str, str]] = field(default_factory=list)
    """Words that count as equal but are written differently, such as “The” and “the”."""

    @property
    def questions(self) -> list[Card]:
        return [card for card in self.cards if card.asked]


WHOLE = 0.8
"""Share of the words of both sentences from which on a question is about the whole sentence."""


def sheet(
    first: Stave,
    second: Stave,
    phrases: Sequence[ShownPhrase],
    asked: Mapping[int, int],
    *,
    groups: Iterable[Sequence[int]] = (),
    elsewhere: Mapping[int, int] | None = None,
    swapped: bool,
) -> Sheet:
    """Lay out a comparison.

    ``groups`` are the phrases of each question; a differing phrase in none of them stands for itself.
    ``asked`` maps the first phrase of each asked group to the one that names its card: a pair that occurs
    twice has one card. ``elsewhere`` maps phrases of other comparisons to the number of that comparison.
    """
    staves = (second, first) if swapped else (first, second)
    shown = [phrase.mirrored if swapped else phrase for phrase in phrases]
    units = _list_units(staves, shown, groups, asked)
    orders = _reading_order(shown, mirror=False), _reading_order(shown, mirror=True)
    numbers = _number_cards(units, orders[0])
    a = _fragments(staves[0], orders[0], [phrase.first for phrase in shown], units, numbers, elsewhere or {})
    b = _fragments(staves[1], orders[1], [phrase.second for phrase in shown], units, numbers, elsewhere or {})
    return Sheet(a, b, _make_cards(units, numbers, (a, b)), _list_unmarked(staves, shown, units))


def _make_cards(
    units: Mapping[int, _Unit], numbers: Mapping[int, int], sides: Iterable[list[Fragment]]
) -> list[Card]:
    cards = [unit for index, unit in units.items() if index == unit.card]
    return [
        Card(
            numbers[unit.card], unit.card, unit.kind, *unit.texts, unit.is_asked, unit.is_whole,
            tuple([excerpt(fragments, numbers[unit.card]) for fragments in sides]) if unit.is_asked else (),
        )
        for unit in sorted(cards, key=lambda unit: numbers[unit.card])
    ]  # fmt: skip


def _list_unmarked(
    staves: tuple[Stave, Stave], phrases: Sequence[ShownPhrase], units: Mapping[int, _Unit]
) -> list[tuple[str, str]]:
    """Return what differs in phrases that count as shared: capital letters or punctuation, as written."""
    found: list[tuple[str, str]] = []
    for index, phrase in enumerate(phrases):
        if index not in units and phrase.first and phrase.second:
            words, others = staves[0].list_words(phrase.first), staves[1].list_words(phrase.second)
            (first, _), (second, _) = phrase.first, phrase.second
            for tag, *bounds in SequenceMatcher(None, words, others, autojunk=False).get_opcodes():
                if tag != "equal":
                    i, j, k, m = _widen(*bounds)
                    a = staves[0].slice((first + i, first + j))
                    found.append((a, staves[1].slice((second + k, second + m))))
    return list(dict.fromkeys(found))


def _widen(i: int, j: int, k: int, m: int) -> tuple[int, int, int, int]:
    """Add the word before, or after, to a difference of which one side has nothing."""
    if i < j and k < m:
        return i, j, k, m
    return (i - 1, j, k - 1, m) if i else (i, j + 1, k, m + 1)


EXCERPT = 28
"""Characters of context on each side of a question in its card."""


def excerpt(fragments: Sequence[Fragment], number: int) -> Excerpt:
    """Return the question ``number`` of one side, with the words around it.

    >>> excerpt([Fragment("It is"), Fragment("much", 1, "sub", True, " "), Fragment(", too.")], 1)
    Excerpt(before='It is ', parts=[('much', True)], after=', too.')
    """
    places = [place for place, fragment in enumerate(fragments) if fragment.number == number]
    first, last = places[0], places[-1]
    texts = [fragment.space + fragment.text if fragment.text else "" for fragment in fragments]
    parts: list[tuple[str, bool]] = []
    for fragment in fragments[first : last + 1]:
        if fragment.number == number:
            parts += [(fragment.space, False), (fragment.text, True)]
        else:
            parts.append((_shorten(fragment.space + fragment.text), False))
    before, after = "".join(texts[:first]) + fragments[first].space, "".join(texts[last + 1 :])
    return Excerpt(_shorten(before, start=0), parts[1:], _shorten(after, end=0))


def _shorten(text: str, *, start: int = EXCERPT, end: int = EXCERPT) -> str:
    """Return the beginning and the end of a text; a script without spaces is cut anywhere.

    >>> _shorten("In spite of the much longer opening times", start=0)
    '… much longer opening times'
    >>> _shorten(" of the library in the middle of last summer", end=0)
    ' of the library in the …'
    """
    if len(text) <= start + end + 3:
        return text
    head, tail = text[:start], text[len(text) - end :]
    if " " in text:
        head, tail = head.rpartition(" ")[0], tail.partition(" ")[2]
    return f"{head} … {tail}".strip() if start and end else f"{head} …" if start else f"… {tail}"


@dataclass(frozen=True)
class _Unit:
    """What is marked with one number: the phrases of a question, or a difference that is not asked."""

    staves: tuple[Stave, Stave]
    phrases: Sequence[int]
    all_phrases: Sequence[ShownPhrase]
    card: int
    is_asked: bool

    @cached_property
    def runs(self) -> tuple[list[Span], list[Span]]:
        """The contiguous runs of tokens on both sides."""
        shown = [self.all_phrases[index] for index in self.phrases]
        return join_spans([p.first for p in shown if p.first]), join_spans(
            [p.second for p in shown if p.second]
        )

    @cached_property
    def texts(self) -> tuple[str, str]:
        of_a, of_b = (
            [stave.slice(run) for run in runs] for stave, runs in zip(self.staves, self.runs, strict=True)
        )
        return RUN_SEPARATOR.join(of_a), RUN_SEPARATOR.join(of_b)

    @cached_property
    def kind(self) -> str:
        if not self.runs[0]:
            return "only-b"
        if not self.runs[1]:
            return "only-a"
        if len(self.phrases) == 1:
            return "moved" if self.all_phrases[self.phrases[0]].moved else "sub"
        return "moved" if have_same_words(*(self._words(side) for side in (0, 1))) else "sub"

    @property
    def is_whole(self) -> bool:
        return all(len(self._words(side)) >= WHOLE * len(self.staves[side].spans) for side in (0, 1))

    def _words(self, side: int) -> list[str]:
        return [word for run in self.runs[side] for word in self.staves[side].list_words(run)]


def _list_units(
    staves: tuple[Stave, Stave],
    phrases: Sequence[ShownPhrase],
    groups: Iterable[Sequence[int]],
    asked: Mapping[int, int],
) -> dict[int, _Unit]:
    """Return the unit of each phrase that is marked."""
    units: dict[int, _Unit] = {}
    grouped = {index: group for group in groups for index in group}
    for index, phrase in enumerate(phrases):
        if index not in units and (index in grouped or phrase.differs):
            group = grouped.get(index, (index,))
            first = group[0]
            unit = _Unit(staves, group, phrases, asked.get(first, first), first in asked)
            units |= dict.fromkeys(group, unit)
    return units


def _number_cards(units: Mapping[int, _Unit], order: Sequence[int]) -> dict[int, int]:
    """Number the questions in the order of A, then the differences that are not asked about."""
    cards = dict.fromkeys(units[index].card for index in order if index in units)
    asked = {unit.card for unit in units.values() if unit.is_asked}
    questions = [card for card in cards if card in asked]
    others = [card for card in cards if card not in asked]
    return {card: number for number, card in enumerate(questions + others, 1)}


def _reading_order(phrases: Sequence[ShownPhrase], *, mirror: bool) -> list[int]:
    """Return phrase indices in the order of one side.

    A phrase that is missing on this side directly follows its left neighbour on the other side.
    """
    here = [phrase.second if mirror else phrase.first for phrase in phrases]
    there = [phrase.first if mirror else phrase.second for phrase in phrases]
    order = sorted((i for i, span in enumerate(here) if span), key=lambda i: here[i] or (0, 0))
    elsewhere = sorted((i for i, span in enumerate(there) if span), key=lambda i: there[i] or (0, 0))
    for position, index in enumerate(elsewhere):
        if here[index] is None:
            left = elsewhere[position - 1] if position else None
            order.insert(order.index(left) + 1 if left is not None else 0, index)
    return order


def _fragments(
    stave: Stave,
    order: Sequence[int],
    spans: Sequence[Span | None],
    units: Mapping[int, _Unit],
    numbers: Mapping[int, int],
    elsewhere: Mapping[int, int],
) -> list[Fragment]:
    """Return one side as fragments; adjacent phrases of a question, and adjacent shared ones, are joined."""
    fragments: list[Fragment] = []
    end = 0
    last: _Unit | None = None
    has_words = {id(units[index]) for index in order if index in units and spans[index]}
    for index in order:
        span, unit = spans[index], units.get(index)
        if span is None and unit and id(unit) in has_words:
            continue  # the question has words elsewhere on this side
        text, space = stave.slice(span), ""
        if span:
            start = stave.spans[span[0]][0]
            space, end = stave.text[end:start], stave.spans[span[1] - 1][1]
        elif fragments and stave.text[end : end + 1].isspace():
            space = " "  # only in scripts with spaces, not in Chinese or Japanese
        if fragments and unit is last and span:
            before = fragments[-1]
            fragments[-1] = replace(before, text=before.text + space + text)
        elif unit:
            number, kind = numbers[unit.card], unit.kind
            fragments.append(Fragment(text, number, kind, unit.is_asked, space, elsewhere.get(index)))
        else:
            fragments.append(Fragment(text, space=space))
        if span is None and unit:
            has_words.add(id(unit))  # one mark is enough
        last = unit
    return fragments
