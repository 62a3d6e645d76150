"""The sentence encoder of ``make tools`` as a program: the smallest example with a real model."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # Appraise itself

from metrics.neural.encoder import Encoder
from metrics.neural.tool import find_model


def main() -> None:
    encoder = Encoder(find_model())
    for line in sys.stdin:
        items = json.loads(line)
        texts = [text for item in items for text in (item["hypothesis"], *item["references"])]
        vectors = iter(encoder.encode([encoder.word_pieces.split(text) for text in texts]))
        scores = []
        for item in items:
            own = next(vectors).sentence
            scores.append(max(round(float(own @ next(vectors).sentence), 5) for _ in item["references"]))
        print(json.dumps(scores), flush=True)


if __name__ == "__main__":
    main()
