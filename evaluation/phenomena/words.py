"""Classes of single words, from small word lists or from a tagger.

Without tags, *function word* and *negation* need word lists for the language; without lists, such a
difference counts as word choice, and the report says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from evaluation.alignment.vocabulary import FUNCTION_WORDS, load_stemmer
from evaluation.alignment.word_classes import load_word_list
from evaluation.voters import TaggedWord, WordClass, Words

NOUNS_ARE_CAPITALISED = frozenset({"de", "lb"})
NEGATIONS = load_word_list("negation")
# The aligner's list has no words of up to three letters, which matter most here.
SHORT_WORDS = load_word_list("phenomena")


def has_word_lists(language: str) -> bool:
    """Whether lists of function words and negations exist for this language."""
    return language in SHORT_WORDS


def is_function_word(lower: str, language: str) -> bool:
    """Whether a word (in lower case) is a function word.

    >>> is_function_word("the", "en"), is_function_word("while", "en"), is_function_word("house", "en")
    (True, True, False)
    """
    return lower in SHORT_WORDS.get(language, ()) or (has_word_lists(language) and lower in FUNCTION_WORDS)


@dataclass(frozen=True, slots=True)
class WordClassifier:
    """Classifies words in their spelling in the phrase (language ``en``, not ``en-GB``).

    By the tags of the sentences; where a word has no tag, by word lists, capital letters and Snowball stems.
    """

    language: str
    words: Words = field(default_factory=dict)

    def is_function(self, word: str) -> bool:
        if tagged := self._find_tag(word):
            return tagged.kind is WordClass.FUNCTION
        return is_function_word(word.lower(), self.language)

    def is_negation(self, word: str) -> bool:
        """Always looked up in the lists too, because most taggers have no tag for negations."""
        tagged = self._find_tag(word)
        is_listed = word.lower() in NEGATIONS.get(self.language, ())
        return is_listed or (tagged is not None and tagged.kind is WordClass.NEGATION)

    def is_name(self, word: str) -> bool:
        """Capitalised and not a function word; all capitals where nouns are capitalised, as in German."""
        if tagged := self._find_tag(word):
            return tagged.kind is WordClass.NAME
        if self.language in NOUNS_ARE_CAPITALISED:
            return len(word) > 1 and word.isupper() and word.isalpha()
        return word[:1].isupper() and not self.is_function(word)

    def number(self, word: str) -> str:
        """The number that a word denotes, else an empty text.

        Digits only, so that 1,000 equals 1000, or a number word; not “one”, which is too often an article.
        """
        tagged = self._find_tag(word)
        is_number = tagged and tagged.kind is WordClass.NUMBER and tagged.base not in ("one", "ein")
        return extract_digits(word) or (word.lower() if is_number else "")

    def base(self, word: str) -> str:
        """The base form: equal for all forms of a word."""
        tagged = self._find_tag(word)
        return tagged.base if tagged else _stem(self.language, word.lower())

    def _find_tag(self, word: str) -> TaggedWord | None:
        return self.words.get(word.lower()) if self.words else None


# A report classifies the words of every pair, and the same words recur.
_stemmer_of = lru_cache(maxsize=32)(load_stemmer)


@lru_cache(maxsize=2**16)
def _stem(language: str, lower: str) -> str:
    return _stemmer_of(language)[0](lower)


@lru_cache(maxsize=2**16)
def extract_digits(word: str) -> str:
    """Return the digits of a word.

    >>> extract_digits("1,000")
    '1000'
    """
    return "".join(filter(str.isdigit, word))
