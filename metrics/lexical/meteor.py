"""METEOR (Banerjee & Lavie 2005, Lavie & Agarwal 2007): unigrams matched in stages, order counted by chunks.

``meteor`` matches equal words, lower-cased, and then equal Porter stems. ``meteor-synonyms`` adds a stage for
words of which a base form shares a WordNet synset (Banerjee & Lavie 2005, section 2).

With m matches in c chunks, P = m/|H| and R = m/|R|: F = PR / (αP + (1-α)R), score = F · (1 - γ (c/m)^β), α =
0.9, β = 3, γ = 0.5. Words are aligned from the end, as NLTK does, not by searching for the fewest crossings,
so the numbers equal NLTK's. Of several references the best counts. The score of a corpus comes from summed
matches, lengths and chunks, as in the paper. ``meteor-1.5`` has the later parameters with weighted words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from metrics.base import FloatArray, MetricUnavailable, Needs, explain_unavailable
from metrics.lexical import blocks
from metrics.lexical.blocks import Block, Texts
from metrics.lexical.core import LexicalMetric, divide
from metrics.registry import register

if TYPE_CHECKING:
    from evaluation.alignment.wordnet import WordNet

Words = Sequence[str]


@dataclass(frozen=True)
class UnigramMatching(LexicalMetric):
    """Statistics are matches, chunks and the two lengths."""

    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    tokenize: str = "none"
    lowercase: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (0 <= self.alpha <= 1 and self.beta > 0 and 0 <= self.gamma <= 1):
            raise ValueError(f"METEOR needs alpha and gamma in 0 … 1 and beta > 0, not {self}")

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        matches, chunks, own, theirs = np.moveaxis(summed, -1, 0)
        precision, recall = divide(matches, own), divide(matches, theirs)
        f_mean = divide(precision * recall, self.alpha * precision + (1 - self.alpha) * recall)
        return f_mean * (1 - self.gamma * divide(chunks, matches) ** self.beta)


@register
@dataclass(frozen=True)
class Meteor(UnigramMatching):
    name: ClassVar[str] = "meteor"
    title: ClassVar[str] = "METEOR: words and stems, with a penalty for fragments"
    facts: ClassVar[tuple[str, ...]] = ("stages:exact,porter",)

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        words = self.block([reference], systems)
        stemmed = "\n".join(" ".join(map(stem, line.split())) for line in words.text.split("\n"))
        stems = Block(stemmed, words.segments, 1, words.systems)
        counts, lengths = blocks.matches_and_chunks([words, stems])
        theirs = np.broadcast_to(lengths.references[0], lengths.systems.shape)
        return np.concatenate([counts, np.stack([lengths.systems, theirs], axis=-1)], axis=-1).astype(float)


@register
@dataclass(frozen=True)
class MeteorSynonyms(UnigramMatching):
    """Is not compiled: synonymy is not transitive, so words cannot be numbered for compiled loops."""

    name: ClassVar[str] = "meteor-synonyms"
    title: ClassVar[str] = "METEOR: words, stems and WordNet synonyms, with a penalty for fragments"
    needs: ClassVar[Needs] = Needs(resource="WordNet")

    def signature_facts(self) -> tuple[str, ...]:
        return ("stages:exact,porter,synonyms", f"wordnet:{wordnet_identity()}")

    def unavailable_because(self) -> str | None:
        return explain_unavailable(_wordnet)  # finds the folder without reading it

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        lines = [line.split() for line in self.block([reference], systems).text.split("\n")]
        segments = len(reference)
        references, outputs = lines[:segments], lines[segments:-1]
        rows = [
            (
                *matches_and_chunks(words, references[index % segments]),
                len(words),
                len(references[index % segments]),
            )
            for index, words in enumerate(outputs)
        ]
        return np.array(rows, float).reshape(len(systems), segments, 4)


@register
@dataclass(frozen=True)
class RankedMeteor(LexicalMetric):
    """METEOR with the parameters that Denkowski & Lavie 2014 tuned on English rankings (version 1.5).

    Function words weigh 1 − δ, content words δ; a match of equal words counts 1, of stems 0.6, of synonyms
    0.8. Statistics are the weighted matches and lengths of both sides, matches, and chunks. There are no
    paraphrase tables, and words are aligned as in ``meteor``.
    """

    name: ClassVar[str] = "meteor-1.5"
    title: ClassVar[str] = "METEOR with the parameters of version 1.5, without paraphrases, English only"
    needs: ClassVar[Needs] = Needs(resource="WordNet")

    alpha: float = 0.85
    beta: float = 0.2
    gamma: float = 0.6
    delta: float = 0.75
    tokenize: str = "13a"
    lowercase: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        shares = (self.alpha, self.gamma, self.delta)
        if not (all(0 <= share <= 1 for share in shares) and self.beta > 0):
            raise ValueError(f"METEOR needs alpha, gamma and delta in 0 … 1 and beta > 0, not {self}")

    def signature_facts(self) -> tuple[str, ...]:
        return ("stages:exact,porter,synonyms", "weights:1,.6,.8", f"wordnet:{wordnet_identity()}")

    def unavailable_because(self) -> str | None:
        return explain_unavailable(_wordnet)

    def against(self, reference: Sequence[str], systems: Texts) -> FloatArray:
        lines = [line.split() for line in self.block([reference], systems).text.split("\n")]
        segments = len(reference)
        references, outputs = lines[:segments], lines[segments:-1]
        rows = [self._count(words, references[index % segments]) for index, words in enumerate(outputs)]
        return np.array(rows, float).reshape(len(systems), segments, 6)

    def _count(self, words: Words, reference: Words) -> tuple[float, ...]:
        partner: dict[int, int] = {}
        free = set(range(len(reference)))
        stage_weight: dict[int, float] = {}
        stems = [[stem(word) for word in side] for side in (words, reference)]
        for weight, match, sides in (
            (1.0, match_equal, (words, reference)),
            (0.6, match_equal, stems),
            (0.8, match_synonyms, (words, reference)),
        ):
            match(sides[0], sides[1], partner, free)
            stage_weight |= {place: weight for place in partner if place not in stage_weight}
        own, theirs = ([self._word_weight(word) for word in side] for side in (words, reference))
        matched = sum(weight * own[place] for place, weight in stage_weight.items())
        recalled = sum(weight * theirs[partner[place]] for place, weight in stage_weight.items())
        chunks = count_chunks(partner)
        is_same = chunks == 1 and len(partner) == len(words) == len(reference)
        return matched, recalled, sum(own), sum(theirs), len(partner), 0 if is_same else chunks

    def _word_weight(self, word: str) -> float:
        return 1 - self.delta if is_function_word(word) else self.delta

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        matched, recalled, own, theirs, matches, chunks = np.moveaxis(summed, -1, 0)
        precision, recall = divide(matched, own), divide(recalled, theirs)
        f_mean = divide(precision * recall, self.alpha * precision + (1 - self.alpha) * recall)
        return f_mean * (1 - self.gamma * divide(chunks, matches) ** self.beta)


@lru_cache(maxsize=1 << 14)
def is_function_word(word: str) -> bool:
    """Whether a lower-case English word adds no content, as punctuation does not."""
    from evaluation.alignment.word_classes import load_word_list  # here, because its package loads aligners

    return word in load_word_list("closed")["en"] or not any(map(str.isalnum, word))


def matches_and_chunks(words: Words, reference: Words) -> tuple[int, int]:
    """Count the matched words and the chunks that they form.

    >>> matches_and_chunks("the dogs ran".split(), "the dog ran home".split())
    (3, 1)
    """
    partner: dict[int, int] = {}
    free = set(range(len(reference)))
    match_equal(words, reference, partner, free)
    match_equal([stem(word) for word in words], [stem(word) for word in reference], partner, free)
    match_synonyms(words, reference, partner, free)
    return len(partner), count_chunks(partner)


def count_chunks(partner: dict[int, int]) -> int:
    """Count the runs of words whose partners are a run, too."""
    return sum(partner.get(place - 1) != there - 1 for place, there in partner.items())


def match_equal(words: Words, reference: Words, partner: dict[int, int], free: set[int]) -> None:
    """Match every free word, from the last to the first, with the last free equal word."""
    places: dict[str, list[int]] = {}
    for place in sorted(free):
        places.setdefault(reference[place], []).append(place)
    for place in range(len(words) - 1, -1, -1):
        if place not in partner and (equal := places.get(words[place])):
            partner[place] = equal.pop()
            free.discard(partner[place])


def match_synonyms(words: Words, reference: Words, partner: dict[int, int], free: set[int]) -> None:
    """Match every free word, from the last to the first, with the last free synonym."""
    for place in range(len(words) - 1, -1, -1):
        if place in partner or not (meanings := synsets(words[place])):
            continue
        for there in sorted(free, reverse=True):
            if not meanings.isdisjoint(synsets(reference[there])):
                partner[place] = there
                free.discard(there)
                break


@lru_cache(maxsize=1 << 17)
def stem(word: str) -> str:
    """Return the Porter stem of one word, lower-cased.

    >>> stem("Walking")
    'walk'
    """
    return str(_stemmer().stem(word.lower()))


@cache
def _stemmer() -> Any:  # Any: NLTK ships no types
    from nltk.stem.porter import PorterStemmer  # here, because it is slow to import

    return PorterStemmer()


@lru_cache(maxsize=1 << 17)
def synsets(word: str) -> frozenset[object]:
    """Return the synsets of a word and of its base forms, in all parts of speech."""
    from evaluation.alignment.wordnet import PartOfSpeech

    wordnet = _wordnet()
    bases = {word, *(base for part in PartOfSpeech for base in wordnet.bases(word, part))}
    return frozenset(meaning for base in bases for meaning in wordnet.synsets(base))


def wordnet_identity() -> str:
    """Return version and digest of the installed WordNet, for signatures."""
    from metrics.tools.base import wordnet_tool

    try:
        tool = wordnet_tool(_wordnet())
    except MetricUnavailable:
        return "absent"
    return f"{tool.version}-{tool.model_hash}"


def _wordnet() -> WordNet:
    from metrics.tools.base import ToolAbsent, load_wordnet

    try:
        return load_wordnet()
    except ToolAbsent as error:
        raise MetricUnavailable(f"meteor-synonyms needs WordNet: {error}") from error
