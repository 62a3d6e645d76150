"""What the lexical metrics share: texts in, addable statistics, scores out.

A lexical metric is a frozen dataclass whose fields are its parameters, and three small methods: ``count``
(texts of one block to statistics), ``segment_scores`` and ``from_statistics`` (statistics to scores).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment
from metrics.lexical.blocks import Block, Texts, count_in_blocks
from metrics.tokenizers import NAMES, block_text, check


@dataclass(frozen=True)
class LexicalMetric(ABC):
    """Base of all metrics that compare the words or characters of an output with its references."""

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs()
    scale: ClassVar[str] = "0-1"
    facts: ClassVar[tuple[str, ...]] = ()
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        tokenize = getattr(self, "tokenize", "none")
        if tokenize not in NAMES:
            check(tokenize)  # raises, naming the tokenisations there are

    @property
    def signature(self) -> str:
        shown = [field.name for field in fields(self) if field.metadata.get("signature", True)]
        parameters = [_described(name, getattr(self, name)) for name in shown]
        return "|".join(
            [self.name, *parameters, *self.signature_facts(), f"scale:{self.scale}", f"v:{self.version}"]
        )

    def signature_facts(self) -> tuple[str, ...]:
        """What the signature contains besides the parameters."""
        return self.facts

    @abstractmethod
    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:  # Any: see ``learn``
        """Statistics ``[system, segment, k]`` of one block; ``references[r][i]`` as everywhere."""

    @abstractmethod
    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Scores of single segments, over the last axis."""

    @abstractmethod
    def from_statistics(self, summed: FloatArray) -> FloatArray:
        """Scores of sums of segments, over the last axis."""

    def learn(self, references: Sequence[Texts]) -> Any:  # Any: each metric knows what it learns
        """What must be known of all references before the first block is counted; usually nothing."""
        return None

    def score(self, segments: Sequence[Segment]) -> Scores:
        """Score segments, which need not have equally many references."""
        statistics = self.statistics(segments)
        numbers = {len(segment.references) for segment in segments} or {0}
        low, high = min(numbers), max(numbers)
        return self._scores(statistics, str(low) if low == high else f"{low}-{high}")

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        groups: dict[int, list[int]] = {}
        for index, segment in enumerate(segments):
            groups.setdefault(len(segment.references), []).append(index)
        if 0 in groups:
            raise MetricUnavailable(f"{self.name} needs a reference; segment {groups[0][0] + 1} has none")
        texts = {
            number: (
                [[segments[index].references[part] for index in indices] for part in range(number)],
                [[segments[index].hypothesis for index in indices]],
            )
            for number, indices in groups.items()
        }
        learnt = self.learn([references for references, _ in texts.values()])
        result: FloatArray | None = None
        for number, indices in groups.items():
            rows = self._count_all(*texts[number], learnt, 1)[0]
            result = np.zeros((len(segments), rows.shape[1])) if result is None else result
            result[indices] = rows
        return np.zeros((0, 0)) if result is None else result

    def score_many(
        self, systems: Texts, references: Texts, sources: Sequence[str] | None, workers: int
    ) -> list[Scores]:
        """Score several systems, the references encoded once."""
        learnt = self.learn([references])
        statistics = self._count_all(references, systems, learnt, workers)
        return [self._scores(rows, str(len(references))) for rows in statistics]

    def _count_all(self, references: Texts, systems: Texts, learnt: Any, workers: int) -> FloatArray:
        def count(some_references: Texts, some_systems: Texts) -> FloatArray:
            return self.count(some_references, some_systems, learnt)

        return count_in_blocks(count, references, systems, workers)

    def _scores(self, statistics: FloatArray, references: str) -> Scores:
        signature = f"{self.signature}|refs:{references}"
        if not len(statistics):
            return Scores(np.zeros(0), None, signature, None)
        corpus = float(self.from_statistics(statistics.sum(axis=0)))
        return Scores(self.segment_scores(statistics), corpus, signature, statistics)

    def block(self, references: Texts, systems: Texts) -> Block:
        """Tokenise as the parameters say and put the lines together."""
        tokenize = getattr(self, "tokenize", "none")
        text = block_text([*references, *systems], tokenize, lowercase=getattr(self, "lowercase", False))
        return Block(text, len(systems[0]), len(references), len(systems))


def divide(numerator: FloatArray, denominator: FloatArray, otherwise: float = 0.0) -> FloatArray:
    """Element by element, with a value for division by zero.

    >>> divide(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, otherwise, numerator / safe)


def rate(errors: FloatArray, length: FloatArray) -> FloatArray:
    """Errors per reference word; against an empty reference 0 without and 1 with errors.

    >>> rate(np.array([1.0, 2.0, 0.0]), np.array([4.0, 0.0, 0.0])).tolist()
    [0.25, 1.0, 0.0]
    """
    return np.where(length == 0, np.minimum(errors, 1.0), errors / np.where(length == 0, 1.0, length))


def pick_reference(statistics: FloatArray, scores: FloatArray) -> FloatArray:
    """Of statistics ``[reference, …, k]`` those of the best reference, the first of equals."""
    best = scores.argmax(axis=0)
    chosen: FloatArray = np.take_along_axis(statistics, best[None, ..., None], axis=0)[0]
    return chosen


def _described(name: str, value: object) -> str:
    if name == "lowercase":
        return "case:lc" if value else "case:mixed"
    return f"{'tok' if name == 'tokenize' else name}:{value}"
