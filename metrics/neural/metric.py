"""``minilm-cosine`` and ``minilm-f1``: similarity to a reference by a small sentence encoder. English only.

``minilm-cosine`` is the cosine of the two sentence vectors (means of the last layer). ``minilm-f1`` follows
BERTScore (Zhang et al. 2020): every word piece is compared with the most similar one of the other text, and
F₁ is the harmonic mean of the two means. ``idf=true`` weights the pieces by their rarity in the references of
the set. Of several references the best counts; the score of a corpus is the mean of its segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.base import (
    FloatArray,
    MetricUnavailable,
    Needs,
    Scores,
    Segment,
    explain_unavailable,
    make_segments,
    mean_or_none,
)
from metrics.neural.encoder import LAYERS, MOST_PIECES
from metrics.neural.tool import EncoderFailed, EncoderTool, TextComparison, shared_encoder
from metrics.registry import register
from metrics.tools.base import ToolAbsent

LAYER = 4  # the best of six on WMT12 into English
Weights = Callable[[str], FloatArray | None]
"""The weights of the pieces of a text; None weights all alike."""


@dataclass(frozen=True)
class EncoderMetric:
    """Compares with each reference and takes the best."""

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs(resource="English texts and the sentence encoder")

    @property
    def signature(self) -> str:
        return f"{self.name}|encoder:{self._encoder().tool}|{self.facts}|refs:best|corpus:mean|lang:en|v:1"

    @property
    def facts(self) -> str:
        return f"pieces:{MOST_PIECES}"

    def unavailable_because(self) -> str | None:
        return explain_unavailable(self._encoder)

    def score(self, segments: Sequence[Segment]) -> Scores:
        return self._score([segments])[0]

    def score_many(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        workers: int,
    ) -> list[Scores]:
        """Compare all systems at once, so that each reference is encoded once."""
        return self._score([make_segments(outputs, references, sources) for outputs in systems])

    def _score(self, systems: Sequence[Sequence[Segment]]) -> list[Scores]:
        segments = [segment for own in systems for segment in own]
        if any(not segment.references for segment in segments):
            raise MetricUnavailable(f"{self.name} cannot score here: it needs a reference")
        encoder = self._encoder()
        pairs = [(segment.hypothesis, text) for segment in segments for text in segment.references]
        try:
            comparisons = encoder.compare(pairs, self.layer)
        except EncoderFailed as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error
        weights = self.weights(encoder, {text for _, text in pairs})
        values = iter(
            [
                self.value(found, weights(own), weights(theirs))
                for found, (own, theirs) in zip(comparisons, pairs, strict=True)
            ]
        )
        best = iter([max(next(values) for _ in segment.references) for segment in segments])
        rows = [np.array([next(best) for _ in own], dtype=np.float64) for own in systems]
        return [Scores(row, mean_or_none(row), self.signature) for row in rows]

    def _encoder(self) -> EncoderTool:
        try:
            encoder = shared_encoder()
            _ = encoder.tool  # checks the files
        except ToolAbsent as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error
        return encoder

    layer: ClassVar[int] = LAYER

    def weights(self, encoder: EncoderTool, references: set[str]) -> Weights:
        return lambda text: None

    def value(
        self, comparison: TextComparison, hypothesis: FloatArray | None, reference: FloatArray | None
    ) -> float:
        raise NotImplementedError


@register
@dataclass(frozen=True)
class SentenceCosine(EncoderMetric):
    name: ClassVar[str] = "minilm-cosine"
    title: ClassVar[str] = "Cosine of sentence vectors (all-MiniLM-L6-v2), English only"

    def value(
        self, comparison: TextComparison, hypothesis: FloatArray | None, reference: FloatArray | None
    ) -> float:
        return comparison.cosine


@register
@dataclass(frozen=True)
class TokenF1(EncoderMetric):
    name: ClassVar[str] = "minilm-f1"
    title: ClassVar[str] = "F₁ of word vectors as in BERTScore (all-MiniLM-L6-v2), English only"

    layer: int = LAYER  # type: ignore[misc]  # here it is a parameter
    idf: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.layer <= LAYERS:
            raise ValueError(f"minilm-f1 needs a layer from 1 to {LAYERS}, not {self.layer}")

    @property
    def depends_on_set(self) -> bool:
        return self.idf

    @property
    def facts(self) -> str:
        weights = "idf-of-references" if self.idf else "equal"
        return f"layer:{self.layer}|weights:{weights}|pieces:{MOST_PIECES}"

    def weights(self, encoder: EncoderTool, references: set[str]) -> Weights:
        if not self.idf:
            return super().weights(encoder, references)
        split = encoder.word_pieces.split
        texts_with = Counter(piece for text in references for piece in set(split(text)))

        def weigh(text: str) -> FloatArray:
            counts = np.array([texts_with[piece] for piece in split(text)[:MOST_PIECES]], dtype=np.float64)
            return np.asarray(np.log((len(references) + 1) / (counts + 1)))

        return weigh

    def value(
        self, comparison: TextComparison, hypothesis: FloatArray | None, reference: FloatArray | None
    ) -> float:
        precision = weighted_mean(comparison.hypothesis, hypothesis)
        recall = weighted_mean(comparison.reference, reference)
        return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def weighted_mean(values: FloatArray, weights: FloatArray | None) -> float:
    """Return the mean, 0 without values; weights that are all 0 weigh alike.

    >>> weighted_mean(np.array([0.5, 1.0]), np.array([3.0, 1.0]))
    0.625
    """
    if not len(values):
        return 0.0
    is_weighted = weights is not None and weights.any()
    return float(np.average(values, weights=weights if is_weighted else None))
