"""From lists of sentences to counts: the one place where lexical metrics meet the kernels.

A *block* is some segments with their references and the outputs of every system. Blocks are small, so that
their numbers stay in the processor's cache, and they are the unit of work of threads, so results cannot
depend on the number of workers. Kernels, and with them numba, are imported when the first block is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from metrics.base import FloatArray

LINES = 3072  # lines in a block, references and outputs together
Texts = Sequence[Sequence[str]]
LongArray = npt.NDArray[np.int64]
Counter = Callable[[Texts, Texts], FloatArray]


@dataclass(frozen=True, slots=True)
class Block:
    """Lines of text: first the references, then the systems, each with one line per segment."""

    text: str
    segments: int
    references: int
    systems: int

    @property
    def shape(self) -> tuple[int, int, int, int]:
        return self.segments, self.references, self.systems, self.references + self.systems


class Lengths(NamedTuple):
    """Tokens per line: ``references[r, i]`` and ``systems[s, i]``."""

    references: LongArray
    systems: LongArray


def count_in_blocks(count: Counter, references: Texts, systems: Texts, workers: int = 1) -> FloatArray:
    """Apply ``count`` to block after block; the result is ``[system, segment, statistic]``."""
    segments = len(systems[0]) if systems else 0
    step = max(16, LINES // max(len(references) + len(systems), 1))
    starts = range(0, segments, step)

    def one(start: int) -> FloatArray:
        part = slice(start, start + step)
        return count([texts[part] for texts in references], [texts[part] for texts in systems])

    if workers <= 1 or len(starts) < 2:
        parts = [one(start) for start in starts]
    else:
        with ThreadPoolExecutor(workers) as pool:
            parts = list(pool.map(one, starts))
    return np.concatenate(parts, axis=1) if parts else np.zeros((len(systems), 0, 0))


def ngram_matches(block: Block, order: int, *, characters: bool = False) -> tuple[LongArray, Lengths]:
    """Clipped matches ``[system, segment, n - 1]`` over words, or over characters without white space."""
    from metrics.kernels import compiler

    if compiler.INTERPRETED:
        return _interpreted_matches(block, order, characters)
    from metrics.kernels.characters import number_characters
    from metrics.kernels.ngrams import clipped_matches
    from metrics.kernels.words import number_words

    number = number_characters if characters else number_words
    numbered = number(block.text, block.segments, block.references, block.systems)
    matches = clipped_matches(numbered, order)
    return matches.reshape(block.systems, block.segments, order), _lengths(block, numbered.offsets)


def word_errors(block: Block) -> tuple[LongArray, Lengths]:
    """Edits and errors with free order, ``[system, segment, 2]``, against the one reference."""
    from metrics.kernels import compiler

    if compiler.INTERPRETED:
        return _interpreted_errors(block)
    from metrics.kernels.levenshtein import word_errors as count
    from metrics.kernels.words import number_words

    numbered = number_words(block.text, block.segments, block.references, block.systems)
    return count(numbered).reshape(block.systems, block.segments, 2), _lengths(block, numbered.offsets)


def shift_edits(block: Block) -> tuple[LongArray, Lengths]:
    """Edits with shifts ``[system, segment]`` against the one reference."""
    from metrics.kernels.ter import shift_edits as count
    from metrics.kernels.words import number_words

    numbered = number_words(block.text, block.segments, block.references, block.systems)
    return count(numbered).reshape(block.systems, block.segments), _lengths(block, numbered.offsets)


def common_lengths(block: Block, weight: float | None = None) -> tuple[FloatArray, Lengths]:
    """Longest common subsequence ``[system, segment]``, weighted by runs if a weight is given."""
    from metrics.kernels.subsequences import common_lengths as plain
    from metrics.kernels.subsequences import weighted_lengths
    from metrics.kernels.words import number_words

    numbered = number_words(block.text, block.segments, block.references, block.systems)
    lengths = plain(numbered).astype(float) if weight is None else weighted_lengths(numbered, weight)
    return lengths.reshape(block.systems, block.segments), _lengths(block, numbered.offsets)


def matched_runs(block: Block, exponent: float) -> tuple[FloatArray, Lengths]:
    """Sum of run length ** exponent over the greedy matching ``[system, segment]``."""
    from metrics.kernels.runs import matched_runs as match
    from metrics.kernels.words import number_words

    numbered = number_words(block.text, block.segments, block.references, block.systems)
    return match(numbered, exponent).reshape(block.systems, block.segments), _lengths(block, numbered.offsets)


def matches_and_chunks(stages: Sequence[Block]) -> tuple[LongArray, Lengths]:
    """METEOR's matches and chunks ``[system, segment, 2]``; each stage spells the same words its own way."""
    from metrics.kernels.matching import matches_and_chunks as match
    from metrics.kernels.words import number_words

    numbered = []
    for block in stages:
        words = number_words(block.text, block.segments, block.references, block.systems)
        numbered.append(words._replace(ids=words.ids.copy()))  # the next stage borrows the same memory
    first = stages[0]
    found = match(numbered).reshape(first.systems, first.segments, 2)
    return found, _lengths(first, numbered[0].offsets)


def _lengths(block: Block, offsets: LongArray) -> Lengths:
    sizes = np.diff(offsets)
    split = block.references * block.segments
    return Lengths(sizes[:split].reshape(-1, block.segments), sizes[split:].reshape(-1, block.segments))


def _token_lines(block: Block, characters: bool) -> tuple[list[list[Sequence[str]]], Lengths]:
    """Token lists ``[part][segment]`` for the interpreter."""
    lines = block.text.split("\n")[:-1]
    tokens: list[Sequence[str]] = [line.split() for line in lines]
    if characters:
        tokens = ["".join(words) for words in tokens]
    sizes = np.array([len(words) for words in tokens], np.int64)
    lengths = _lengths(block, np.concatenate([[0], np.cumsum(sizes)]))
    parts = [tokens[start : start + block.segments] for start in range(0, len(tokens), block.segments or 1)]
    return parts, lengths


def _interpreted_matches(block: Block, order: int, characters: bool) -> tuple[LongArray, Lengths]:
    from metrics.kernels.interpreter import clipped_matches

    parts, lengths = _token_lines(block, characters)
    references = list(zip(*parts[: block.references], strict=True))
    matches = [
        [clipped_matches(words, known, order) for words, known in zip(system, references, strict=True)]
        for system in parts[block.references :]
    ]
    return np.array(matches, np.int64).reshape(block.systems, block.segments, order), lengths


def _interpreted_errors(block: Block) -> tuple[LongArray, Lengths]:
    from metrics.kernels.interpreter import word_errors

    parts, lengths = _token_lines(block, characters=False)
    errors = [
        [word_errors(words, reference) for words, reference in zip(system, parts[0], strict=True)]
        for system in parts[1:]
    ]
    return np.array(errors, np.int64).reshape(block.systems, block.segments, 2), lengths
