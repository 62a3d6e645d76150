"""Places: all candidates of a sentence are judged together.

A *place* is a span of every candidate, in the same order in all of them; its *variants* are the distinct
texts there. An annotator puts each variant of a place on a step: 1 is the best, and variants on the same step
are comparable. The steps imply a choice of the scheme for every two variants: ``A=B`` on the same step,
``A>B`` on a better one and, where the scheme has “much better”, ``A>>B`` two or more steps apart. A variant
that cannot be compared has no step, and every pair with it is ``N/A``. The ranking of a place is therefore a
consistent set of ordinary rankings of phrase pairs, and reports, agreement and exports need not know where
they came from.

Different steps can imply the same choices. ``normalize_steps`` returns the smallest such steps, and
``steps_from_choices`` computes them from the choices alone, so the steps themselves are not stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from evaluation.alignment import Kind, Phrase, WordAligner
from evaluation.alignment.places import Place as AlignedPlace, find_places
from evaluation.presentation import Stave
from evaluation.schemes import Choice, Scheme

Span = tuple[int, int]
Place = tuple[Span, ...]
"""The span of each candidate; empty where a candidate has no words there."""
Steps = tuple[int | None, ...]
"""The step of each variant, 1 the best; None where it cannot be compared."""
MOST_STEPS = 7
MOST_FIELDS = 32_000
"""The form fields of a page; a sentence that needs more is judged in pairs."""


@dataclass(frozen=True, slots=True)
class CandidateGroup:
    """The candidates of one sentence, sorted by text and cut into places."""

    staves: tuple[Stave, ...]
    tokens: tuple[tuple[str, ...], ...]
    places: tuple[Place, ...]

    @classmethod
    def of(
        cls,
        staves: Sequence[Stave],
        places: Sequence[Place] | None = None,
        *,
        aligner: WordAligner | None = None,
    ) -> CandidateGroup:
        """Return a group with these places, or with those that the aligner finds."""
        tokens = tuple([stave.words for stave in staves])
        if places is None:
            places = cut_places(tokens, aligner=aligner)
        return cls(tuple(staves), tokens, tuple(places))

    def variants(self, place: int) -> tuple[int, ...]:
        """Return the number of each candidate's variant; that of the first candidate is 0."""
        return number_variants(self.places[place], self.tokens)

    def texts(self, place: int) -> tuple[str, ...]:
        """Return the variants of a place, as written by the first candidate that has them."""
        texts: dict[int, str] = {}
        for number, stave, span in zip(self.variants(place), self.staves, self.places[place], strict=True):
            texts.setdefault(number, stave.slice(span))
        return tuple(texts.values())

    def wordings(self, place: int, one: int, other: int) -> tuple[str, str]:
        """Return the variants of two candidates at a place."""
        numbers, texts = self.variants(place), self.texts(place)
        return texts[numbers[one]], texts[numbers[other]]

    def phrases(self, one: int, other: int) -> list[tuple[int, Phrase]]:
        return align_two(self.places, self.tokens, one, other)

    @property
    def question_places(self) -> list[int]:
        """The numbers of the places with more than one variant."""
        return [number for number in range(len(self.places)) if max(self.variants(number)) > 0]

    @property
    def field_count(self) -> int:
        """The number of form fields: four for each place, and one for each of its variants."""
        return sum(5 + max(self.variants(place)) for place in self.question_places)


# --- where the candidates differ -------------------------------------------------------------------------


def cut_places(
    candidates: Sequence[Sequence[str]], *, aligner: WordAligner | None = None
) -> tuple[Place, ...]:
    """Cut several candidates, given as tokens, into places that together cover every token once.

    Where candidates have the same words in a different order, the whole span is one place. A place that is
    empty in some candidate is joined with a differing place beside it: “very small”, “tiny” is one question.

    >>> texts = [text.split() for text in ("the red house", "the crimson house", "a red house")]
    >>> [number_variants(place, texts) for place in cut_places(texts)]
    [(0, 0, 1), (0, 1, 0), (0, 0, 0)]
    """
    lowered = [tuple([token.lower() for token in tokens]) for tokens in candidates]
    groups = _group_in_order(find_places(lowered, aligner=aligner), len(lowered))
    places = _fill_gaps([_merge_spans(group) for group in groups], len(lowered))
    return tuple(_join_places(places, lowered))


