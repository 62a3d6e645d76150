"""``minilm-cosine`` and ``minilm-f1``: similarity to a reference by a small sentence encoder. English only.

``minilm-cosine`` is the cosine of the two sentence vectors (means of the last layer). ``minilm-f1`` follows
BERTScore (Zhang et al. 2020): every word piece is compared with the most similar one of the other text, and
F₁ is the harmonic mean of the two means. ``idf=true`` weights the pieces by their rarity in the references of
the set. Of several references the best counts; the score of a corpus is the mean of its segments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
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
from metrics.neural.tool import EncoderFailed, EncoderTool, Pairs, shared_encoder
from metrics.neural.wordpiece import WordPieces
from metrics.registry import register
from metrics.tools.base import ToolAbsent

LAYER = 4  # the best of six on WMT12 into English


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
            values = iter(self.compare(encoder, pairs))
        except EncoderFailed as error:
            raise MetricUnavailable(f"{self.name} cannot score here: {error}") from error
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

    def compare(self, encoder: EncoderTool, pairs: Pairs) -> list[float]:
        """Return the scores of pairs of hypothesis and reference."""
        raise NotImplementedError


@register
@dataclass(frozen=True)
class SentenceCosine(EncoderMetric):
    name: ClassVar[str] = "minilm-cosine"
    title: ClassVar[str] = "Cosine of sentence vectors (all-MiniLM-L6-v2), English only"

    def compare(self, encoder: EncoderTool, pairs: Pairs) -> list[float]:
        return [comparison.cosine for comparison in encoder.compare(pairs)]


@register
@dataclass(frozen=True)
class TokenF1(EncoderMetric):
    name: ClassVar[str] = "minilm-f1"
    title: ClassVar[str] = "F₁ of word vectors as in BERTScore (all-MiniLM-L6-v2), English only"

    layer: int = LAYER
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

    def compare(self, encoder: EncoderTool, pairs: Pairs) -> list[float]:
        if not self.idf:
            layers = [comparison.layers[self.layer - 1] for comparison in encoder.compare(pairs)]
            return [compute_f1(precision, recall) for precision, recall in layers]
        weigh = learn_weights(encoder.word_pieces, {reference for _, reference in pairs})
        return [
            compute_f1(*(weighted_mean(best, weigh(text)) for best, text in zip(sides, pair, strict=True)))
            for sides, pair in zip(encoder.compare_pieces(pairs, self.layer), pairs, strict=True)
        ]


def learn_weights(word_pieces: WordPieces, references: Collection[str]) -> Callable[[str], FloatArray]:
    """Return a function from a text to the weights of its pieces, their rarity in the references."""
    texts_with = Counter(piece for text in references for piece in set(word_pieces.split(text)))

    def weigh(text: str) -> FloatArray:
        counts = [texts_with[piece] for piece in word_pieces.split(text)[:MOST_PIECES]]
        return np.asarray(np.log((len(references) + 1) / (np.array(counts, dtype=np.float64) + 1)))

    return weigh


def compute_f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall > 0 else 0.0


def weighted_mean(values: FloatArray, weights: FloatArray) -> float:
    """Return the mean, 0 without values; weights that are all 0 weigh alike.

    >>> weighted_mean(np.array([0.5, 1.0]), np.array([3.0, 1.0]))
    0.625
    """
    if not len(values):
        return 0.0
    return float(np.average(values, weights=weights if weights.any() else None))
