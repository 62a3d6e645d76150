"""Sentence scores: the average strength of the collocations that a sentence keeps (paper 002).

A sentence in which no collocation is found has no score: it is NaN in arrays, counted and shown, never 0. All
combinations of association measure and method share one look-up of the sentence's pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from metrics.collocation.association import CUTOFFS, Measure, associate
from metrics.collocation.table import Table
from metrics.collocation.trees import Branch, Method
from metrics.collocation.words import ContentWords
from metrics.kernels.compiler import Floats, Ints, Longs


@dataclass(frozen=True, slots=True, eq=False)
class Encoded:
    """Sentences as numbers of a table; an unknown word is −1 and keeps its place."""

    ids: Ints
    offsets: Longs
    first_verb: Ints

    @property
    def lengths(self) -> Ints:
        return np.diff(self.offsets).astype(np.int32)


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """The pairs of every sentence that the corpus knows, with their counts; ``starts`` bounds sentences."""

    starts: Longs
    left: Ints
    right: Ints
    c12: Ints
    c1: Ints
    c2: Ints
    sentences: int

    def weights(self, measure: Measure, *, cutoff: bool = True) -> Floats:
        """The strength of each pair; NaN where it is not significant."""
        strength = associate(measure, self.c12, self.c1, self.c2, self.sentences)
        limit = CUTOFFS[measure] if cutoff else None
        return strength if limit is None else np.where(strength >= limit, strength, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class SentenceScores:
    """For every sentence the sum and the number of the collocations kept."""

    sums: Floats
    kept: Longs

    @property
    def averages(self) -> Floats:
        """The sentence scores; NaN where no collocation was found."""
        undefined = np.full(self.sums.shape, np.nan)
        np.divide(self.sums, self.kept, out=undefined, where=self.kept > 0)
        return undefined


def score(
    table: Table,
    sentences: Sequence[ContentWords],
    measures: Iterable[Measure] = tuple(Measure),
    methods: Iterable[Method] = tuple(Method),
    *,
    cutoff: bool = True,
) -> dict[tuple[Measure, Method], SentenceScores]:
    """Score sentences by every combination that is asked for."""
    from metrics.collocation.trees_kernel import score_sentences  # imports numba

    encoded = encode(table, sentences)
    pairs = find_pairs(table, encoded)
    wanted = tuple(methods)
    codes = np.array([method.code for method in wanted], np.int64)
    found: dict[tuple[Measure, Method], SentenceScores] = {}
    for measure in measures:
        weight = pairs.weights(measure, cutoff=cutoff)
        sums, kept = score_sentences(
            pairs.starts, pairs.left, pairs.right, weight, encoded.lengths, encoded.first_verb, codes
        )
        for column, method in enumerate(wanted):
            found[measure, method] = SentenceScores(sums[:, column].copy(), kept[:, column].copy())
    return found


def branches(
    table: Table, sentence: ContentWords, measure: Measure, *, cutoff: bool = True
) -> tuple[Branch, ...]:
    """All collocations of one sentence with their strengths, for ``trees.choose`` and the drawing."""
    pairs = find_pairs(table, encode(table, [sentence]))
    weights = pairs.weights(measure, cutoff=cutoff)
    rows = zip(pairs.left.tolist(), pairs.right.tolist(), weights.tolist(), strict=True)
    return tuple(Branch(*row) for row in rows if not np.isnan(row[2]))


def encode(table: Table, sentences: Sequence[ContentWords]) -> Encoded:
    """Replace words by the table's numbers."""
    numbers = table.numbers
    ids = [numbers.get(word, -1) for sentence in sentences for word in sentence.words]
    offsets = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(sentence.words) for sentence in sentences], out=offsets[1:])
    verbs = [-1 if sentence.first_verb is None else sentence.first_verb for sentence in sentences]
    return Encoded(np.array(ids, np.int32), offsets, np.array(verbs, np.int32))


def find_pairs(table: Table, encoded: Encoded) -> Pairs:
    """Look up every pair of every sentence."""
    from metrics.collocation import trees_kernel  # imports numba

    starts, left, right, c12 = trees_kernel.find_pairs(
        encoded.ids, encoded.offsets, table.rows, table.partners, table.counts
    )
    base = np.repeat(encoded.offsets[:-1], np.diff(starts))
    c1, c2 = (table.frequency[encoded.ids[base + place]] for place in (left, right))
    return Pairs(starts, left, right, c12, c1, c2, table.corpus.sentences)
