"""The encoder as a program: a JSON list of questions per line in, a list of as many answers out.

``[hypothesis, reference, layer]`` is answered by the cosine of the two texts, the best similarity of each
piece of the hypothesis to one of the reference, and the reverse. The argument is the folder of the model.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from metrics.neural.encoder import EncodedText, Encoder, Vectors, WrongModel

DIGITS = 5  # the rest is rounding, which depends on the processor
Comparison = tuple[float, list[float], list[float]]


def main(folder: Path) -> int:
    try:
        encoder = Encoder(folder)
    except WrongModel as error:
        print(error, file=sys.stderr)
        return 1
    for line in sys.stdin:
        print(json.dumps(compare_texts(encoder, json.loads(line))), flush=True)
    return 0


def compare_texts(encoder: Encoder, questions: list[tuple[str, str, int]]) -> list[Comparison]:
    """Answer questions; each distinct text is encoded once."""
    encoded: dict[tuple[str, int], EncodedText] = {}
    for layer in {layer for *_, layer in questions}:
        texts = list(dict.fromkeys(text for *pair, own in questions if own == layer for text in pair))
        vectors = encoder.encode([encoder.word_pieces.split(text) for text in texts], layer)
        encoded |= zip(((text, layer) for text in texts), vectors, strict=True)
    return [_compare(encoded[one, layer], encoded[other, layer]) for one, other, layer in questions]


def _compare(hypothesis: EncodedText, reference: EncodedText) -> Comparison:
    similarities: Vectors = hypothesis.pieces @ reference.pieces.T
    best = [similarities.max(axis=axis, initial=-1.0) for axis in (1, 0)]
    if not similarities.size:
        best = [np.zeros_like(values) for values in best]
    own, theirs = (_round(values) for values in best)
    return round(float(hypothesis.sentence @ reference.sentence), DIGITS), own, theirs


def _round(values: Iterable[np.float32]) -> list[float]:
    return [round(float(value), DIGITS) for value in values]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
