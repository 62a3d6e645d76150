"""A made-up but realistic test set: fixed seed, no outside data.

3,003 segments of about 25 words over a Zipf vocabulary of 30,000 types, with collocations that recur.
Reference 0 is the truth; three more references and twelve systems are corruptions of it by substitution,
deletion, insertion and block moves, at rates from 0.08 to 0.70 for the systems. Ratios on real text differ,
those of TER most of all.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

VOCABULARY = 30_000
CONSONANTS, VOWELS = list("bcdfghjklmnprstvwz"), list("aeiou")

Words = list[int]


class Corpus(NamedTuple):
    """``references[r][i]`` and ``systems[s][i]``."""

    references: list[list[str]]
    systems: list[list[str]]


@cache
def corpus(segments: int = 3003, systems: int = 12, seed: int = 20240406) -> Corpus:
    random = np.random.default_rng(seed)
    words = _vocabulary(random)
    draw = _zipf(random)
    lengths = np.clip(random.gamma(3.2, 24 / 3.2, segments).round().astype(int), 3, 95)
    truth = [draw(length) for length in lengths]
    _add_collocations(truth, draw, random)

    def text(sentences: list[Words]) -> list[str]:
        return [" ".join([words[word] for word in sentence]) + " ." for sentence in sentences]

    def corrupt_all(rate: float) -> list[str]:
        return text([_corrupt(sentence, rate, draw, random) for sentence in truth])

    references = [text(truth), *(corrupt_all(0.45) for _ in range(3))]
    return Corpus(references, [corrupt_all(rate) for rate in np.linspace(0.08, 0.70, systems)])


@cache
def read_published() -> Corpus | None:
    """WMT12 German–English as its systems translated it, where ``APPRAISE_DATA`` has it; else nothing."""
    root = Path(__file__).resolve().parent.parent.parent
    folder = Path(os.environ.get("APPRAISE_DATA") or root / "shared" / "data" / "dev") / "rr_wmt12"
    if not folder.is_dir():
        return None
    references = [row["reference"] for row in _rows(folder / "de-en.segments.tsv.gz")]
    systems: dict[str, list[str]] = {}
    for row in _rows(folder / "de-en.outputs.tsv.gz"):
        systems.setdefault(row["system"], []).append(row["translation"])
    return Corpus([references], list(systems.values()))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        yield from csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Syllables; frequent words are shorter. The two most frequent are a comma and an article."""
    known: set[str] = set()
    words: list[str] = []
    for rank in range(VOCABULARY):
        syllables = 1 + int(np.log2(rank + 2) / 4.2)
        word = _word(random, syllables)
        while word in known:
            syllables += random.random() < 0.3
            word = _word(random, syllables)
        known.add(word)
        words.append(word)
    words[:2] = [",", "the"]
    return words


def _word(random: np.random.Generator, syllables: int) -> str:
    word = "".join(random.choice(CONSONANTS) + random.choice(VOWELS) for _ in range(syllables))
    return word + random.choice(CONSONANTS) if random.random() < 0.5 else word


def _zipf(random: np.random.Generator) -> Callable[[int], Words]:
    weights = 1.0 / (np.arange(VOCABULARY) + 2.7) ** 1.07
    cumulated = np.cumsum(weights / weights.sum())

    def draw(count: int) -> Words:
        found = np.searchsorted(cumulated, random.random(count))
        return [int(word) for word in np.minimum(found, VOCABULARY - 1)]

    return draw


def _add_collocations(truth: list[Words], draw: Callable[[int], Words], random: np.random.Generator) -> None:
    """Overwrite a stretch of every twelfth word or so with a phrase that recurs."""
    phrases = [draw(int(random.integers(2, 6))) for _ in range(2000)]
    for sentence in truth:
        for _ in range(len(sentence) // 12):
            phrase = phrases[min(int(random.pareto(0.9) * 5), 1999)]
            place = int(random.integers(0, len(sentence)))
            sentence[place : place + len(phrase)] = phrase


def _corrupt(
    sentence: Words, rate: float, draw: Callable[[int], Words], random: np.random.Generator
) -> Words:
    result: Words = []
    for word in sentence:
        chance = random.random()
        if chance < rate * 0.25:
            continue
        result.append(draw(1)[0] if chance < rate * 0.80 else word)
        if random.random() < rate * 0.18:
            result.append(draw(1)[0])
    for _ in range(random.poisson(rate * len(sentence) / 9)):
        if len(result) < 5:
            break
        size = int(random.integers(1, min(6, len(result) - 1)))
        start = int(random.integers(0, len(result) - size + 1))
        block = result[start : start + size]
        del result[start : start + size]
        goal = int(np.clip(start + random.integers(-10, 11), 0, len(result)))
        result[goal:goal] = block
    return result or draw(1)
