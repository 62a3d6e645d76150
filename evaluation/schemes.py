"""Schemes: the choices that an annotator has for a phrase pair (paper 003, section 2.2).

A scheme is data: a new one, with its texts, keys and columns, is a new constant in ``SCHEMES``. A choice is
relative to the two phrases in stored order; ``mirrored`` reverses it for a page that shows them in the other
order, and ``collapsed`` is the six-to-four reduction of κ′.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class Choice(StrEnum):
    """The value of a ranking of (A, B), and its label in files."""

    A_MUCH_BETTER = "A>>B"
    A_BETTER = "A>B"
    EQUAL = "A=B"
    B_BETTER = "A<B"
    B_MUCH_BETTER = "A<<B"
    NOT_APPLICABLE = "N/A"

    @property
    def mirrored(self) -> Choice:
        """The same choice after exchanging A and B.

        >>> Choice.A_MUCH_BETTER.mirrored
        <Choice.B_MUCH_BETTER: 'A<<B'>
        """
        return _MIRROR[self]

    @property
    def collapsed(self) -> Choice:
        """The four-way choice: *much better* counts as *better*.

        >>> Choice.B_MUCH_BETTER.collapsed
        <Choice.B_BETTER: 'A<B'>
        """
        return _COLLAPSE.get(self, self)

    @property
    def symbol(self) -> str:
        """The notation on pages.

        >>> Choice.A_MUCH_BETTER.symbol
        'A ≫ B'
        """
        return _SYMBOL[self]

    @property
    def sign(self) -> int | None:
        """+1 if A is better, −1 if B is better, 0 for a tie, None if they cannot be compared."""
        return _SIGN[self]


_MIRROR = {
    Choice.A_MUCH_BETTER: Choice.B_MUCH_BETTER,
    Choice.A_BETTER: Choice.B_BETTER,
    Choice.EQUAL: Choice.EQUAL,
    Choice.B_BETTER: Choice.A_BETTER,
    Choice.B_MUCH_BETTER: Choice.A_MUCH_BETTER,
    Choice.NOT_APPLICABLE: Choice.NOT_APPLICABLE,
}
_COLLAPSE = {Choice.A_MUCH_BETTER: Choice.A_BETTER, Choice.B_MUCH_BETTER: Choice.B_BETTER}
_SYMBOL = {
    Choice.A_MUCH_BETTER: "A ≫ B",
    Choice.A_BETTER: "A > B",
    Choice.EQUAL: "A = B",
    Choice.B_BETTER: "A < B",
    Choice.B_MUCH_BETTER: "A ≪ B",
    Choice.NOT_APPLICABLE: "N/A",
}
_SIGN = {
    Choice.A_MUCH_BETTER: 1,
    Choice.A_BETTER: 1,
    Choice.EQUAL: 0,
    Choice.B_BETTER: -1,
    Choice.B_MUCH_BETTER: -1,
    Choice.NOT_APPLICABLE: None,
}


@dataclass(frozen=True, slots=True)
class Option:
    """A choice with the texts of one scheme, in English; pages translate them (the filter ``spoken``)."""

    choice: Choice
    words: str  # next to the symbol
    meaning: str  # in the guidelines


class SchemeColumn(NamedTuple):
    """An option in a row of buttons."""

    key: int  # the digit that selects it
    option: Option
    position: str  # "first" or "last" on the scale, "na" next to it, "" between; determines the colour


@dataclass(frozen=True, slots=True)
class Scheme:
    """A closed set of choices in display order, with their texts."""

    name: str
    title: str
    options: tuple[Option, ...]
    summary: str = ""  # in the list of schemes on the upload page
    steps_hint: str = "1 is best. The same number: comparable."  # for ranking the variants of a place
    step_meanings: tuple[str, ...] = ()  # of one, two … steps worse
    choices: tuple[Choice, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", tuple([option.choice for option in self.options]))

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(choice.value for choice in self.choices)

    @property
    def chance(self) -> float:
        """Fixed P(E): every choice of the scheme is equally likely (paper 003, section 5.1)."""
        return 1 / len(self.choices)

    @property
    def collapsed(self) -> Scheme:
        """The scheme over which κ′ is computed."""
        kept = {choice.collapsed for choice in self.choices}
        return next(s for s in SCHEMES.values() if set(s.choices) == kept)

    @property
    def ordered(self) -> tuple[Choice, ...]:
        """The choices that form a scale, that is, all but N/A."""
        return tuple(choice for choice in self.choices if choice is not Choice.NOT_APPLICABLE)

    @property
    def preferences(self) -> tuple[Choice, ...]:
        """The choices that prefer A, the weakest first.

        >>> [str(choice) for choice in SIX_WAY.preferences]
        ['A>B', 'A>>B']
        """
        return tuple(choice for choice in reversed(self.choices) if choice.sign == 1)

    @property
    def columns(self) -> tuple[SchemeColumn, ...]:
        """The row of buttons.

        >>> [(column.key, column.position) for column in FOUR_WAY.columns]
        [(1, 'first'), (2, ''), (3, 'last'), (4, 'na')]
        """
        positions = dict.fromkeys(self.choices, "")
        positions[self.ordered[-1]], positions[self.ordered[0]] = "last", "first"
        positions[Choice.NOT_APPLICABLE] = "na"
        return tuple(
            [
                SchemeColumn(key, option, positions[option.choice])
                for key, option in enumerate(self.options, 1)
            ]
        )

    def words(self, choice: Choice) -> str:
        """Return the words next to the symbol of a choice.

        >>> FOUR_WAY.words(Choice.A_BETTER), SIX_WAY.words(Choice.A_BETTER)
        ('A better', 'A slightly better')
        """
        return next(option.words for option in self.options if option.choice is choice)

    @property
    def texts(self) -> tuple[str, ...]:
        """All texts of the scheme on pages, for the translation catalogue."""
        of_options = [text for option in self.options for text in (option.words, option.meaning)]
        summary = (self.summary,) if self.summary else ()
        return (self.title, *summary, *of_options, self.steps_hint, *self.step_meanings)


class ChoiceReason(NamedTuple):
    """What a choice was made for, in English; asked after the answer if the task wants it."""

    code: str  # in the database and in exports
    key: str
    words: str


CHOICE_REASONS = (
    ChoiceReason("meaning", "Q", "Meaning"),
    ChoiceReason("grammar", "W", "Grammar"),
    ChoiceReason("style", "E", "Style"),
    ChoiceReason("other", "R", "Other"),
)
REASON_CODES = frozenset(reason.code for reason in CHOICE_REASONS)

_COMPARABLE = Option(Choice.EQUAL, "comparable", "Comparable. You would accept either of them.")
_NOT_APPLICABLE = Option(
    Choice.NOT_APPLICABLE,
    "cannot compare",
    "Not applicable: misaligned, broken or untranslated, so the two cannot be compared.",
)
FOUR_WAY = Scheme(
    "four-way",
    "4 choices",
    (
        # Not “slightly”: this scheme has no other degree to distinguish it from.
        Option(Choice.A_BETTER, "A better", "A is better."),
        _COMPARABLE,
        Option(Choice.B_BETTER, "B better", "A is worse."),
        _NOT_APPLICABLE,
    ),
    summary="Four: better, comparable, worse, N/A",
    step_meanings=("Worse. How many steps lie between two variants makes no difference.",),
)
SIX_WAY = Scheme(
    "six-way",
    "6 choices",
    (
        Option(
            Choice.A_MUCH_BETTER,
            "A much better",
            "A is much better. A reader of B would be misled or would stumble.",
        ),
        Option(
            Choice.A_BETTER,
            "A slightly better",
            "A is slightly better. Both can be understood; A reads more naturally or is more exact.",
        ),
        _COMPARABLE,
        Option(Choice.B_BETTER, "B slightly better", "A is slightly worse."),
        Option(Choice.B_MUCH_BETTER, "B much better", "A is much worse."),
        _NOT_APPLICABLE,
    ),
    summary="Six: with “much” and “slightly”",
    steps_hint=(
        "1 is best. The same number: comparable. One step apart: slightly better; two or more: much better."
    ),
    step_meanings=(
        "Slightly worse: it can be understood, but reads less naturally or is less exact.",
        "Much worse: a reader would be misled or would stumble. Leave a step empty to say so.",
    ),
)

SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (FOUR_WAY, SIX_WAY)}
