"""A small invented set in the file formats, and a metric that needs no tools."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from metrics.base import Needs, Scores, Segment

SEGMENTS = "seg\tsource\treference\n1\teins\tone two three\n2\tzwei\tfour five six\n"
OUTPUTS = (
    "system\tseg\ttranslation\n"
    "alpha\t1\tone two three\nalpha\t2\tfour five six\n"
    "beta\t1\tone two\nbeta\t2\tfour x y\n"
    "gamma\t1\tz z z\ngamma\t2\tfour five\n"
)
PAIRS = (
    "seg\tbetter\tworse\n1\talpha\tbeta\n1\talpha\tgamma\n1\tbeta\tgamma\n2\talpha\tgamma\n2\tbeta\tgamma\n"
)
RANKINGS = (
    json.dumps({"seg": 1, "judge": "j1", "items": [[["alpha"], 1], [["beta"], 2], [["gamma"], 3]]}),
    json.dumps({"seg": 2, "judge": "j2", "items": [[["alpha", "beta"], 1], [["gamma"], 2]]}),
    json.dumps({"seg": 2, "judge": "j2", "items": [[["alpha"], 1], [["beta"], 1], [["gamma"], None]]}),
    json.dumps({"seg": 1, "judge": "j2", "items": []}),
)
SCORES = (
    "system\tseg\tmqm\ttranslation\n"
    "alpha\t1\t-1.0\tone two\nalpha\t2\t-2\tfour\nbeta\t1\t-3\tx\nbeta\t2\t\ty\n"
)
JUDGED = (
    "lp\tsystem\tseg\tda\tsource\treference\ttranslation\n"
    "de-en\talpha\t1\t0.9\teins\tone two three\tone two three\n"
    "de-en\tbeta\t1\t0.1\teins\tone two three\tone\n"
    "cs-en\talpha\t1\t0.5\tjedna\tone two three\tone two\n"
    "cs-en\tbeta\t1\t0.7\tjedna\tone two three\tone two three\n"
)


def write(folder: Path, **files: str | Sequence[str]) -> None:
    """``segments=…`` becomes ``x.segments.tsv``; names that end in ``_gz`` are packed."""
    for name, content in files.items():
        text = content if isinstance(content, str) else "\n".join(content) + "\n"
        kind = name.removesuffix("_gz")
        path = folder / f"x.{kind}.{'jsonl' if kind == 'rankings' else 'tsv'}"
        if name.endswith("_gz"):
            path.with_name(path.name + ".gz").write_bytes(gzip.compress(text.encode()))
        else:
            path.write_text(text, encoding="utf-8")


class Overlap:
    """The share of the best reference's words that the hypothesis has."""

    name = "overlap"
    title = "shared words"
    higher_is_better = True
    needs = Needs(reference=True)
    signature = "overlap|v:1"

    def score(self, segments: Sequence[Segment]) -> Scores:
        shares = [
            max(
                len({*segment.hypothesis.split()} & {*reference.split()}) / len(reference.split())
                for reference in segment.references
            )
            for segment in segments
        ]
        values = np.array(shares, dtype=np.float64)
        return Scores(values, float(values.mean()) if len(values) else None, self.signature)


class Errors(Overlap):
    """The same turned round: lower is better."""

    name = "errors"
    higher_is_better = False

    def score(self, segments: Sequence[Segment]) -> Scores:
        scores = super().score(segments)
        corpus = None if scores.corpus is None else 1 - scores.corpus
        return Scores(1 - scores.segments, corpus, self.signature)
