"""The base class of the lexical metrics: texts in, addable statistics, scores out.

A lexical metric is a frozen dataclass whose fields are its parameters. It defines ``count`` (texts of one
block to statistics) and ``from_statistics`` (statistics to scores).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment
from metrics.lexical.blocks import Block, Texts, count_in_blocks
from metrics.lexical.tokenizers import NAMES, block_text, check


@dataclass(frozen=True)
class LexicalMetric(ABC):
    """A metric that compares the words or characters of an output with its references."""

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
            check(tokenize)  # raises an error that lists the tokenisations

    @property
    def signature(self) -> str:
        shown = [field.name for field in fields(self) if field.metadata.get("signature", True)]
        parameters = [_describe(name, getattr(self, name)) for name in shown]
        return "|".join(
            [self.name, *parameters, *self.signature_facts(), f"scale:{self.scale}", f"v:{self.version}"]
        )

    def signature_facts(self) -> tuple[str, ...]:
        """Return what the signature contains besides the parameters."""
        return self.facts

    def count(self, references: Texts, systems: Texts, learnt: Any) -> FloatArray:  # Any: see ``learn``
        """Return the statistics ``[system, segment, k]`` of one block; ``references[r][i]`` as everywhere.

        By default they are those of the best reference; of equal ones the first counts.
        """
        statistics = np.stack([self.against(reference, systems) for reference in references])
        if len(references) == 1:
            return np.asarray(statistics[0])
        best = self.from_statistics(statistics).argmax(axis=0)
        return np.asarray(np.take_along_axis(statistics, best[None, ..., None], axis=0)[0])

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        """Return the statistics ``[system, segment, k]`` of one block for one reference."""
        raise NotImplementedError

    @abstractmethod
    def from_statistics(self, summed: FloatArray) -> FloatArray:
        """Return the scores of sums of segments, over the last axis."""

    def segment_scores(self, statistics: FloatArray) -> FloatArray:
        """Return the scores of single segments, over the last axis; BLEU smooths them differently."""
        return self.from_statistics(statistics)

    def learn(self, references: Sequence[Texts]) -> Any:  # Any: each metric knows what it learns
        """Return what ``count`` needs to know about all references; None for most metrics."""
        return None

    def score(self, segments: Sequence[Segment]) -> Scores:
        """Score segments, whose numbers of references may differ."""
        statistics = self.statistics(segments)
        counts = {len(segment.references) for segment in segments} or {0}
        low, high = min(counts), max(counts)
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
        """Score several systems; the references are encoded once."""
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
        """Tokenise the texts by the parameters of the metric and join them into a block."""
        tokenize = getattr(self, "tokenize", "none")
        text = block_text([*references, *systems], tokenize, lowercase=getattr(self, "lowercase", False))
        return Block(text, len(systems[0]), len(references), len(systems))


def divide(numerator: FloatArray, denominator: FloatArray, otherwise: float = 0.0) -> FloatArray:
    """Divide element by element; a division by zero gives ``otherwise``.

    >>> divide(np.array([1.0, 1.0]), np.array([2.0, 0.0])).tolist()
    [0.5, 0.0]
    """
    safe = np.where(denominator == 0, 1.0, denominator)
    return np.where(denominator == 0, otherwise, numerator / safe)


def rate(errors: FloatArray, length: FloatArray) -> FloatArray:
    """Return the errors per reference word; against an empty reference 0 without and 1 with errors.

    >>> rate(np.array([1.0, 2.0, 0.0]), np.array([4.0, 0.0, 0.0])).tolist()
    [0.25, 1.0, 0.0]
    """
    return np.where(length == 0, np.minimum(errors, 1.0), errors / np.where(length == 0, 1.0, length))


def _describe(name: str, value: object) -> str:
    if name == "lowercase":
        return "case:lc" if value else "case:mixed"
    return f"{'tok' if name == 'tokenize' else name}:{value}"
