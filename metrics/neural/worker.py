"""The encoder as a program: a JSON list of questions per line in, a list of as many answers out.

``[hypothesis, reference]`` is answered by the cosine of the two texts and, for each layer, the mean over the
pieces of either text of the best similarity to a piece of the other (precision and recall of BERTScore).
``[hypothesis, reference, layer]`` is answered by the best similarities themselves, of either text.
The argument is the folder of the model.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from metrics.neural.encoder import LAYERS, EncodedText, Encoder, Vectors, WrongModel

DIGITS = 5  # the rest is rounding, which depends on the processor
Question = Any  # JSON
Answer = list[Any]  # JSON


def main(folder: Path) -> int:
    try:
        encoder = Encoder(folder)
    except WrongModel as error:
        print(error, file=sys.stderr)
        return 1
    for line in sys.stdin:
        print(json.dumps(compare_texts(encoder, json.loads(line))), flush=True)
    return 0


def compare_texts(encoder: Encoder, questions: list[Question]) -> list[Answer]:
    """Answer questions; each distinct text is encoded once."""
    texts = list(dict.fromkeys(text for one, other, *_ in questions for text in (one, other)))
    vectors = encoder.encode([encoder.word_pieces.split(text) for text in texts])
    encoded = dict(zip(texts, vectors, strict=True))
    answers: list[Answer] = []
    for one, other, *layer in questions:
        pair = encoded[one], encoded[other]
        answers.append(list(_find_best(*pair, layer[0])) if layer else _summarize(*pair))
    return answers


def _summarize(hypothesis: EncodedText, reference: EncodedText) -> Answer:
    best = [_find_best(hypothesis, reference, layer) for layer in range(1, LAYERS + 1)]
    means = [[round(sum(side) / max(len(side), 1), DIGITS) for side in sides] for sides in best]
    return [round(float(hypothesis.sentence @ reference.sentence), DIGITS), *means]


def _find_best(
    hypothesis: EncodedText, reference: EncodedText, layer: int
) -> tuple[list[float], list[float]]:
    similarities: Vectors = hypothesis.layers[layer - 1] @ reference.layers[layer - 1].T
    if not similarities.size:  # one of the texts has no pieces
        return [0.0] * len(similarities), [0.0] * similarities.shape[1]
    own, theirs = (similarities.max(axis=axis).tolist() for axis in (1, 0))
    return [round(value, DIGITS) for value in own], [round(value, DIGITS) for value in theirs]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
