"""From lists of sentences to counts: the interface between lexical metrics and compiled loops.

A *block* contains some segments with their references and the outputs of every system. Blocks are small, so
that their numbers fit into the processor's cache. They are also the unit of work of threads, so results do
not depend on the number of workers. Kernels, and with them numba, are imported when the first block is
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.base import FloatArray

if TYPE_CHECKING:
    from metrics.compiled.numbering import Numbered

LINES = 3072  # lines in a block, references and outputs together
Texts = Sequence[Sequence[str]]
LongArray = npt.NDArray[np.int64]
CountFunction = Callable[[Texts, Texts], FloatArray]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of text: first the references, then the systems, each with one line per segment."""

    text: str
    segments: int
    references: int
    systems: int


class Lengths(NamedTuple):
    """Tokens per line: ``references[r, i]`` and ``systems[s, i]``."""

    references: LongArray
    systems: LongArray


def count_in_blocks(count: CountFunction, references: Texts, systems: Texts, workers: int = 1) -> FloatArray:
    """Apply ``count`` to every block; the result is ``[system, segment, statistic]``."""
    segments = len(systems[0]) if systems else 0
    step = max(16, LINES // max(len(references) + len(systems), 1))
    starts = range(0, segments, step)

    def count_block(start: int) -> FloatArray:
        part = slice(start, start + step)
        return count([texts[part] for texts in references], [texts[part] for texts in systems])

    if workers <= 1 or len(starts) < 2:
        parts = [count_block(start) for start in starts]
    else:
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(count_block, starts))
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(systems), 0, 0))


def ngram_matches(block: Block, order: int, *, characters: bool = False) -> tuple[LongArray, Lengths]:
    """Count clipped matches ``[system, segment, n - 1]`` of words, or of characters without white space."""
    from metrics.compiled.ngrams import clipped_matches

    numbered = _number(block, characters=characters)
    matches = clipped_matches(numbered, order)
    return matches.reshape(block.systems, block.segments, order), _lengths(block, numbered.offsets)


def word_errors(block: Block) -> tuple[LongArray, Lengths]:
    """Count edits, and errors with free order, against the only reference: ``[system, segment, 2]``."""
    from metrics.compiled.distances import word_errors as count

    numbered = _number(block)
    return count(numbered).reshape(block.systems, block.segments, 2), _lengths(block, numbered.offsets)


def shift_edits(block: Block) -> tuple[LongArray, Lengths]:
    """Count edits with shifts against the only reference: ``[system, segment]``."""
    from metrics.compiled.ter import shift_edits as count

    numbered = _number(block)
    return count(numbered).reshape(block.systems, block.segments), _lengths(block, numbered.offsets)


def common_lengths(block: Block, weight: float | None = None) -> tuple[FloatArray, Lengths]:
    """Return longest common subsequences ``[system, segment]``, weighted by runs if there is a weight."""
    from metrics.compiled.distances import common_lengths as plain, weighted_lengths

    numbered = _number(block)
    lengths = plain(numbered).astype(float) if weight is None else weighted_lengths(numbered, weight)
    return lengths.reshape(block.systems, block.segments), _lengths(block, numbered.offsets)


def matched_runs(block: Block, exponent: float) -> tuple[FloatArray, Lengths]:
    """Sum run length ** exponent over the greedy matching: ``[system, segment]``."""
    from metrics.compiled.matching import matched_runs as match

    numbered = _number(block)
    return match(numbered, exponent).reshape(block.systems, block.segments), _lengths(block, numbered.offsets)


def matches_and_chunks(stages: Sequence[Block]) -> tuple[LongArray, Lengths]:
    """Count METEOR's matches and chunks ``[system, segment, 2]``; each stage has its own form of words."""
    from metrics.compiled.matching import matches_and_chunks as match

    numbered = []
    for block in stages:
        words = _number(block)
        numbered.append(words._replace(ids=words.ids.copy()))  # the next stage borrows the same memory
    first = stages[0]
    counts = match(numbered).reshape(first.systems, first.segments, 2)
    return counts, _lengths(first, numbered[0].offsets)


def _number(block: Block, *, characters: bool = False) -> Numbered:
    from metrics.compiled.numbering import number_characters, number_words

    number = number_characters if characters else number_words
    return number(block.text, block.segments, block.references, block.systems)


def _lengths(block: Block, offsets: LongArray) -> Lengths:
    sizes = np.diff(offsets)
    split = block.references * block.segments
    return Lengths(sizes[:split].reshape(-1, block.segments), sizes[split:].reshape(-1, block.segments))
