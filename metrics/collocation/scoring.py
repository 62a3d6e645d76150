"""Sentence scores: the average strength of the selected collocations of a sentence (paper 002).

A sentence without collocations has no score, NaN in arrays and never 0. All combinations of association
measure and method share one lookup of the pairs.

A method selects all collocations of a sentence, or those of a tree (methods 1–4 of the paper). The tree
approximates a parse: content words are vertices, collocations are weighted branches, and the maximum spanning
tree selects the strongest ones. Two branches cross if exactly one end of one lies strictly inside the other.
Without crossings the result may be several trees.

====================  ============================================================================
``simple``            every collocation
``mst``               maximum spanning tree (Kruskal)
``mst-ncb``           the same without branches that cross a selected one, as in the slides
``mst-ncb2``          the same after a first branch from ``<s>`` to the first verb, which only blocks
                      crossings and is not part of the average
====================  ============================================================================

Equal weights are selected from left to right: by first word, then by second.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from metrics.collocation.association import CUTOFFS, FUNCTIONS, AssociationMeasure
from metrics.collocation.content_words import ContentWords
from metrics.collocation.table import CollocationTable
from metrics.compiled.compiler import Floats, Ints, Longs


class Method(StrEnum):
    """How the collocations of a sentence are chosen."""

    SIMPLE = "simple"
    MST = "mst"
    MST_NCB = "mst-ncb"
    MST_NCB2 = "mst-ncb2"

    @property
    def code(self) -> int:
        """The number of the method in ``loops``."""
        return list(Method).index(self)


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """The pairs of every sentence that occur in the corpus, with counts; ``starts`` delimits sentences.

    ``lengths`` and ``first_verb`` (−1 without a verb) have one entry a sentence.
    """

    starts: Longs
    left: Ints
    right: Ints
    c12: Ints
    c1: Ints
    c2: Ints
    sentences: int
    lengths: Ints
    first_verb: Ints

    def weights(self, measure: AssociationMeasure, *, cutoff: bool = True) -> Floats:
        """The strength of each pair; NaN if it is not significant."""
        strength = FUNCTIONS[measure](self.c12, self.c1, self.c2, self.sentences)
        limit = CUTOFFS[measure] if cutoff else None
        return strength if limit is None else np.where(strength >= limit, strength, np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class CollocationScores:
    """For every sentence the sum and the number of its selected collocations, and its content words."""

    sums: Floats
    kept: Longs
    lengths: Ints

    @property
    def averages(self) -> Floats:
        """The sentence scores; NaN without collocations."""
        return divide_or_nan(self.sums, self.kept)

    def coverage(self, method: Method) -> Floats:
        """Share of the possible branches that are collocations: of n − 1, or n(n − 1)/2 for ``simple``."""
        words = self.lengths.astype(np.float64)
        return divide_or_nan(self.kept, words * (words - 1) / 2 if method is Method.SIMPLE else words - 1)


def divide_or_nan(numerator: npt.ArrayLike, denominator: npt.ArrayLike) -> Floats:
    """The quotient; NaN where the denominator is not positive."""
    above, below = np.asarray(numerator, np.float64), np.asarray(denominator, np.float64)
    return np.asarray(np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0))


def score_sentences(
    table: CollocationTable,
    sentences: Sequence[ContentWords],
    measures: Iterable[AssociationMeasure] = tuple(AssociationMeasure),
    methods: Iterable[Method] = tuple(Method),
    *,
    cutoff: bool = True,
) -> dict[tuple[AssociationMeasure, Method], CollocationScores]:
    """Score sentences by every combination of the measures and methods."""
    from metrics.collocation import loops  # imports numba

    pairs = find_pairs(table, sentences)
    wanted = tuple(methods)
    codes = np.array([method.code for method in wanted], np.int64)
    scores: dict[tuple[AssociationMeasure, Method], CollocationScores] = {}
    for measure in measures:
        weight = pairs.weights(measure, cutoff=cutoff)
        sums, kept = loops.score_sentences(
            pairs.starts, pairs.left, pairs.right, weight, pairs.lengths, pairs.first_verb, codes
        )
        for column, method in enumerate(wanted):
            scores[measure, method] = CollocationScores(
                sums[:, column].copy(), kept[:, column].copy(), pairs.lengths
            )
    return scores


def find_pairs(table: CollocationTable, sentences: Sequence[ContentWords]) -> PairCounts:
    """Look up every pair of every sentence."""
    from metrics.collocation import loops  # imports numba

    numbers = table.numbers
    ids = np.array([numbers.get(word, -1) for sentence in sentences for word in sentence.words], np.int32)
    lengths = np.array([len(sentence.words) for sentence in sentences], np.int32)
    verbs = [-1 if sentence.first_verb is None else sentence.first_verb for sentence in sentences]
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    rows = (table.rows, table.partners, table.counts)
    starts, left, right, c12 = loops.find_pairs(ids, offsets, *rows)
    base = np.repeat(offsets[:-1], np.diff(starts))
    c1, c2 = (table.frequency[ids[base + place]] for place in (left, right))
    sizes = (table.corpus.sentences, lengths, np.array(verbs, np.int32))
    return PairCounts(starts, left, right, c12, c1, c2, *sizes)
