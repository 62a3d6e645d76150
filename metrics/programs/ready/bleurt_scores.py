"""BLEURT as a program, in an environment with ``bleurt``; the argument is the folder of a checkpoint."""

import json
import sys

from bleurt.score import BleurtScorer


def main(checkpoint: str) -> None:
    scorer = BleurtScorer(checkpoint)
    for line in sys.stdin:
        items = json.loads(line)
        pairs = [(item["hypothesis"], text) for item in items for text in item["references"]]
        scores = iter(
            scorer.score(references=[text for _, text in pairs], candidates=[text for text, _ in pairs])
        )
        best = [max(float(next(scores)) for _ in item["references"]) for item in items]
        print(json.dumps(best), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
