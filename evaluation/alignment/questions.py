"""Questions: which phrases of an alignment are asked about, and which of them together.

The phrase alignment stays exact; this second step groups its phrases. A question is a group of phrases: its
text on each side is at most two contiguous runs of words, which may include shared words between two
differences. It promises, for every alignment in complete mode:

- a phrase is in at most one question, and a question holds a phrase that differs or moved;
- a run begins and ends with a phrase that differs or moved;
- exchanging A and B exchanges the sides of every question and nothing else;
- exchanging the phrases of all questions, and those that are not asked, turns A into B.

Which neighbours belong together is decided in ``question_rules``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from evaluation.alignment.differences import Difference, DifferenceChain, is_island, list_differences
from evaluation.alignment.question_rules import DescribedAlignment, QuestionRules
from evaluation.alignment.values import Kind, Phrase, PhraseAlignment, Span
from evaluation.tokens import strip_punctuation


class QuestionKind(StrEnum):
    """What an annotator compares: something against nothing, an order of words, or two wordings."""

    ONE_SIDED = "one-sided"
    MOVED = "moved"
    DIFFERENT = "different"


@dataclass(frozen=True, slots=True)
class PhraseGroup:
    """The phrases of one question by number, in ascending order."""

    phrases: tuple[int, ...]
    kind: QuestionKind
    is_whole_sentence: bool = False
    """Whether the two sentences have so little in common that they are compared as wholes."""


def group_questions(
    alignment: PhraseAlignment, rules: QuestionRules | None = None
) -> tuple[PhraseGroup, ...]:
    """The questions of an alignment in complete mode, in order of their first phrase.

    >>> from evaluation.alignment import align
    >>> a, b = "they sold the small garden house", "they sold a little summer house"
    >>> [group.phrases for group in group_questions(align(a.split(), b.split()))]
    [(1,)]
    """
    rules = rules or QuestionRules()
    chain = list_differences(alignment)
    if not chain.differences:
        return ()
    text = rules.describe(alignment)
    if rules.is_rewritten(text):
        return (_make_group(alignment, _list_all(chain), is_whole_sentence=True),)
    groups = _Grouping(text, chain, rules).collect()
    questions = [_make_group(alignment, group) for group in groups if rules.is_asked(text, group)]
    return tuple(sorted(questions, key=lambda question: question.phrases))


def list_runs(alignment: PhraseAlignment, group: Iterable[int], side: str) -> tuple[Span, ...]:
    """The contiguous runs of tokens of some phrases on one side, ``"a"`` or ``"b"``.

    >>> from evaluation.alignment import align
    >>> list_runs(align("x a y".split(), "a".split()), [0, 2], "a")
    ((0, 1), (2, 3))
    """
    runs: list[Span] = []
    for span in sorted(filter(None, [getattr(alignment.phrases[number], side) for number in group])):
        if runs and runs[-1][1] == span[0]:
            runs[-1] = (runs[-1][0], span[1])
        else:
            runs.append(span)
    return tuple(runs)


def _make_group(
    alignment: PhraseAlignment, group: Iterable[int], *, is_whole_sentence: bool = False
) -> PhraseGroup:
    phrases = tuple(sorted(group))
    return PhraseGroup(phrases, _find_kind(alignment, phrases), is_whole_sentence)


def _find_kind(alignment: PhraseAlignment, group: Sequence[int]) -> QuestionKind:
    tokens_a = _list_tokens(alignment.a, list_runs(alignment, group, "a"))
    tokens_b = _list_tokens(alignment.b, list_runs(alignment, group, "b"))
    if not tokens_a or not tokens_b:
        return QuestionKind.ONE_SIDED
    return QuestionKind.MOVED if have_same_words(tokens_a, tokens_b) else QuestionKind.DIFFERENT


def have_same_words(a: Sequence[str], b: Sequence[str]) -> bool:
    """Whether two texts consist of the same words in any order, case and punctuation aside.

    >>> have_same_words(["Today", ",", "he", "came"], ["he", "came", "today"])
    True
    """
    return _count_words(a) == _count_words(b)


def _count_words(tokens: Iterable[str]) -> Counter[str]:
    words = Counter([part.casefold() for token in tokens for part in strip_punctuation(token)])
    return words or Counter(tokens)  # punctuation only


def _list_tokens(tokens: Sequence[str], runs: Iterable[Span]) -> list[str]:
    return [token for run in runs for token in tokens[slice(*run)]]


def _list_all(chain: DifferenceChain) -> set[int]:
    """All phrases from the first difference to the last."""
    return {n for d in chain.differences for n in d.phrases} | {n for island in chain.islands for n in island}


class _Grouping:
    """Groups of neighbouring differences while they are being joined.

    A group is a range of the chain; ``_start[n]`` is where the group of difference n begins.
    """

    def __init__(self, text: DescribedAlignment, chain: DifferenceChain, rules: QuestionRules) -> None:
        self._alignment = text.alignment
        self._text = text
        self._chain = chain
        self._rules = rules
        count = len(chain.differences)
        self._start = list(range(count))
        self._end = list(range(1, count + 1))  # valid at the start of a group
        self._linked: dict[int, int] = {}  # two groups that are one question, by their starts
        self._alone: dict[int, tuple[int, int]] = {}  # moved phrases that are asked apart, with their places

    def collect(self) -> list[set[int]]:
        """The groups of phrases, whether they are asked or not."""
        self._settle_moves()
        self._join_neighbours()
        self._link_groups()
        groups = [{number} for number in self._rules.select_moves(self._text, self._alone)]
        done = set()
        for start in sorted(set(self._start)):
            if start not in done:
                other = self._linked.get(start)
                done.add(other)
                groups += self._split(
                    self._members(start) | (self._members(other) if other is not None else set())
                )
        return groups

    def _settle_moves(self) -> None:
        """Join or link the two places of a phrase that moved, or ask about its place alone."""
        places: dict[int, list[int]] = {}
        for place, difference in enumerate(self._chain.differences):
            for number in difference.crossing:
                places.setdefault(number, []).append(place)
        moves = sorted([(first, last, number) for number, (first, last) in places.items()])
        for first, last, number in moves:
            is_bare = self._is_bare_move(number, first) and self._is_bare_move(number, last)
            here, there = self._chain.differences[first], self._chain.differences[last]
            if not is_bare and self._rules.joins_exchange(self._text, here, there):
                self._join(first, last)
        for first, last, number in moves:
            start, other = self._start[first], self._start[last]
            if start == other or self._linked.get(start) == other:
                continue
            if not self._is_bare_move(number, first) and self._can_link(start, other):
                self._linked[start], self._linked[other] = other, start
            else:
                self._alone[number] = first, last

    def _is_bare_move(self, number: int, place: int) -> bool:
        """Whether a shared phrase that moved is all there is at a place."""
        return self._chain.differences[place].phrases == [number] and (
            self._alignment.phrases[number].kind == "shared"
        )

    def _can_link(self, first: int, last: int) -> bool:
        if first in self._linked or last in self._linked:
            return False
        return self._rules.can_link(self._text, self._group_hull(first), self._group_hull(last))

    def _group_hull(self, start: int) -> Difference:
        return self._hull(start, self._end[start] - 1)

    def _hull(self, first: int, last: int) -> Difference:
        """Everything from one difference to another."""
        one, other = self._chain.differences[first], self._chain.differences[last]
        return Difference((one.a[0], other.a[1]), (one.b[0], other.b[1]), [])

    def _join(self, first: int, last: int) -> None:
        """Make one group of the groups from that of ``first`` to that of ``last``."""
        start, end = self._start[first], self._end[self._start[last]]
        for place in range(start, end):
            self._start[place] = start
        self._end[start] = end

    def _join_neighbours(self) -> None:
        """Join neighbours, the strongest tie first, while the result is short enough to judge."""
        ties = self._rules.score_ties(self._text, self._chain)
        for number in sorted([n for n, tie in enumerate(ties) if tie > 0], key=lambda n: -ties[n]):
            left, right = self._start[number], self._start[number + 1]
            if left == right or self._is_barred(left) or self._is_barred(right):
                continue
            hull = self._hull(left, self._end[right] - 1)
            if self._rules.is_short(self._text, hull) and self._stays_linked(left, right):
                self._join(number, number + 1)
                self._relink(left, right)

    def _is_barred(self, start: int) -> bool:
        """Whether a phrase that is asked alone stands in a group, so that the group cannot grow around it."""
        if not self._alone:
            return False
        members = self._chain.differences[start : self._end[start]]
        return any(number in self._alone for difference in members for number in difference.crossing)

    def _stays_linked(self, left: int, right: int) -> bool:
        """Whether two groups have no, the same, or only one link."""
        return not (left in self._linked and right in self._linked and self._linked[left] != right)

    def _relink(self, left: int, right: int) -> None:
        if self._linked.get(left) == right:
            del self._linked[left], self._linked[right]
        elif right in self._linked:
            other = self._linked.pop(right)
            self._linked[left], self._linked[other] = other, left

    def _link_groups(self) -> None:
        """Link what one sentence has here and the other there, if both say the same thing."""
        open_groups = [
            start
            for start in sorted(set(self._start))
            if start not in self._linked and not self._is_barred(start)
        ]
        hulls = {start: self._group_hull(start) for start in open_groups}
        for first, last in self._rules.find_complements(self._text, hulls):
            if self._can_link(first, last):
                self._linked[first], self._linked[last] = last, first

    def _members(self, start: int) -> set[int]:
        """The phrases of a group with the islands inside."""
        places = range(start, self._end[start])
        members = {n for place in places for n in self._chain.differences[place].phrases}
        members |= {n for place in places[:-1] for n in self._chain.islands[place]}
        return members

    def _split(self, members: set[int]) -> list[set[int]]:
        """The group itself, or its phrases one by one where a phrase asked alone has torn it to pieces."""
        rest = members.difference(self._alone)
        if not rest:
            return []
        differing = [n for n in rest if not is_island(self._alignment.phrases[n])]
        if len(rest) < len(members):
            runs = max(len(list_runs(self._alignment, rest, side)) for side in "ab")
            if runs > 2 or len(differing) < len(rest):
                return [{n} for n in differing]
        return [rest]


# --- grouping by hand ------------------------------------------------------------------------------------


def restore_groups(
    alignment: PhraseAlignment, groups: Sequence[Sequence[int]]
) -> tuple[PhraseGroup, ...] | None:
    """Return groups given by number; None if they are not questions of this alignment."""
    numbers = [number for group in groups for number in group]
    is_known = set(numbers) <= set(range(len(alignment.phrases)))
    if not is_known or len(numbers) > len(set(numbers)):
        return None
    if not all(_is_question(alignment, group) for group in groups):
        return None
    return tuple(sorted([_make_group(alignment, group) for group in groups], key=lambda group: group.phrases))


def join_with_next(
    alignment: PhraseAlignment, groups: Sequence[Sequence[int]], first: int
) -> tuple[tuple[int, ...], ...] | None:
    """Join the question that begins with phrase ``first`` with the next one; None if that is impossible.

    Everything between the two becomes part of the question.

    >>> from evaluation.alignment import align
    >>> alignment = align("a red old house".split(), "a blue old home".split())
    >>> join_with_next(alignment, [(1,), (3,)], 1)
    ((1, 2, 3),)
    """
    ordered = sorted([tuple(sorted(group)) for group in groups])
    place = next((n for n, group in enumerate(ordered) if group[0] == first), None)
    if place is None or place + 1 >= len(ordered):
        return None
    members = {*ordered[place], *ordered[place + 1]}
    taken = {n for k, group in enumerate(ordered) if k not in (place, place + 1) for n in group}
    joined = tuple(sorted(members | (set(_list_between(alignment, members)) - taken)))
    if not _is_question(alignment, joined):
        return None
    return (*ordered[:place], joined, *ordered[place + 2 :])


def split_question(
    alignment: PhraseAlignment, groups: Sequence[Sequence[int]], first: int
) -> tuple[tuple[int, ...], ...]:
    """Make a question of each differing phrase of the question that begins with phrase ``first``."""
    parts: list[tuple[int, ...]] = []
    for group in groups:
        is_wanted = min(group) == first
        differing = [(n,) for n in group if not is_island(alignment.phrases[n])]
        parts += differing if is_wanted else [tuple(sorted(group))]
    return tuple(sorted(parts))


def _list_between(alignment: PhraseAlignment, members: Iterable[int]) -> list[int]:
    """The phrases that lie between some others on every side that they have."""
    hulls = {}
    for side in "ab":
        runs = list_runs(alignment, members, side)
        hulls[side] = (runs[0][0], runs[-1][1]) if runs else None
    return [
        number
        for number, phrase in enumerate(alignment.phrases)
        if _lies_in(phrase.a, hulls["a"]) and _lies_in(phrase.b, hulls["b"])
    ]


def _lies_in(span: Span | None, hull: Span | None) -> bool:
    return span is None or hull is None or (hull[0] <= span[0] and span[1] <= hull[1])


def _is_question(alignment: PhraseAlignment, group: Sequence[int]) -> bool:
    return not all(is_island(alignment.phrases[n]) for n in group) and all(
        len(list_runs(alignment, group, side)) <= 2 for side in "ab"
    )


def project_questions(
    grouped: PhraseAlignment, groups: Sequence[PhraseGroup], other: PhraseAlignment
) -> tuple[PhraseAlignment, dict[int, int]]:
    """The questions of one alignment on the phrases of another alignment of the same tokens.

    Returns the other alignment, in which a differing phrase that several questions share is cut into the
    phrases of the first, and the question of each phrase. Where such a cut is impossible, the phrase belongs
    to the question that holds most of its tokens. A question is named by the first phrase that belongs to it.
    """
    by_token = _index_tokens(grouped, groups)
    phrases: list[Phrase] = []
    for phrase in other.phrases:
        holders = {by_token.get(token) for token in _list_places(phrase)}
        phrases += _cut_phrase(grouped, phrase) if len(holders) > 1 and not is_island(phrase) else [phrase]
    cut = replace(other, phrases=_sort_phrases(phrases))
    names: dict[int, int] = {}
    questions: dict[int, int] = {}
    for index, phrase in enumerate(cut.phrases):
        places = _list_places(phrase)
        votes = Counter([by_token[place] for place in places if place in by_token])
        if votes and not (is_island(phrase) and sum(votes.values()) < len(places)):
            number = min(votes, key=lambda n: (-votes[n], n))
            questions[index] = names.setdefault(number, index)
    return cut, questions


def _index_tokens(alignment: PhraseAlignment, groups: Sequence[PhraseGroup]) -> dict[tuple[str, int], int]:
    return {
        (side, token): number
        for number, group in enumerate(groups)
        for side in "ab"
        for run in list_runs(alignment, group.phrases, side)
        for token in range(*run)
    }


def _list_places(phrase: Phrase) -> list[tuple[str, int]]:
    """The tokens of a phrase by side and number."""
    a, b = phrase.a or (0, 0), phrase.b or (0, 0)
    return [("a", token) for token in range(*a)] + [("b", token) for token in range(*b)]


def _cut_phrase(grouped: PhraseAlignment, phrase: Phrase) -> list[Phrase]:
    """The phrases of another alignment that make up a phrase, or the phrase itself.

    The other alignment may ignore case and punctuation; what is shared must be equal to the letter here.
    """
    tokens = set(_list_places(phrase))
    parts = [part for part in grouped.phrases if tokens.issuperset(_list_places(part))]
    are_equal = all(
        grouped.a[slice(*part.a)] == grouped.b[slice(*part.b)]
        for part in parts
        if part.kind is Kind.SHARED and part.a and part.b
    )
    are_all_there = sum([len(_list_places(part)) for part in parts]) == len(tokens)
    return parts if are_all_there and are_equal else [phrase]


def _sort_phrases(phrases: Sequence[Phrase]) -> tuple[Phrase, ...]:
    """Phrases in order of A, each B-only one after its left neighbour in B."""
    b_only = {phrase.b[0]: phrase for phrase in phrases if phrase.b and not phrase.a}
    ordered: list[Phrase] = []

    def add_followers(end: int) -> None:
        while (follower := b_only.pop(end, None)) is not None and follower.b:
            ordered.append(follower)
            end = follower.b[1]

    add_followers(0)
    for phrase in sorted([p for p in phrases if p.a], key=lambda p: p.a or (0, 0)):
        ordered.append(phrase)
        if phrase.b:
            add_followers(phrase.b[1])
    return tuple(ordered)
