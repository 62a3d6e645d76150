"""The verdicts that an annotator may give on a phrase pair (paper 003, section 2.2).

A scheme is data: a new one is a new constant in ``SCHEMES``. A choice is always relative to the two phrases
in the order in which they are stored; ``mirrored`` reverses it for a page that shows them the other way, and
``collapsed`` is the six-to-four reduction behind κ′.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Choice(StrEnum):
    """A verdict on (A, B); the value is the label that files carry."""

    A_MUCH_BETTER = "A>>B"
    A_BETTER = "A>B"
    EQUAL = "A=B"
    B_BETTER = "A<B"
    B_MUCH_BETTER = "A<<B"
    NOT_APPLICABLE = "N/A"

    @property
    def mirrored(self) -> Choice:
        """The same verdict when A and B change places.

        >>> Choice.A_MUCH_BETTER.mirrored
        <Choice.B_MUCH_BETTER: 'A<<B'>
        """
        return _MIRROR[self]

    @property
    def collapsed(self) -> Choice:
        """The four-way reading: *much better* counts as *better*.

        >>> Choice.B_MUCH_BETTER.collapsed
        <Choice.B_BETTER: 'A<B'>
        """
        return _COLLAPSE.get(self, self)

    @property
    def sign(self) -> int | None:
        """+1 if A wins, −1 if B wins, 0 for a tie, None where no comparison was possible."""
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
_SIGN = {
    Choice.A_MUCH_BETTER: 1,
    Choice.A_BETTER: 1,
    Choice.EQUAL: 0,
    Choice.B_BETTER: -1,
    Choice.B_MUCH_BETTER: -1,
    Choice.NOT_APPLICABLE: None,
}


@dataclass(frozen=True, slots=True)
class Scheme:
    """A closed set of choices in the order in which they are shown."""

    name: str
    title: str
    choices: tuple[Choice, ...]

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
        """The part of the scheme that lies on a scale; N/A stands apart."""
        return tuple(choice for choice in self.choices if choice is not Choice.NOT_APPLICABLE)


FOUR_WAY = Scheme(
    "four-way",
    "4 choices",
    (Choice.A_BETTER, Choice.EQUAL, Choice.B_BETTER, Choice.NOT_APPLICABLE),
)
SIX_WAY = Scheme(
    "six-way",
    "6 choices",
    (
        Choice.A_MUCH_BETTER,
        Choice.A_BETTER,
        Choice.EQUAL,
        Choice.B_BETTER,
        Choice.B_MUCH_BETTER,
        Choice.NOT_APPLICABLE,
    ),
)

SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in (FOUR_WAY, SIX_WAY)}
