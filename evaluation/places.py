"""Judging all candidates of a sentence together: places, their variants, and what a ranking of them says.

A *place* is a stretch of every candidate, in the same order in all of them; its *variants* are the distinct
wordings there. An annotator puts the variants of a place on steps, 1 the best, several on one step if they
are comparable. That says something about every two of them, in the words of the scheme: on the same step
``A=B``, on a better one ``A>B``, and where the scheme has “much better”, two or more steps better ``A>>B``. A
variant that cannot be compared is on no step, and every pair with it is ``N/A``. So a ranking of a place is a
set of ordinary verdicts on phrase pairs that cannot contradict each other, and reports, agreement and exports
need not know where they came from.

Steps that say the same are one ranking: ``normal`` is the form in which it is shown again, and ``steps_of``
finds it from the verdicts alone, so that nothing else has to be stored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from evaluation.alignment import Kind, Phrase, WordAligner
from evaluation.alignment.slots import Slot, slots
from evaluation.presentation import Stave
from evaluation.schemes import Choice, Scheme

Span = tuple[int, int]
Place = tuple[Span, ...]
"""The stretch of each candidate; an empty one where a candidate has nothing there."""
Steps = tuple[int | None, ...]
"""The step of each variant, 1 the best; None where it cannot be compared."""
MOST_STEPS = 7


@dataclass(frozen=True, slots=True)
class Group:
    """The candidates of one sentence in the order of their texts, cut into places."""

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
    ) -> Group:
        """A group with these places, or with those that the aligner finds."""
        tokens = tuple([stave.words for stave in staves])
        found = cut(tokens, aligner=aligner) if places is None else tuple(places)
        return cls(tuple(staves), tokens, found)

    def variants(self, place: int) -> tuple[int, ...]:
        """For each candidate the number of its variant; the first candidate's is 0."""
        return variants(self.places[place], self.tokens)

    def texts(self, place: int) -> tuple[str, ...]:
        """The variants of a place, each as the first candidate that has it writes it."""
        texts: dict[int, str] = {}
        for number, stave, span in zip(self.variants(place), self.staves, self.places[place], strict=True):
            texts.setdefault(number, stave.slice(span))
        return tuple(texts.values())

    def wordings(self, place: int, one: int, other: int) -> tuple[str, str]:
        """What two candidates have at a place."""
        of, texts = self.variants(place), self.texts(place)
        return texts[of[one]], texts[of[other]]

    def phrases(self, one: int, other: int) -> list[tuple[int, Phrase]]:
        return phrases(self.places, self.tokens, one, other)

    @property
    def asked(self) -> list[int]:
        """The numbers of the places with more than one variant."""
        return [number for number in range(len(self.places)) if max(self.variants(number)) > 0]


# --- where the candidates differ -------------------------------------------------------------------------


def cut(candidates: Sequence[Sequence[str]], *, aligner: WordAligner | None = None) -> tuple[Place, ...]:
    """The places of several candidates, given as tokens; together they cover every token once.

    Where candidates say the same in another order, the whole stretch is one place. A place where some
    candidate has nothing is joined with a differing one beside it: “very small”, “tiny” is one question.

    >>> texts = ["the red house", "the crimson house", "a red house"]
    >>> [variants(place, [t.split() for t in texts]) for place in cut([t.split() for t in texts])]
    [(0, 0, 1), (0, 1, 0), (0, 0, 0)]
    """
    lowered = [tuple([token.lower() for token in tokens]) for tokens in candidates]
    found = [_stretch(group) for group in _in_order(slots(lowered, aligner=aligner), len(lowered))]
    return tuple(_joined(_filled(found, [len(tokens) for tokens in lowered]), lowered))


