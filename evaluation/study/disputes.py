"""Pairs that annotators disagree about, most divided first: the "interesting" cases of paper 003.

How divided a pair is, is the entropy of its votes in bits. Votes stand on *opposite* sides where some chose
each text, differ only in *degree* where all chose the same one.
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
class Dispute:
    """A pair (its code in the study) with its votes by six-way label."""

    pair: int
    votes: tuple[int, ...]
    entropy: float


def disputes(
    study: Study,
    *,
    split: Split = Split.ANY,
    annotator: int | None = None,
    pairs: Sequence[int] | None = None,
) -> list[Dispute]:
    """Pairs on which votes differ, by falling entropy, then by number of votes; checks are no disputes.

    ``annotator``: only pairs that this one has judged. ``pairs``: only these.
    """
    counts = vote_counts(study)
    chosen = (counts > 0).sum(axis=1) > 1
    if split is not Split.ANY:
        opposite = counts[:, A_SIDE].any(axis=1) & counts[:, B_SIDE].any(axis=1)
        sided = counts[:, A_SIDE].sum(axis=1), counts[:, B_SIDE].sum(axis=1)
        one_side = np.maximum(*sided) == counts.sum(axis=1)
        chosen &= opposite if split is Split.OPPOSITE else one_side
    if annotator is not None:
        chosen &= np.isin(
            np.arange(len(counts)), study.pairs[study.counted & (study.annotators == annotator)]
        )
    if pairs is not None:
        chosen &= np.isin(np.arange(len(counts)), np.asarray(pairs, dtype=np.int64))
    found = np.flatnonzero(chosen)
    bits = entropy(counts[found])
    order = np.lexsort([found, -counts[found].sum(axis=1), -np.round(bits, 9)])
    return [
        Dispute(int(found[place]), tuple(counts[found[place]].tolist()), float(bits[place]))
        for place in order
    ]


def vote_counts(study: Study) -> Ints:
    """Pairs × six-way labels."""
    rows = study.counted
    size = len(SIX_WAY.choices)
    cells = study.pairs[rows].astype(np.int64) * size + study.labels[rows]
    return np.bincount(cells, minlength=len(study.pair_sentences) * size).reshape(-1, size)


def entropy(counts: Ints) -> Floats:
    """Bits of each row of counts; a row without votes has none.

    >>> entropy(np.array([[1, 1, 0], [4, 0, 0], [0, 0, 0]])).tolist()
    [1.0, 0.0, 0.0]
    """
    shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1)
    return np.asarray(-(shares * np.log2(np.where(shares > 0, shares, 1))).sum(axis=-1) + 0.0)


def most_bits(votes: int, labels: int) -> float:
    """The entropy of votes as evenly spread as they can be.

    >>> most_bits(3, 6) == log2(3)
    True
    """
    if votes < 1:
        return 0.0
    often, rest = divmod(votes, labels)
    shares = [(often + 1) / votes] * rest + ([often / votes] * (labels - rest) if often else [])
    return -sum(share * log2(share) for share in shares)
