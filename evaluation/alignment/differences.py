"""The differences of two aligned sentences in one order that does not depend on which sentence is A.

Shared phrases that have not moved, the *islands*, stand in the same order in both sentences. Between two of
them lies a *gap*: a span of A and a span of B, either of which may be empty. A gap in which nothing moved is
a sequence of phrases, each a *difference* of its own; a gap that holds a moved phrase is a single difference,
because its two sides have no common order. A phrase that moved from one gap to another *crosses* and belongs
to both differences.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from evaluation.alignment.values import Kind, Phrase, PhraseAlignment, Span


@dataclass(slots=True)
class Difference:
    """A span of A against a span of B, with the numbers of the phrases in it.

    ``crossing`` lists the moved phrases of which only one side lies here.
    """

    a: Span
    b: Span
    phrases: list[int]
    crossing: list[int] = field(default_factory=list)

    @property
    def length(self) -> int:
        """Tokens of the longer side."""
        return max(self.a[1] - self.a[0], self.b[1] - self.b[0])

    @property
    def is_one_sided(self) -> bool:
        return self.a[0] == self.a[1] or self.b[0] == self.b[1]


@dataclass(slots=True)
class DifferenceChain:
    """All differences in order; ``islands[n]`` are the shared phrases between difference n and the next."""

    differences: list[Difference]
    islands: list[tuple[int, ...]]


def is_island(phrase: Phrase) -> bool:
    """Whether both sentences have a phrase, in the same place."""
    return phrase.kind is Kind.SHARED and not phrase.moved


def list_differences(alignment: PhraseAlignment) -> DifferenceChain:
    """The differences of an alignment in complete mode.

    >>> from evaluation.alignment import align
    >>> chain = list_differences(align("a red house burns".split(), "the big red house".split()))
    >>> [(d.a, d.b, d.phrases) for d in chain.differences], chain.islands
    ([((0, 1), (0, 2), [0]), ((3, 4), (4, 4), [2])], [(1,)])
    """
    phrases = alignment.phrases
    islands = [number for number, phrase in enumerate(phrases) if is_island(phrase)]
    gaps = _list_gaps(phrases, islands, len(alignment.a), len(alignment.b))
    _fill_gaps(phrases, gaps)
    chain = DifferenceChain([], [])
    between: tuple[int, ...] = ()
    for number, gap in enumerate(gaps):
        if gap.phrases:
            parts = [gap] if any(phrases[n].moved for n in gap.phrases) else _split_gap(alignment, gap)
            if chain.differences:
                chain.islands.append(between)
            chain.differences += parts
            chain.islands += [()] * (len(parts) - 1)
            between = ()
        between += tuple(islands[number : number + 1])
    return chain


def _list_gaps(phrases: Sequence[Phrase], islands: Sequence[int], n: int, m: int) -> list[Difference]:
    gaps: list[Difference] = []
    last_a = last_b = 0
    for number in islands:
        span_a, span_b = phrases[number].a, phrases[number].b
        if span_a is None or span_b is None:  # an island has two sides
            continue
        gaps.append(Difference((last_a, span_a[0]), (last_b, span_b[0]), []))
        last_a, last_b = span_a[1], span_b[1]
    gaps.append(Difference((last_a, n), (last_b, m), []))
    return gaps


def _fill_gaps(phrases: Sequence[Phrase], gaps: list[Difference]) -> None:
    """Put every differing or moved phrase into the gaps in which its sides lie."""
    starts_a, starts_b = [gap.a[0] for gap in gaps], [gap.b[0] for gap in gaps]
    for number, phrase in enumerate(phrases):
        if phrase.kind is Kind.SHARED and not phrase.moved:
            continue
        in_a = bisect_right(starts_a, phrase.a[0]) - 1 if phrase.a else None
        in_b = bisect_right(starts_b, phrase.b[0]) - 1 if phrase.b else None
        for place in {in_a, in_b} - {None}:
            if place is not None:
                gaps[place].phrases.append(number)
                if in_a is not None and in_b is not None and in_a != in_b:
                    gaps[place].crossing.append(number)


def _split_gap(alignment: PhraseAlignment, gap: Difference) -> list[Difference]:
    """One difference for each phrase of a gap in which nothing moved."""
    if len(gap.phrases) == 1:
        return [gap]
    parts: list[Difference] = []
    a, b = gap.a[0], gap.b[0]
    todo = list(gap.phrases)
    while todo:
        beginning = [n for n in todo if _begins_at(alignment.phrases[n], a, b)]
        number = min(beginning, key=lambda n: _list_words(alignment, alignment.phrases[n]))
        phrase = alignment.phrases[number]
        end_a, end_b = phrase.a[1] if phrase.a else a, phrase.b[1] if phrase.b else b
        parts.append(Difference((a, end_a), (b, end_b), [number]))
        a, b = end_a, end_b
        todo.remove(number)
    return parts


def _list_words(alignment: PhraseAlignment, phrase: Phrase) -> tuple[str, ...]:
    """The words of a one-sided phrase; two of them at one place have an order that does not depend on A."""
    return alignment.a[slice(*phrase.a)] if phrase.a else alignment.b[slice(*(phrase.b or (0, 0)))]


def _begins_at(phrase: Phrase, a: int, b: int) -> bool:
    return (phrase.a is None or phrase.a[0] == a) and (phrase.b is None or phrase.b[0] == b)
