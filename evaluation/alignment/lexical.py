"""``lexical``: a staged word matcher for two translations in one language, similar to METEOR.

Two words may match exactly, up to case, by stem (Snowball), by a common WordNet sense, or by similar
spelling; the first stage that applies determines the weight of the match (Lavie and Agarwal 2007). From all
possible matches the aligner first selects the heaviest chain without crossings, with a bonus for adjacent
matches. The remaining matches may cross it, but only as a block that contains a content word: a lone *the* or
comma that also occurs elsewhere has not moved, and a question about its position would make no sense.

Deterministic. Symmetric, because the two sentences are always processed in the order of their texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

from evaluation.alignment.values import Link
from evaluation.alignment.vocabulary import Match, Vocabulary
from evaluation.alignment.word_classes import SENTENCE_ENDS
from evaluation.alignment.wordnet import WordNet

ADJACENT = 3
"""The bonus for a match that directly continues the previous one in both sentences."""
FAR = 12
"""The words of the chain over which a run may have moved, for each of its own words."""
SENTENCE = 20
"""Words that a sentence end counts as."""
STRAY = 2
"""Words that stand before a link in one sentence only, and after it in the other, from which it is stray."""
_ROW = 1 << 20  # larger than any sentence, so that row * _ROW - column sorts like (row, -column)


class LexicalAligner:
    """The default aligner; use one instance per language, because it caches every word type."""

    name = "lexical"

    def __init__(self, language: str = "", wordnet: WordNet | None = None, *, synonyms: bool = True) -> None:
        self._vocabulary = Vocabulary(language, wordnet, synonyms=synonyms)
        self.version = f"lexical-3 {self._vocabulary.version}"

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        """
        >>> LexicalAligner("en").links("today the houses burn".split(), "the house burned today".split())
        ((0, 3), (1, 0), (2, 1), (3, 2))
        """
        a, b = tuple(a), tuple(b)
        links = self._link_sorted(a, b) if a <= b else [(i, j) for j, i in self._link_sorted(b, a)]
        links.sort()
        return tuple(links)

    def _link_sorted(self, a: tuple[str, ...], b: tuple[str, ...]) -> list[Link]:
        head, tail = _count_common_ends(a, b)
        n, m = len(a), len(b)
        links = list(zip(range(head), range(head), strict=True))
        links += zip(range(n - tail, n), range(m - tail, m), strict=True)
        inner_a, inner_b = a[head : n - tail], b[head : m - tail]
        if inner_a and inner_b:
            matches = self._vocabulary.list_matches(inner_a, inner_b)
            chain = find_heaviest_chain(matches)
            chain = drop_stray_links(chain, matches, inner_a, m - head - tail)
            if len(chain) < len(matches):
                chain += find_moved_blocks(matches, chain, inner_a)
            links += [(i + head, j + head) for i, j in chain] if head else chain
        return links


def _count_common_ends(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[int, int]:
    """Return how many tokens the sentences share at the beginning and at the end."""
    shorter = min(len(a), len(b))
    head = 0
    while head < shorter and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < shorter - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return head, tail


def find_heaviest_chain(matches: Sequence[Match]) -> list[Link]:
    """Return the heaviest set of matches without crossings.

    ``columns`` and ``values`` both increase, as in the search for a longest increasing subsequence.

    >>> find_heaviest_chain([(0, 1, 5, True, True), (1, 0, 4, True, True)])
    [(0, 1)]
    """
    order = sorted(matches, key=_sort_key)
    columns: list[int] = []
    values: list[int] = []
    tops: list[int] = []  # the match that ends the chain of this value
    totals: list[int] = []
    previous_of: list[int] = []
    last_on: dict[int, int] = {}  # the last match of each diagonal
    for number, (i, j, weight, _, _) in enumerate(order):
        position = bisect_left(columns, j)
        value, previous = (values[position - 1], tops[position - 1]) if position else (0, -1)
        adjacent = last_on.get(j - i)
        if adjacent is not None and order[adjacent][0] == i - 1 and totals[adjacent] + ADJACENT >= value:
            value, previous = totals[adjacent] + ADJACENT, adjacent
        value += weight
        previous_of.append(previous)
        totals.append(value)
        last_on[j - i] = number
        if position == len(columns):  # the usual case: both sentences continue in the same order
            columns.append(j)
            values.append(value)
            tops.append(number)
            continue
        end = position
        while end < len(values) and values[end] <= value:
            end += 1
        columns[position:end], values[position:end], tops[position:end] = (j,), (value,), (number,)
    chain: list[Link] = []
    number = tops[-1] if tops else -1
    while number >= 0:
        chain.append(order[number][:2])
        number = previous_of[number]
    return chain[::-1]


def _sort_key(match: Match) -> int:
    """Order by row, each row from the right, so that a match never follows another one of its row."""
    return match[0] * _ROW - match[1]


def drop_stray_links(
    chain: Sequence[Link], matches: Sequence[Match], words: Sequence[str], m: int
) -> list[Link]:
    """Drop links of single function words that tear two corresponding stretches apart.

    If one sentence has words before such a link that the other has after it, the words correspond and the
    function word only happens to occur in both. ``words`` are those of the first sentence, ``m`` is the
    length of the second.

    >>> matches = [(0, 0, 10, True, True), (3, 1, 6, True, False), (4, 4, 10, True, True)]
    >>> drop_stray_links([match[:2] for match in matches], matches, "a b c of d".split(), 5)
    [(0, 0), (4, 4)]
    """
    firm = {match[:2] for match in matches if match[4] or not match[3] or words[match[0]] in SENTENCE_ENDS}
    kept: list[Link] = [(-1, -1)]
    for number, (i, j) in enumerate(chain):
        following = chain[number + 1] if number + 1 < len(chain) else (len(words), m)
        left_a, left_b = i - kept[-1][0] - 1, j - kept[-1][1] - 1
        right_a, right_b = following[0] - i - 1, following[1] - j - 1
        lean_left, lean_right = left_a - left_b, right_a - right_b
        is_torn = min(abs(lean_left), abs(lean_right)) >= STRAY and (lean_left < 0) != (lean_right < 0)
        if (i, j) in firm or not is_torn:
            kept.append((i, j))
    return kept[1:]


def find_moved_blocks(
    matches: Sequence[Match], chain: Sequence[Link], words: Sequence[str] = ()
) -> list[Link]:
    """Return diagonal runs of firm matches between words outside the chain, the heaviest run first.

    The more words a run has, the further it may have moved; ``words`` are those of the first sentence.

    >>> find_moved_blocks([(0, 1, 5, True, True), (1, 0, 4, True, True)], [(0, 1)])
    [(1, 0)]
    """
    used = dict(chain)
    columns = set(used.values())
    free = [match for match in matches if match[0] not in used and match[1] not in columns and match[3]]
    if not [match for match in free if match[4]]:
        return []
    ways = _Ways(chain, words)
    links: list[Link] = []
    while runs := [run for run in _find_runs(free) if ways.measure(run[0]) <= FAR * len(run)]:
        heaviest = [match[:2] for match in min(runs, key=lambda run: _run_key(run, ways))]
        links += heaviest
        used.update(heaviest)
        columns.update([j for _, j in heaviest])
        free = [match for match in free if match[0] not in used and match[1] not in columns]
    return links


class _Ways:
    """How far a match is from the chain: the words of the chain between its two places."""

    def __init__(self, chain: Sequence[Link], words: Sequence[str]) -> None:
        self._rows = [i for i, _ in chain]
        self._columns = [j for _, j in chain]
        weights = [SENTENCE if words and words[i] in SENTENCE_ENDS else 1 for i in self._rows]
        self._totals = list(accumulate(weights, initial=0))

    def measure(self, match: Match) -> int:
        before_a, before_b = bisect_left(self._rows, match[0]), bisect_left(self._columns, match[1])
        return abs(self._totals[before_a] - self._totals[before_b])


def _find_runs(free: Sequence[Match]) -> list[list[Match]]:
    """Return runs of matches that are adjacent in both sentences and contain a content word."""
    ending: dict[Link, list[Match]] = {}
    for match in sorted(free):
        i, j = match[:2]
        ending[i, j] = [*ending.pop((i - 1, j - 1), ()), match]
    return [run for run in ending.values() if [match for match in run if match[4]]]


def _run_key(run: list[Match], ways: _Ways) -> tuple[int, int, int]:
    """Order by weight, then by distance, then by position in A."""
    return -sum([match[2] for match in run]), ways.measure(run[0]), run[0][0]
