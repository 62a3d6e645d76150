"""COMET models as a program, in an environment with ``unbabel-comet``; the argument names the model."""

import json
import sys

from comet import download_model, load_from_checkpoint


def main(name: str) -> None:
    model = load_from_checkpoint(download_model(name))
    for line in sys.stdin:
        rows = [
            {"src": item["source"], "mt": item["hypothesis"]}
            | ({"ref": item["references"][0]} if item["references"] else {})
            for item in json.loads(line)
        ]
        # Lightning writes to standard output, which belongs to the answers.
        answers, sys.stdout = sys.stdout, sys.stderr
        scores = model.predict(rows, batch_size=len(rows), progress_bar=False).scores
        sys.stdout = answers
        print(json.dumps([float(score) for score in scores]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
