"""``lexical``: a staged word matcher for two translations in one language, in the manner of METEOR.

Two words may match exactly, but for case, by stem (Snowball), by a common WordNet sense, or by similar
spelling; the earliest stage that fits gives the match its weight (Lavie and Agarwal 2007 for the stages).
From all possible matches we take first the heaviest chain that keeps the order of both sentences, that is, no
crossings at all, with a premium for matches that touch. What is left over may cross, but only as a block with
a content word in it: a lone *the* or comma that happens to occur elsewhere has not moved, and asking an
annotator about its place would make no sense.

Deterministic. Symmetric, because the two sentences are always read in the order of their texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.alignment.matching import Candidate, heaviest_chain, moved_blocks
from evaluation.alignment.values import Link
from evaluation.alignment.vocabulary import Vocabulary
from evaluation.alignment.wordnet import WordNet


class LexicalAligner:
    """The default aligner; one instance per language, since it remembers every word type it has seen."""

    name = "lexical"

    def __init__(self, language: str = "", wordnet: WordNet | None = None, *, synonyms: bool = True) -> None:
        self._vocabulary = Vocabulary(language, wordnet, synonyms=synonyms)
        self.version = f"lexical-1 {self._vocabulary.version}"

    def links(self, a: Sequence[str], b: Sequence[str]) -> tuple[Link, ...]:
        """
        >>> LexicalAligner("en").links("today the houses burn".split(), "the house burned today".split())
        ((0, 3), (1, 0), (2, 1), (3, 2))
        """
        a, b = tuple(a), tuple(b)
        links = self._matched(a, b) if a <= b else [(i, j) for j, i in self._matched(b, a)]
        links.sort()
        return tuple(links)

    def _matched(self, a: tuple[str, ...], b: tuple[str, ...]) -> list[Link]:
        head, tail = _common_ends(a, b)
        n, m = len(a), len(b)
        links = list(zip(range(head), range(head), strict=True))
        links += zip(range(n - tail, n), range(m - tail, m), strict=True)
        inner_a, inner_b = a[head : n - tail], b[head : m - tail]
        if inner_a and inner_b:
            links += _chosen(self._vocabulary.candidates(inner_a, inner_b), head)
        return links


def _common_ends(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[int, int]:
    """How many tokens the sentences share at the beginning, and at the end."""
    shorter = min(len(a), len(b))
    head = 0
    while head < shorter and a[head] == b[head]:
        head += 1
    tail = 0
    while tail < shorter - head and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    return head, tail


def _chosen(candidates: list[Candidate], start: int) -> list[Link]:
    """The links among the words after ``start``: a chain without crossings, then blocks that cross it."""
    chain = heaviest_chain(candidates)
    if len(chain) < len(candidates):
        chain += moved_blocks(candidates, chain)
    return [(i + start, j + start) for i, j in chain] if start else chain
