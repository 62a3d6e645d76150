"""Votes from error spans: whose side of a question has less error weight.

A span shares its weight equally over the tokens that it touches. What has no tokens in the output, an
omission or an error of the source, counts for the sentence only. On a question an annotator votes for the
side with less weight, for a tie if both have the same, and not at all if neither has any: silence is no
opinion.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter
from typing import NamedTuple

from evaluation.alignment.questions import list_runs
from evaluation.alignment.values import PhraseAlignment, Span
from evaluation.assessments.values import MarkedSpan, SpanSide
from evaluation.schemes import Choice

WeighError = Callable[[MarkedSpan], float]
TOLERANCE = 1e-9  # differences of shares that add up to the same weight


class SideWeights(NamedTuple):
    """The error weight on the two sides of a question, or of several occurrences of one pair.

    >>> SideWeights(1.0, 5.0).choice, SideWeights(1.0, 1.0).choice, SideWeights(0.0, 0.0).choice
    (<Choice.A_BETTER: 'A>B'>, <Choice.EQUAL: 'A=B'>, None)
    """

    a: float
    b: float

    @property
    def choice(self) -> Choice | None:
        """The vote: None without any error."""
        if max(self.a, self.b) < TOLERANCE:
            return None
        if abs(self.a - self.b) < TOLERANCE:
            return Choice.EQUAL
        return Choice.A_BETTER if self.a < self.b else Choice.B_BETTER

    @property
    def preference(self) -> int:
        """+1 if A has less weight, −1 if B has less, 0 without a preference."""
        difference = self.b - self.a
        return 0 if abs(difference) < TOLERANCE else 1 if difference > 0 else -1

    @property
    def mirrored(self) -> SideWeights:
        return SideWeights(self.b, self.a)

    def plus(self, other: SideWeights) -> SideWeights:
        """Add another occurrence of the same pair in the same order."""
        return SideWeights(self.a + other.a, self.b + other.b)


@dataclass(frozen=True, slots=True)
class TokenWeights:
    """The error weight of an output by token, as sums up to each token, and the rest of its weight."""

    sums: tuple[float, ...]
    unplaced: float

    @classmethod
    def of(cls, spans: Iterable[MarkedSpan], tokens: Sequence[Span], weigh: WeighError) -> TokenWeights:
        """Share the weights of the spans of one annotator over the tokens, given by their offsets.

        >>> weights = TokenWeights.of([MarkedSpan("major", "", 2, 9)], [(0, 3), (4, 8)], lambda span: 5.0)
        >>> weights.sums, weights.total
        ((0.0, 2.5, 5.0), 5.0)
        """
        loads, unplaced = [0.0] * len(tokens), 0.0
        for span in spans:
            weight = weigh(span)
            touched = find_tokens(span, tokens) if weight else range(0)
            for token in touched:
                loads[token] += weight / len(touched)
            if not touched:
                unplaced += weight
        return cls((0.0, *accumulate(loads)), unplaced)

    @classmethod
    def mean(cls, weights: Sequence[TokenWeights]) -> TokenWeights:
        """The mean over annotators of one output."""
        if len(weights) == 1:
            return weights[0]
        sums = tuple(
            sum(column) / len(weights) for column in zip(*(one.sums for one in weights), strict=True)
        )
        return cls(sums, sum(one.unplaced for one in weights) / len(weights))

    @property
    def total(self) -> float:
        """All weight of the output, as the sentence has it."""
        return self.sums[-1] + self.unplaced

    def inside(self, runs: Iterable[Span]) -> float:
        """The weight on some runs of tokens."""
        return sum([self.sums[end] - self.sums[start] for start, end in runs])


def find_tokens(span: MarkedSpan, tokens: Sequence[Span]) -> range:
    """The tokens that an error of the output touches, which are neighbours."""
    if span.side is not SpanSide.TARGET or span.start is None or span.end is None:
        return range(0)
    first = bisect_right(tokens, span.start, key=itemgetter(1))
    return range(first, bisect_left(tokens, span.end, lo=first, key=itemgetter(0)))


def weigh_question(
    alignment: PhraseAlignment, phrases: Iterable[int], a: TokenWeights, b: TokenWeights
) -> SideWeights:
    """The weight on both sides of a question, whose phrases are given by number."""
    group = tuple(phrases)
    return SideWeights(a.inside(list_runs(alignment, group, "a")), b.inside(list_runs(alignment, group, "b")))
