"""all-MiniLM-L6-v2, a sentence encoder of six layers (BERT, Devlin et al. 2019), computed with NumPy.

The weights are read from ``model.safetensors`` and checked against their published digest. Texts are computed
together without padding: the dense layers see the pieces of all texts as one matrix, attention sees texts of
equal length together. So a text has the same vectors in any company, up to rounding.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from appraise.lib.digests import file_digest
from metrics.neural.wordpiece import WordPieces

Vectors = npt.NDArray[np.float32]

DIGESTS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
LAYERS, HEADS, WIDTH = 6, 12, 384
HEAD_WIDTH = WIDTH // HEADS
MOST_PIECES = 254  # of a text; the model was trained on at most 256, with marks of start and end
ROWS = 1024  # pieces that are computed together, so that they stay in the cache of the processor
EPSILON = np.float32(1e-12)


class WrongModel(Exception):
    """A file of the model is missing, or is not the published one."""


@dataclass(frozen=True, slots=True, eq=False)
class EncodedText:
    """Unit vectors of the pieces from every layer, and of the whole text from the last."""

    layers: tuple[Vectors, ...]
    sentence: Vectors


def check_files(folder: Path) -> None:
    """Raise ``WrongModel`` unless the files are those that the project knows."""
    for name, expected in DIGESTS.items():
        path = folder / name
        if not path.is_file():
            raise WrongModel(f"{path} is missing")
        if (digest := file_digest(path)) != expected:
            raise WrongModel(
                f"{path} has the SHA-256 {digest}, not {expected}; it is not the published model"
            )


class Encoder:
    """The model, loaded from its folder."""

    def __init__(self, folder: Path) -> None:
        check_files(folder)
        self.word_pieces = WordPieces.load(folder / "tokenizer.json")
        weights = read_weights(folder / "model.safetensors")
        self._embeddings = [weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position")]
        self._segment = weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = LayerNorm.of(weights, "embeddings.LayerNorm")
        self._layers = [EncoderLayer(weights, f"encoder.layer.{number}") for number in range(LAYERS)]

    def encode(self, texts: Sequence[Sequence[int]]) -> list[EncodedText]:
        """Encode texts, given as word pieces."""
        marked = [(self.word_pieces.start, *text[:MOST_PIECES], self.word_pieces.end) for text in texts]
        order = sorted(range(len(texts)), key=lambda number: len(marked[number]))
        encoded: dict[int, EncodedText] = {}
        for numbers in _chunks(order, [len(text) for text in marked]):
            encoded |= zip(numbers, self._encode([marked[number] for number in numbers]), strict=True)
        return [encoded[number] for number in range(len(texts))]

    def _encode(self, texts: list[tuple[int, ...]]) -> Iterator[EncodedText]:
        lengths = [len(text) for text in texts]
        words, positions = self._embeddings
        state = words[np.concatenate(texts)] + positions[np.concatenate([np.arange(n) for n in lengths])]
        state = self._norm(state + self._segment)
        states = []
        for apply_layer in self._layers:
            state = apply_layer(state, lengths)
            states.append(_normalize(state))
        ends = np.cumsum(lengths)
        for start, end in zip(ends - lengths, ends, strict=True):
            layers = tuple(rows[start + 1 : end - 1] for rows in states)
            yield EncodedText(layers, _normalize(state[start:end].mean(axis=0)))


@dataclass(frozen=True, slots=True, eq=False)
class LayerNorm:
    """Rows to mean 0 and deviation 1, then scaled and shifted."""

    weight: Vectors
    bias: Vectors

    @classmethod
    def of(cls, weights: dict[str, Vectors], name: str) -> LayerNorm:
        return cls(weights[f"{name}.weight"], weights[f"{name}.bias"])

    def __call__(self, rows: Vectors) -> Vectors:
        rows = rows - rows.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", rows, rows)[:, None] / np.float32(rows.shape[1])
        rows /= np.sqrt(variance + EPSILON)
        rows *= self.weight
        rows += self.bias
        return rows


class Dense:
    """A linear map; several maps of the same rows are one matrix."""

    def __init__(self, weights: dict[str, Vectors], *names: str) -> None:
        matrix = np.concatenate([weights[f"{name}.weight"] for name in names])
        self.matrix = np.ascontiguousarray(matrix.T)
        self.bias = np.concatenate([weights[f"{name}.bias"] for name in names])

    def __call__(self, rows: Vectors) -> Vectors:
        product: Vectors = rows @ self.matrix
        product += self.bias
        return product


class EncoderLayer:
    """Self-attention and a feed-forward network, each added to its input and normalised."""

    def __init__(self, weights: dict[str, Vectors], name: str) -> None:
        attention = f"{name}.attention"
        self.project = Dense(weights, *(f"{attention}.self.{part}" for part in ("query", "key", "value")))
        self.join = Dense(weights, f"{attention}.output.dense")
        self.norm_attention = LayerNorm.of(weights, f"{attention}.output.LayerNorm")
        self.widen = Dense(weights, f"{name}.intermediate.dense")
        self.narrow = Dense(weights, f"{name}.output.dense")
        self.norm_output = LayerNorm.of(weights, f"{name}.output.LayerNorm")

    def __call__(self, state: Vectors, lengths: Sequence[int]) -> Vectors:
        state = self.norm_attention(state + self.join(attend(self.project(state), lengths)))
        return self.norm_output(state + self.narrow(gelu(self.widen(state))))


def attend(projected: Vectors, lengths: Sequence[int]) -> Vectors:
    """Return the attention of each text to itself, from queries, keys and values side by side."""
    result = np.empty((len(projected), WIDTH), np.float32)
    start = 0
    for length, group in groupby(lengths):
        count = sum(1 for _ in group)
        end = start + count * length
        parts = projected[start:end].reshape(count, length, 3, HEADS, HEAD_WIDTH)
        queries, keys, values = parts.transpose(2, 0, 3, 1, 4)
        scores = (queries * np.float32(HEAD_WIDTH**-0.5)) @ keys.swapaxes(-1, -2)
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        own = result[start:end].reshape(count, length, HEADS, HEAD_WIDTH)
        own[...] = (scores @ values).swapaxes(1, 2)
        start = end
    return result


# erf(z) = 1 - (a₁t + … + a₅t⁵) exp(-z²) with t = 1 / (1 + pz), |error| < 1.5e-7 (Abramowitz & Stegun 7.1.26)
ERF_P = np.float32(0.3275911)
ERF_A = np.array([1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592], np.float32)


def gelu(rows: Vectors) -> Vectors:
    """x ↦ x · (1 + erf(x / √2)) / 2, in place, by blocks of rows that fit into the cache.

    >>> [round(float(x), 4) for x in gelu(np.array([[-1.0, 0.0, 2.0]], np.float32))[0]]
    [-0.1587, 0.0, 1.9545]
    """
    for start in range(0, len(rows), 32):
        block = rows[start : start + 32]
        z = np.abs(block) * np.float32(0.5**0.5)
        t = 1 / (1 + ERF_P * z)
        polynomial = t * ERF_A[0]
        for coefficient in ERF_A[1:]:
            polynomial += coefficient
            polynomial *= t
        z *= -z
        polynomial *= np.exp(z, out=z)
        np.subtract(1, polynomial, out=polynomial)
        np.copysign(polynomial, block, out=polynomial)
        polynomial += 1
        block *= polynomial
        block *= np.float32(0.5)
    return rows


def read_weights(path: Path) -> dict[str, Vectors]:
    """Read the 32-bit tensors of a safetensors file: a header in JSON, then the numbers."""
    raw = np.memmap(path, np.uint8, mode="r")
    start = 8 + int(raw[:8].view("<u8")[0])
    header = json.loads(raw[8:start].tobytes())
    return {
        name: raw[slice(*(start + offset for offset in about["data_offsets"]))]
        .view("<f4")
        .reshape(about["shape"])
        for name, about in header.items()
        if about.get("dtype") == "F32"
    }


def _chunks(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Yield texts in order, as many at a time as have ``ROWS`` pieces."""
    chunk: list[int] = []
    rows = 0
    for number in order:
        if chunk and rows + lengths[number] > ROWS:
            yield chunk
            chunk, rows = [], 0
        chunk.append(number)
        rows += lengths[number]
    if chunk:
        yield chunk


def _normalize(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
