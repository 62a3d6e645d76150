"""Word classes without a tagger: closed-class words by list, or by frequency for languages without a list.

Articles, determiners, pronouns, prepositions, conjunctions, auxiliaries and particles form closed classes:
they can be listed, and ``word_lists.toml`` holds the frequent members for the languages that evaluation
campaigns use most. Open-class adverbs and adjectives are left out on purpose, and so are negations, which
carry meaning and count as content. ``WordClasses.learn`` finds the function words of another language by
their frequency in the texts of a task.
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from html import unescape
from math import ceil
from pathlib import Path
from typing import NamedTuple

from evaluation.tokens import is_punctuation, is_unspaced

_POSTPOSITIONAL = frozenset({"ja", "ko", "tr", "hi", "fi", "hu"})
"""Languages whose grammatical words follow the word that they govern."""

_FREQUENT = 0.0015
"""Share of a text above which a short word of a language without a list counts as a function word."""
_SHORT = 4
"""Letters above which a frequent word of a language without a list still counts as content."""
_LEARNABLE = 2_000
"""Words that a text must have before frequencies say anything."""
_CACHED = 300_000
"""Word types whose traits are kept; a server that sees more starts again with an empty cache."""


_CHARACTER_LETTERS = 3.0
"""Letters of an alphabet that say as much as one character of a script without spaces."""
SENTENCE_ENDS = frozenset(".!?…。！？؟।")
PAUSES = frozenset(",;:–—،؛、，；：")
_PAUSE_LETTERS = 20.0
"""Letters that separate two differences as much as a pause, which often ends a clause."""
_CHARACTER_SIZE = 0.6
"""Words that say as much as one character of a script without spaces."""
_CONJUNCTION_LETTERS = 16.0
"""Letters that separate two differences as much as a conjunction, around which they are often independent."""


class TokenClass(IntEnum):
    """What a token contributes to a phrase."""

    PUNCTUATION = 0
    FUNCTION = 1
    CONTENT = 2


class TokenTraits(NamedTuple):
    """What grouping knows about a token: its class and how much there is to read."""

    word_class: TokenClass
    letters: float
    size: float
    """1 for a word, less for a single character of a script without spaces."""


@dataclass(frozen=True, slots=True)
class WordClasses:
    """The word classes of one language; ``version`` names what they depend on."""

    function_words: frozenset[str]
    version: str
    governs_left: bool = False
    """Whether function words follow the word that they belong to."""
    conjunctions: frozenset[str] = frozenset()
    particles: frozenset[str] = frozenset()
    """Prefixes of verbs that may stand at the end of a clause."""
    _cache: dict[str, TokenTraits] = field(default_factory=dict, repr=False, compare=False)

    def describe(self, token: str) -> TokenTraits:
        """The traits of one token, cached by its text.

        >>> find_classes("en").describe("The").letters, find_classes("zh").describe("的").letters
        (3.0, 3.0)
        """
        traits = self._cache.get(token)
        if traits is None:
            if len(self._cache) >= _CACHED:
                self._cache.clear()
            unspaced = len(token) == 1 and is_unspaced(token)
            letters = len(token) * (_CHARACTER_LETTERS if is_unspaced(token) else 1.0)
            letters = _PAUSE_LETTERS if token in PAUSES else letters
            letters = _CONJUNCTION_LETTERS if token.lower() in self.conjunctions else letters
            traits = TokenTraits(self.classify(token), letters, _CHARACTER_SIZE if unspaced else 1.0)
            self._cache[token] = traits
        return traits

    def classify(self, token: str) -> TokenClass:
        """The class of one token.

        >>> [find_classes("en").classify(token).name for token in ("The", "house", ",", "not", "7")]
        ['FUNCTION', 'CONTENT', 'PUNCTUATION', 'CONTENT', 'CONTENT']
        """
        if is_punctuation(token):
            return TokenClass.PUNCTUATION
        lower = unicodedata.normalize("NFC", unescape(token)).lower().replace("’", "'")
        return TokenClass.FUNCTION if lower in self.function_words else TokenClass.CONTENT

    @classmethod
    def learn(cls, texts: Iterable[Iterable[str]], language: str = "") -> WordClasses:
        """Function words by list, or by frequency: the short words that are frequent in ``texts``.

        A text that is too small to tell gives no function words.

        >>> WordClasses.learn([["ki", "talo", "paloi"]] * 1000, "xx").classify("ki").name
        'FUNCTION'
        """
        if has_word_list(language):
            return find_classes(language)
        counts = Counter([token.lower() for text in texts for token in text])
        return cls.of(_frequent_words(counts), language)

    @classmethod
    def of(cls, words: Iterable[str], language: str = "") -> WordClasses:
        """The classes of a language without a list, from its function words."""
        function_words = frozenset(words)
        version = f"frequent-{len(function_words)}" if function_words else "none"
        return cls(function_words, version, _code(language) in _POSTPOSITIONAL)


@cache
def load_word_list(name: str) -> dict[str, frozenset[str]]:
    """Return the words of a list of ``word_lists.toml`` by language.

    >>> "the" in load_word_list("closed")["en"], sorted(load_word_list("aligner"))
    (True, ['cs', 'de', 'en', 'es', 'fr', 'ja', 'zh'])
    """
    languages = tomllib.loads(Path(__file__).with_name("word_lists.toml").read_text("utf-8"))
    lists = {
        code: frozenset(
            word for names, words in groups.items() if name in names.split() for word in words.split()
        )
        for code, groups in languages.items()
    }
    return {code: words for code, words in lists.items() if words}


@cache
def find_classes(language: str = "") -> WordClasses:
    """The word classes of a language by its list; without a list every word counts as content.

    >>> find_classes("pt-BR").version
    'closed-pt'
    """
    code = _code(language)
    words, conjunctions, particles = (
        load_word_list(name).get(code, frozenset()) for name in ("closed", "conjunction", "particle")
    )
    version = f"closed-{code}" if words else "none"
    return WordClasses(words, version, code in _POSTPOSITIONAL, conjunctions, particles)


def has_word_list(language: str) -> bool:
    return _code(language) in load_word_list("closed")


def _code(language: str) -> str:
    return language.lower().replace("_", "-").split("-")[0]


def _frequent_words(counts: Mapping[str, int]) -> list[str]:
    total = sum(counts.values())
    if total < _LEARNABLE:
        return []
    least = ceil(_FREQUENT * total)
    return [w for w, n in counts.items() if n >= least and len(w) <= _SHORT and not any(map(str.isdigit, w))]