def number_variants(place: Place, candidates: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """Number the variants in the order of the candidates, ignoring case; returns the number of each."""
    seen: dict[tuple[str, ...], int] = {}
    wordings = [
        tuple([token.lower() for token in tokens[slice(*span)]])
        for span, tokens in zip(place, candidates, strict=True)
    ]
    return tuple([seen.setdefault(wording, len(seen)) for wording in wordings])


def align_two(
    places: Sequence[Place], candidates: Sequence[Sequence[str]], one: int, other: int
) -> list[tuple[int, Phrase]]:
    """Return the phrases of two candidates with the number of their place; adjacent shared ones are
    joined."""
    phrases: list[tuple[int, Phrase]] = []
    for number, place in enumerate(places):
        a, b = place[one], place[other]
        variants = number_variants(place, candidates)
        kind = _kind(a, b, same=variants[one] == variants[other])
        if kind is None:
            continue
        last = phrases[-1][1] if phrases else None
        if kind is Kind.SHARED and last and last.kind is Kind.SHARED and last.a and last.b:
            phrases[-1] = (phrases[-1][0], Phrase((last.a[0], a[1]), (last.b[0], b[1]), kind))
        else:
            phrases.append((number, Phrase(a if a[0] < a[1] else None, b if b[0] < b[1] else None, kind)))
    return phrases


def _kind(a: Span, b: Span, *, same: bool) -> Kind | None:
    if a[0] == a[1]:
        return None if b[0] == b[1] else Kind.B_ONLY
    if b[0] == b[1]:
        return Kind.A_ONLY
    return Kind.SHARED if same else Kind.DIFFERENT


def _group_in_order(aligned: Sequence[AlignedPlace], candidates: int) -> list[list[AlignedPlace]]:
    """Group aligned places so that the groups are in the same order in every candidate."""
    ends = [0] * candidates  # the end of the words seen so far
    counts = [0] * candidates
    groups: list[list[AlignedPlace]] = []
    is_complete = True
    for place in aligned:
        if is_complete:
            groups.append([])
        groups[-1].append(place)
        for number, cell in enumerate(place.cells):
            counts[number] += sum(end - start for start, end in cell)
            ends[number] = max([ends[number], *[end for _, end in cell]])
        # As many words as the last end: no word on the left belongs to a later place.
        is_complete = ends == counts
    return groups


def _merge_spans(group: Sequence[AlignedPlace]) -> tuple[Span | None, ...]:
    """Return the span of each candidate from its first to its last word in the group."""
    merged: list[Span | None] = []
    for cells in zip(*[place.cells for place in group], strict=True):
        spans = [span for cell in cells for span in cell]
        merged.append((min(start for start, _ in spans), max(end for _, end in spans)) if spans else None)
    return tuple(merged)


def _fill_gaps(merged: Sequence[tuple[Span | None, ...]], candidates: int) -> list[Place]:
    """Replace missing spans by empty ones at the current position."""
    positions = [0] * candidates
    places = []
    for spans in merged:
        place = tuple([span or (at, at) for span, at in zip(spans, positions, strict=True)])
        positions = [end for _, end in place]
        places.append(place)
    return places


def _join_places(places: Sequence[Place], candidates: Sequence[Sequence[str]]) -> list[Place]:
    """Join adjacent differing places if a candidate is empty in one of them."""
    joined: list[Place] = []
    for place in places:
        last = joined[-1] if joined else None
        both_differ = last and all(max(number_variants(each, candidates)) > 0 for each in (last, place))
        if last and both_differ and (_has_gap(last) or _has_gap(place)):
            joined[-1] = tuple([(x[0], y[1]) for x, y in zip(last, place, strict=True)])
        else:
            joined.append(place)
    return joined


def _has_gap(place: Place) -> bool:
    return any(start == end for start, end in place)


# --- steps and choices ---------------------------------------------------------------------


def count_steps(variant_count: int, scheme: Scheme) -> int:
    """Return how many steps to offer: enough for every order, with “much better” between any two.

    >>> from evaluation.schemes import FOUR_WAY, SIX_WAY
    >>> count_steps(3, FOUR_WAY), count_steps(3, SIX_WAY), count_steps(9, SIX_WAY)
    (3, 5, 7)
    """
    return min(MOST_STEPS, 1 + (variant_count - 1) * _largest_distance(scheme))


def _largest_distance(scheme: Scheme) -> int:
    """Return the distance in steps beyond which the choice no longer changes."""
    return len(scheme.preferences)


def choice_from_steps(one: int | None, other: int | None, scheme: Scheme) -> Choice:
    """Return the choice that two steps imply, the first variant being A.

    >>> from evaluation.schemes import SIX_WAY
    >>> [str(choice_from_steps(*steps, SIX_WAY)) for steps in ((1, 2), (4, 2), (None, 1))]
    ['A>B', 'A<<B', 'N/A']
    """
    if one is None or other is None:
        return Choice.NOT_APPLICABLE
    if one > other:
        return choice_from_steps(other, one, scheme).mirrored
    distance = min(other - one, _largest_distance(scheme))
    return (Choice.EQUAL, *scheme.preferences)[distance]


def choices_from_steps(steps: Steps, scheme: Scheme) -> dict[tuple[int, int], Choice]:
    """Return the choice for every two variants, the one with the smaller number being A."""
    return {
        (one, other): choice_from_steps(steps[one], steps[other], scheme)
        for one, other in combinations(range(len(steps)), 2)
    }


def normalize_steps(steps: Steps, scheme: Scheme) -> Steps:
    """Return the smallest steps that imply the same choices; a single variant is compared with nothing.

    >>> from evaluation.schemes import FOUR_WAY, SIX_WAY
    >>> normalize_steps((2, 5, None), FOUR_WAY)
    (1, 2, None)
    >>> normalize_steps((2, 5, 5), SIX_WAY), normalize_steps((1, None), SIX_WAY)
    ((1, 3, 3), (None, None))
    """
    used = sorted({step for step in steps if step is not None})
    if sum(step is not None for step in steps) < 2:
        return (None,) * len(steps)
    normalized = {used[0]: 1}
    for before, step in pairwise(used):
        normalized[step] = normalized[before] + min(step - before, _largest_distance(scheme))
    return tuple([None if step is None else normalized[step] for step in steps])


def steps_from_choices(choices: Mapping[tuple[int, int], Choice], count: int, scheme: Scheme) -> Steps | None:
    """Return the normalized steps that imply these choices; None if the choices contradict each other.

    >>> from evaluation.schemes import SIX_WAY
    >>> choices = {(0, 1): Choice.A_BETTER, (0, 2): Choice.A_MUCH_BETTER, (1, 2): Choice.A_BETTER}
    >>> steps_from_choices(choices, 3, SIX_WAY)
    (1, 2, 3)
    """
    compared = {n for pair, choice in choices.items() if choice is not Choice.NOT_APPLICABLE for n in pair}
    losses = {
        n: sum(_sign(choices, n, other) == -1 for other in compared if other != n) for n in sorted(compared)
    }
    steps: list[int | None] = [None] * count
    order = sorted(compared, key=lambda n: losses[n])
    for place, number in enumerate(order):
        before = order[place - 1] if place else None
        steps[number] = 1 if before is None else (steps[before] or 0) + _distance(choices, before, number)
    result = tuple(steps)
    return result if choices_from_steps(result, scheme) == dict(choices) else None


def _sign(choices: Mapping[tuple[int, int], Choice], one: int, other: int) -> int | None:
    if one < other:
        return choices[one, other].sign
    sign = choices[other, one].sign
    return None if sign is None else -sign


def _distance(choices: Mapping[tuple[int, int], Choice], one: int, other: int) -> int:
    choice = choices[min(one, other), max(one, other)]
    if choice.sign in (None, 0):
        return 0
    return 2 if choice in (Choice.A_MUCH_BETTER, Choice.B_MUCH_BETTER) else 1


def variant_letter(number: int) -> str:
    """
    >>> variant_letter(0), variant_letter(25), variant_letter(26)
    ('A', 'Z', 'AA')
    """
    return (variant_letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