def variants(place: Place, candidates: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """For each candidate the number of its variant, counted as they appear; case makes no difference."""
    seen: dict[tuple[str, ...], int] = {}
    wordings = [
        tuple([token.lower() for token in tokens[slice(*span)]])
        for span, tokens in zip(place, candidates, strict=True)
    ]
    return tuple([seen.setdefault(wording, len(seen)) for wording in wordings])


def phrases(
    found: Sequence[Place], candidates: Sequence[Sequence[str]], one: int, other: int
) -> list[tuple[int, Phrase]]:
    """How two of the candidates align, phrase by phrase, with the number of the place; shared ones joined."""
    made: list[tuple[int, Phrase]] = []
    for number, place in enumerate(found):
        a, b = place[one], place[other]
        of = variants(place, candidates)
        kind = _kind(a, b, same=of[one] == of[other])
        if kind is None:
            continue
        last = made[-1][1] if made else None
        if kind is Kind.SHARED and last and last.kind is Kind.SHARED and last.a and last.b:
            made[-1] = (made[-1][0], Phrase((last.a[0], a[1]), (last.b[0], b[1]), kind))
        else:
            made.append((number, Phrase(a if a[0] < a[1] else None, b if b[0] < b[1] else None, kind)))
    return made


def _kind(a: Span, b: Span, *, same: bool) -> Kind | None:
    if a[0] == a[1]:
        return None if b[0] == b[1] else Kind.B_ONLY
    if b[0] == b[1]:
        return Kind.A_ONLY
    return Kind.SHARED if same else Kind.DIFFERENT


def _in_order(found: Sequence[Slot], candidates: int) -> list[list[Slot]]:
    """Slots in groups, cut wherever no candidate has words that stand on the wrong side of the cut."""
    ends = [0] * candidates  # behind the words seen so far
    counts = [0] * candidates
    groups: list[list[Slot]] = []
    whole = True
    for slot in found:
        if whole:
            groups.append([])
        groups[-1].append(slot)
        for number, cell in enumerate(slot.cells):
            counts[number] += sum(end - start for start, end in cell)
            ends[number] = max([ends[number], *[end for _, end in cell]])
        # As many words seen as there are up to the last of them: nothing is missing on the left.
        whole = ends == counts
    return groups


def _stretch(group: Sequence[Slot]) -> tuple[Span | None, ...]:
    cells = zip(*[slot.cells for slot in group], strict=True)
    spans = [[span for cell in of_one for span in cell] for of_one in cells]
    return tuple([(min(s for s, _ in own), max(e for _, e in own)) if own else None for own in spans])


def _filled(found: Sequence[tuple[Span | None, ...]], lengths: Sequence[int]) -> list[Place]:
    """Empty stretches get the position at which they stand."""
    at = [0] * len(lengths)
    filled = []
    for place in found:
        spans = [span or (here, here) for span, here in zip(place, at, strict=True)]
        at = [span[1] for span in spans]
        filled.append(tuple(spans))
    return filled


def _joined(found: Sequence[Place], candidates: Sequence[Sequence[str]]) -> list[Place]:
    joined: list[Place] = []
    for place in found:
        differs = max(variants(place, candidates), default=0) > 0
        before = joined[-1] if joined else None
        if before and differs and max(variants(before, candidates)) > 0 and (_gap(before) or _gap(place)):
            joined[-1] = tuple([(x[0], y[1]) for x, y in zip(before, place, strict=True)])
        else:
            joined.append(place)
    return joined


def _gap(place: Place) -> bool:
    return any(start == end for start, end in place)


# --- what a ranking of variants says ---------------------------------------------------------------------


def step_count(variant_count: int, scheme: Scheme) -> int:
    """How many steps are offered: enough for every order, with “much” between any two where that exists.

    >>> from evaluation.schemes import FOUR_WAY, SIX_WAY
    >>> step_count(3, FOUR_WAY), step_count(3, SIX_WAY), step_count(9, SIX_WAY)
    (3, 5, 7)
    """
    return min(MOST_STEPS, 1 + (variant_count - 1) * _widest(scheme))


def _widest(scheme: Scheme) -> int:
    """The number of steps beyond which further ones say nothing new."""
    return 2 if Choice.A_MUCH_BETTER in scheme.choices else 1


def verdict(one: int | None, other: int | None, scheme: Scheme) -> Choice:
    """What two steps say about their variants, the first as A.

    >>> from evaluation.schemes import SIX_WAY
    >>> str(verdict(1, 2, SIX_WAY)), str(verdict(4, 2, SIX_WAY)), str(verdict(None, 1, SIX_WAY))
    ('A>B', 'A<<B', 'N/A')
    """
    if one is None or other is None:
        return Choice.NOT_APPLICABLE
    if one > other:
        return verdict(other, one, scheme).mirrored
    distance = min(other - one, _widest(scheme))
    return (Choice.EQUAL, Choice.A_BETTER, Choice.A_MUCH_BETTER)[distance]


def verdicts(steps: Steps, scheme: Scheme) -> dict[tuple[int, int], Choice]:
    """The verdict on every two variants, the one with the smaller number as A."""
    return {
        (one, other): verdict(steps[one], steps[other], scheme)
        for one, other in combinations(range(len(steps)), 2)
    }


def normal(steps: Steps, scheme: Scheme) -> Steps:
    """The smallest steps that say the same; a single variant on a step is compared with nothing.

    >>> from evaluation.schemes import FOUR_WAY, SIX_WAY
    >>> normal((2, 5, None), FOUR_WAY), normal((2, 5, 5), SIX_WAY), normal((1, None), SIX_WAY)
    ((1, 2, None), (1, 3, 3), (None, None))
    """
    used = sorted({step for step in steps if step is not None})
    if sum(step is not None for step in steps) < 2:
        return (None,) * len(steps)
    of = {used[0]: 1}
    for before, step in pairwise(used):
        of[step] = of[before] + min(step - before, _widest(scheme))
    return tuple([None if step is None else of[step] for step in steps])


def steps_of(said: Mapping[tuple[int, int], Choice], count: int, scheme: Scheme) -> Steps | None:
    """The ranking that says exactly this, in its normal form; None where the verdicts contradict each other.

    >>> from evaluation.schemes import SIX_WAY
    >>> steps_of({(0, 1): Choice.A_BETTER, (0, 2): Choice.A_MUCH_BETTER, (1, 2): Choice.A_BETTER}, 3, SIX_WAY)
    (1, 2, 3)
    """
    compared = {n for pair, choice in said.items() if choice is not Choice.NOT_APPLICABLE for n in pair}
    losses = {
        n: sum(_sign(said, n, other) == -1 for other in compared if other != n) for n in sorted(compared)
    }
    steps: list[int | None] = [None] * count
    order = sorted(compared, key=lambda n: losses[n])
    for place, number in enumerate(order):
        before = order[place - 1] if place else None
        steps[number] = 1 if before is None else (steps[before] or 0) + _distance(said, before, number)
    found = tuple(steps)
    return found if verdicts(found, scheme) == dict(said) else None


def _sign(said: Mapping[tuple[int, int], Choice], one: int, other: int) -> int | None:
    if one < other:
        return said[one, other].sign
    sign = said[other, one].sign
    return None if sign is None else -sign


def _distance(said: Mapping[tuple[int, int], Choice], one: int, other: int) -> int:
    choice = said[min(one, other), max(one, other)]
    if choice.sign in (None, 0):
        return 0
    return 2 if choice in (Choice.A_MUCH_BETTER, Choice.B_MUCH_BETTER) else 1


def letter(number: int) -> str:
    """
    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'AA')
    """
    return (letter(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)
