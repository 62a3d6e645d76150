"""Counting a corpus: how many sentences hold a word, and how many hold two words together.

Sentences are read as a stream with bounded memory: they are collected as numbers until a block is full, the
block is counted (``loops``), and its table is merged with tables of similar size, so that a pair is
moved a logarithmic number of times. The vocabulary and a few times the final table of 8 bytes a pair must
fit into memory: 0.9 GB for 629,164 sentences with 16.7 million pairs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from metrics.collocation.table import CollocationTable, Corpus
from metrics.compiled.compiler import Ints, Longs

BLOCK_PAIRS = 1 << 24  # two arrays of four bytes each while a block is counted: 128 MB

Rows = tuple[Longs, Ints, Ints]


class PairCounter:
    """Counts sentences one by one and returns a table.

    >>> from metrics.collocation.table import Corpus
    >>> counter = PairCounter()
    >>> for words in (("hong", "kong"), ("hong", "kong", "stock"), ("stock",)):
    ...     counter.add(words)
    >>> table = counter.table(Corpus("toy", "three lines", "", 0))
    >>> table.words, table.frequency.tolist(), table.counts.tolist()
    (('hong', 'kong', 'stock'), [2, 2, 2], [2, 1, 1])
    """

    def __init__(self, block_pairs: int = BLOCK_PAIRS) -> None:
        if block_pairs < 1:
            raise ValueError(f"a block holds at least one pair, not {block_pairs}")
        self.sentences = 0
        self._block_pairs = block_pairs
        self._numbers: dict[str, int] = {}
        self._frequency = array("i")
        self._ids = array("i")
        self._offsets = array("q", [0])
        self._pairs = 0
        self._runs: list[Rows] = []

    def add(self, words: Iterable[str]) -> None:
        """Count one sentence; a repeated word counts once."""
        numbers, frequency = self._numbers, self._frequency
        unique = dict.fromkeys(words)
        for word in unique:
            number = numbers.setdefault(word, len(numbers))
            if number == len(frequency):
                frequency.append(0)
            frequency[number] += 1
            self._ids.append(number)
        self.sentences += 1
        self._offsets.append(len(self._ids))
        self._pairs += len(unique) * (len(unique) - 1) // 2
        if self._pairs + len(self._ids) >= self._block_pairs:
            self._count_block()

    def table(self, corpus: Corpus) -> CollocationTable:
        """Everything counted so far; its corpus records how many sentences there were."""
        self._count_block()
        self._merge(all_runs=True)
        rows, partners, counts = self._runs[0] if self._runs else _empty_rows(len(self._numbers))
        counted = replace(corpus, sentences=self.sentences)
        return CollocationTable(
            counted, tuple(self._numbers), np.array(self._frequency, np.int32), rows, partners, counts
        )

    def _count_block(self) -> None:
        from metrics.collocation.loops import count_pairs  # imports numba

        ids, offsets = np.array(self._ids, np.int32), np.array(self._offsets, np.int64)
        if self._pairs or not self._runs:
            self._runs.append(count_pairs(ids, offsets, len(self._numbers)))
        self._ids, self._offsets, self._pairs = array("i"), array("q", [0]), 0
        self._merge(all_runs=False)

    def _merge(self, *, all_runs: bool) -> None:
        """Merge the newest tables while they are of similar size, or all of them."""
        from metrics.collocation.loops import merge_rows  # imports numba

        while len(self._runs) > 1 and (all_runs or 2 * self._runs[-1][1].size >= self._runs[-2][1].size):
            young, old = self._runs.pop(), self._runs.pop()
            self._runs.append(merge_rows(old, young, len(self._numbers)))
        if all_runs and self._runs and self._runs[0][0].size <= len(self._numbers):
            self._runs[0] = merge_rows(self._runs[0], _empty_rows(0), len(self._numbers))


def _empty_rows(words: int) -> Rows:
    return np.zeros(words + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32)
