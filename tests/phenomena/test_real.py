"""WMT15 outputs that differ in one place: is what the rules call omitted missed? (docs/phenomena.md)"""

from __future__ import annotations

import csv
import gzip
import itertools
import json
from collections import Counter
from functools import lru_cache, partial
from pathlib import Path

import pytest

from evaluation.phenomena import Phenomenon, phenomena
from evaluation.tokens import tokenize

pytestmark = pytest.mark.realdata
LONGEST = 3  # words in the place
english = lru_cache(maxsize=None)(partial(tokenize, language="en"))


def table(path: Path) -> list[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def place(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...], bool]:
    """What stands between the common beginning and the common end, and whether it opens the sentence."""
    shortest = min(len(one), len(other))
    start = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    rest = shortest - start
    end = next((n for n in range(rest) if one[-1 - n] != other[-1 - n]), rest)
    return one[start : len(one) - end], other[start : len(other) - end], start == 0


def test_omitted_words_are_missed_and_inserted_ones_are_not(real_data: Path) -> None:
    folder = real_data / "rr_wmt15"
    won: Counter[tuple[Phenomenon, bool]] = Counter()
    for pair in ("de-en", "fr-en"):
        references = {row["seg"]: row["reference"] for row in table(folder / f"{pair}.segments.tsv.gz")}
        outputs = {
            (row["system"], row["seg"]): row["translation"]
            for row in table(folder / f"{pair}.outputs.tsv.gz")
        }
        with gzip.open(folder / f"{pair}.rankings.jsonl.gz", "rt", encoding="utf-8") as lines:
            rankings = [json.loads(line) for line in lines]
        for ranking in rankings:
            seg = str(ranking["seg"])
            known = [
                (english(outputs[systems[0], seg]), rank)
                for systems, rank in ranking["items"]
                if rank is not None and (systems[0], seg) in outputs
            ]
            for (a, x), (b, y) in itertools.combinations(known, 2):
                first, second, begins = place(a, b)
                if x == y or bool(first) == bool(second) or max(len(first), len(second)) > LONGEST:
                    continue
                reference = english(references[seg])
                told = phenomena(first, second, language="en", reference=reference, begins=begins)
                won[told[0], (x < y) == bool(first)] += 1  # True: the output with the words
    assert won[Phenomenon.OMISSION, True] > 1.5 * won[Phenomenon.OMISSION, False] > 0
    assert won[Phenomenon.INSERTION, False] > won[Phenomenon.INSERTION, True] > 0
