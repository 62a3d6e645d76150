"""METEOR with a third stage: words that are synonyms (Banerjee & Lavie 2005, section 2).

Two words are synonyms when a base form of one shares a synset of WordNet with a base form of the other. The
first two stages are those of ``meteor``; the third looks at what they left, from the last word of the
hypothesis to the first, each taking the last free synonym in the reference. Synonymy is no equivalence, so
words cannot be numbered for a kernel, and this metric runs in the interpreter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from metrics.base import FloatArray, MetricUnavailable, Needs
from metrics.lexical.blocks import Texts
from metrics.lexical.meteor import UnigramMatching, stem
from metrics.registry import register

if TYPE_CHECKING:
    from metrics.linguistics.wordnet import WordNet

Words = Sequence[str]


@register
@dataclass(frozen=True)
class MeteorSynonyms(UnigramMatching):
    name: ClassVar[str] = "meteor-synonyms"
    title: ClassVar[str] = "METEOR: words, stems and WordNet synonyms, with a penalty for fragments"
    needs: ClassVar[Needs] = Needs(resource="WordNet")

    def signature_facts(self) -> tuple[str, ...]:
        return ("stages:exact,porter,synonyms", f"wordnet:{wordnet_identity()}")

    def unavailable_because(self) -> str | None:
        """Why the metric is not available (no WordNet), in one sentence, else None."""
        try:
            _wordnet()  # finds the folder without reading it
        except MetricUnavailable as error:
            return str(error)
        return None

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        lines = [line.split() for line in self.block([reference], systems).text.split("\n")]
        known, outputs = lines[: len(reference)], lines[len(reference) : -1]
        rows = [
            (
                *matches_and_chunks(words, known[index % len(known)]),
                len(words),
                len(known[index % len(known)]),
            )
            for index, words in enumerate(outputs)
        ]
        return np.array(rows, float).reshape(len(systems), len(known), 4)


def matches_and_chunks(words: Words, reference: Words) -> tuple[int, int]:
    """Matched words and the chunks they fall into.

    >>> matches_and_chunks("the dogs ran".split(), "the dog ran home".split())
    (3, 1)
    """
    partner: dict[int, int] = {}
    free = set(range(len(reference)))
    match_equal(words, reference, partner, free)
    match_equal([stem(word) for word in words], [stem(word) for word in reference], partner, free)
    match_synonyms(words, reference, partner, free)
    chunks = sum(partner.get(place - 1) != there - 1 for place, there in partner.items())
    return len(partner), chunks


def match_equal(words: Words, reference: Words, partner: dict[int, int], free: set[int]) -> None:
    """From the end, a free word takes the last free equal one."""
    places: dict[str, list[int]] = {}
    for place in sorted(free):
        places.setdefault(reference[place], []).append(place)
    for place in range(len(words) - 1, -1, -1):
        if place not in partner and (found := places.get(words[place])):
            partner[place] = found.pop()
            free.discard(partner[place])


def match_synonyms(words: Words, reference: Words, partner: dict[int, int], free: set[int]) -> None:
    for place in range(len(words) - 1, -1, -1):
        if place in partner or not (meanings := synsets(words[place])):
            continue
        for there in sorted(free, reverse=True):
            if not meanings.isdisjoint(synsets(reference[there])):
                partner[place] = there
                free.discard(there)
                break


@lru_cache(maxsize=1 << 17)
def synsets(word: str) -> frozenset[object]:
    """The meanings of a word and of its base forms, over all parts of speech."""
    from metrics.linguistics.wordnet import PartOfSpeech

    wordnet = _wordnet()
    bases = {word, *(base for part in PartOfSpeech for base in wordnet.bases(word, part))}
    return frozenset(meaning for base in bases for meaning in wordnet.synsets(base))


def _wordnet() -> WordNet:
    from metrics.linguistics.base import ToolAbsent
    from metrics.linguistics.wordnet import load

    try:
        return load()
    except ToolAbsent as error:
        raise MetricUnavailable(f"meteor-synonyms needs WordNet: {error}") from error


def wordnet_identity() -> str:
    """Version and digest of the WordNet in use, for signatures."""
    try:
        tool = _wordnet().tool
    except MetricUnavailable:
        return "absent"
    return f"{tool.version}-{tool.model_hash}"
