"""The counts of BLEU, chrF, WER and PER written for the Python interpreter, where numba is missing.

Counters and integers of any length do the work, at about the speed of other Python tools; the kernels, run
uncompiled, would be ten times slower. The results are the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

Tokens = Sequence[str]


def clipped_matches(hypothesis: Tokens, references: Sequence[Tokens], order: int) -> list[int]:
    """Matches of length 1 … ``order``, references pooled by maximum.

    >>> clipped_matches("the the cat".split(), ["the cat sat".split()], 3)
    [2, 1, 0]
    """
    matches = []
    for length in range(1, order + 1):
        known: Counter[Tokens] = Counter()
        for reference in references:
            known |= _ngrams(reference, length)
        matches.append((_ngrams(hypothesis, length) & known).total())
    return matches


def word_errors(hypothesis: Tokens, reference: Tokens) -> tuple[int, int]:
    """Edits, and errors with free order.

    >>> word_errors("he walked the dog".split(), "he took the dog for a walk".split())
    (4, 4)
    """
    shared = (Counter(hypothesis) & Counter(reference)).total()
    return distance(hypothesis, reference), max(len(hypothesis), len(reference)) - shared


def distance(hypothesis: Tokens, reference: Tokens) -> int:
    """Levenshtein distance; one Python integer is a whole column of differences (Hyyrö 2003)."""
    if not reference:
        return len(hypothesis)
    places: dict[str, int] = {}
    for place, word in enumerate(reference):
        places[word] = places.get(word, 0) | 1 << place
    all_ones = (1 << len(reference)) - 1
    last = 1 << (len(reference) - 1)
    up, down, result = all_ones, 0, len(reference)
    for word in hypothesis:
        match = places.get(word, 0) | down
        diagonal = (((match & up) + up) ^ up) | match
        plus = down | ~(up | diagonal) & all_ones
        minus = up & diagonal
        result += bool(plus & last) - bool(minus & last)
        plus = (plus << 1 | 1) & all_ones
        up = (minus << 1 | ~(plus | diagonal)) & all_ones
        down = plus & diagonal
    return result


def _ngrams(tokens: Tokens, length: int) -> Counter[Tokens]:
    return Counter(zip(*(tokens[start:] for start in range(length)), strict=False))
