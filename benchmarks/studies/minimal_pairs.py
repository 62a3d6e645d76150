"""Outputs that differ in one place, where a verdict on two sentences is a verdict on two phrases.

Published campaigns asked for rankings of whole sentences. Where only a few words lie between the common
beginning and the common end of two outputs, the pair can be classified by phenomena like a phrase pair of a
task.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from benchmarks.studies.published_campaigns import Reread
from evaluation.phenomena.classification import Phenomenon, classify_pair
from evaluation.phenomena.profile import PhenomenonMatrix
from evaluation.study.systems import SIGNS
from evaluation.tokens import tokenize
from evaluation.voters import Words

LONGEST = 3  # words on either side
NUMBER_OF = {phenomenon: number for number, phenomenon in enumerate(Phenomenon)}
References = Sequence[Sequence[Sequence[str]]]  # by campaign and source


class Place(NamedTuple):
    """Where a pair of the study (``code``) differs, and whether that opens the sentence."""

    code: int
    first: Sequence[str]
    second: Sequence[str]
    begins: bool


def between(one: Sequence[str], other: Sequence[str]) -> tuple[Sequence[str], Sequence[str], bool]:
    """What stands between the common beginning and the common end, and whether it opens the sentence.

    >>> between("a b c d".split(), "a x d".split())
    (['b', 'c'], ['x'], False)
    """
    shortest = min(len(one), len(other))
    start = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    rest = shortest - start
    end = next((n for n in range(rest) if one[-1 - n] != other[-1 - n]), rest)
    return one[start : len(one) - end], other[start : len(other) - end], start == 0


def places(found: Reread, language: str) -> list[Place]:
    """The pairs that differ in one place by at most ``LONGEST`` words."""
    tokens = lru_cache(maxsize=None)(partial(tokenize, language=language))
    every = (
        Place(code, *between(tokens(pair.first), tokens(pair.second)))
        for code, pair in enumerate(found.pairs)
    )
    return [place for place in every if 1 <= max(len(place.first), len(place.second)) <= LONGEST]


def shown_at(
    found: Reread,
    differing: Sequence[Place],
    references: References,
    language: str,
    words: Mapping[str, Words] | None = None,
) -> PhenomenonMatrix:
    """Pairs × phenomena; recognised by the tags in ``words`` (by sentence), else by word lists."""
    shown = np.zeros((len(found.pairs), len(NUMBER_OF)), dtype=bool)
    for place in differing:
        pair = found.pairs[place.code]
        said = [
            token for text in references[pair.campaign][pair.source] for token in tokenize(text, language)
        ]
        kinds = classify_pair(
            place.first,
            place.second,
            language=language,
            reference=said or None,
            begins=place.begins,
            words=None if words is None else {**words[pair.second], **words[pair.first]},
        )
        shown[place.code, [NUMBER_OF[phenomenon] for phenomenon in kinds]] = True
    return shown


def words_win(
    found: Reread, differing: Sequence[Place], shown: PhenomenonMatrix, phenomenon: Phenomenon
) -> tuple[int, int]:
    """Where only one output has the words: how often the one with them won, and the one without them."""
    side = np.zeros(len(found.pairs), dtype=np.int64)
    for place in differing:
        side[place.code] = bool(place.first) - bool(place.second)
    study = found.study
    here = study.pairs[shown[study.pairs, NUMBER_OF[phenomenon]]]
    signs = SIGNS[study.labels[shown[study.pairs, NUMBER_OF[phenomenon]]]] * side[here]
    return int((signs == 1).sum()), int((signs == -1).sum())
