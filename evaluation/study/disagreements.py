"""Pairs that annotators disagree about, the most divided first: the "interesting" cases of paper 003.

How divided a pair is, is the entropy of its votes in bits. Votes are *opposite* where each text was preferred
by somebody, and differ only in *degree* where all votes prefer the same text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log2

import numpy as np

from evaluation.agreement.judgements import Floats, Ints
from evaluation.schemes import SIX_WAY
from evaluation.study.values import Study

A_SIDE = [code for code, choice in enumerate(SIX_WAY.choices) if choice.sign == 1]
B_SIDE = [code for code, choice in enumerate(SIX_WAY.choices) if choice.sign == -1]


class Split(StrEnum):
    """How the votes on a pair differ."""

    OPPOSITE = "opposite"
    ANY = "any"
    DEGREE = "degree"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair (its code in the study) with its votes by six-way label."""

    pair: int
    votes: tuple[int, ...]
    entropy: float


def find_disagreements(
    study: Study,
    *,
    split: Split = Split.ANY,
    annotator: int | None = None,
    pairs: Sequence[int] | None = None,
) -> list[Disagreement]:
    """Find pairs on which votes differ, by decreasing entropy, then number of votes; without checks.

    ``annotator``: only pairs that this annotator judged. ``pairs``: only these pairs.
    """
    counts = count_votes(study)
    codes = np.arange(len(counts))
    mask = (counts > 0).sum(axis=1) > 1
    if split is not Split.ANY:
        for_a, for_b = counts[:, A_SIDE].sum(axis=1), counts[:, B_SIDE].sum(axis=1)
        is_one_sided = np.maximum(for_a, for_b) == counts.sum(axis=1)
        mask &= (for_a > 0) & (for_b > 0) if split is Split.OPPOSITE else is_one_sided
    if annotator is not None:
        mask &= np.isin(codes, study.pairs[study.is_counted & (study.annotators == annotator)])
    if pairs is not None:
        mask &= np.isin(codes, np.asarray(pairs, dtype=np.int64))
    codes, counts = codes[mask], counts[mask]
    bits = entropy(counts)
    order = np.lexsort([codes, -counts.sum(axis=1), -np.round(bits, 9)])
    return [Disagreement(int(codes[n]), tuple(counts[n].tolist()), float(bits[n])) for n in order]


def count_votes(study: Study) -> Ints:
    """Count pairs × six-way labels."""
    rows = study.is_counted
    size = len(SIX_WAY.choices)
    cells = study.pairs[rows].astype(np.int64) * size + study.labels[rows]
    return np.bincount(cells, minlength=len(study.pair_sentences) * size).reshape(-1, size)


def find_majorities(counts: Ints) -> Ints:
    """Return the label with most votes in each row of counts, −1 where two labels have equally many.

    >>> find_majorities(np.array([[2, 1], [1, 1], [0, 0]])).tolist()
    [0, -1, -1]
    """
    is_unique = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
    return np.where(is_unique, counts.argmax(axis=1), -1)


def entropy(counts: Ints) -> Floats:
    """Bits of each row of counts; 0 for a row without votes.

    >>> entropy(np.array([[1, 1, 0], [4, 0, 0], [0, 0, 0]])).tolist()
    [1.0, 0.0, 0.0]
    """
    shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1) + 0.0)


def max_entropy(votes: int, labels: int) -> float:
    """The entropy of votes that are distributed as evenly as possible.

    >>> max_entropy(3, 6) == log2(3)
    True
    """
    if votes < 1:
        return 0.0
    each, rest = divmod(votes, labels)
    shares = [(each + 1) / votes] * rest + ([each / votes] * (labels - rest) if each else [])
    return -sum(share * log2(share) for share in shares)
