"""Invented sets in which better translations share more words with their references."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

NOUNS = ["house", "man", "dog", "city", "river", "tree", "friend", "street"]
OTHERS = ["the", "a", "small", "red", "old", "sees", "finds", "takes", "near", "with", "under", "often"]
WORDS = NOUNS + OTHERS


def sentence(rng: np.random.Generator, length: int = 9) -> list[str]:
    return [WORDS[place] for place in rng.integers(0, len(WORDS), length)]


def spoil(words: list[str], errors: int, rng: np.random.Generator) -> list[str]:
    changed = list(words)
    for place in rng.choice(len(words), min(errors, len(words)), replace=False):
        changed[place] = f"x{rng.integers(9)}"
    return changed


def write_set(folder: Path, name: str, *, segments: int = 60, references: int = 1, seed: int = 1) -> Path:
    """Systems ``good`` (1 error), ``fair`` (3), ``poor`` (6), ranked in this order nine times out of ten."""
    rng = np.random.default_rng(seed)
    texts = [sentence(rng) for _ in range(segments)]
    header = "\t".join(["seg", "source", *(f"ref{letter}" for letter in "ABCD"[:references])])
    rows = [header]
    for number, words in enumerate(texts, start=1):
        versions = [words, *(spoil(words, 1, rng) for _ in range(references - 1))]
        rows.append("\t".join([str(number), "quelle", *(" ".join(version) for version in versions)]))
    (folder / f"{name}.segments.tsv").write_text("\n".join(rows) + "\n")
    systems = {"good": 1, "fair": 3, "poor": 6}
    outputs = [
        f"{system}\t{number}\t{' '.join(spoil(words, errors, rng))}"
        for system, errors in systems.items()
        for number, words in enumerate(texts, start=1)
    ]
    (folder / f"{name}.outputs.tsv").write_text("\n".join(["system\tseg\ttranslation", *outputs]) + "\n")
    rankings = []
    for number in range(1, segments + 1):
        ranks = [1, 2, 3] if rng.random() < 0.9 else [3, 2, 1]
        items = [[[system], rank] for system, rank in zip(systems, ranks, strict=True)]
        rankings.append(json.dumps({"seg": number, "items": items}))
    (folder / f"{name}.rankings.jsonl").write_text("\n".join(rankings) + "\n")
    return folder / name
