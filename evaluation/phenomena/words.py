"""What is known about single words, from small word lists or from a tagger.

Without tags, *function word* and *negation* need a word list for the language; without one, such a difference
counts as word choice, and the report says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

from evaluation.alignment.function_words import FUNCTION_WORDS
from evaluation.alignment.vocabulary import snowball
from evaluation.word_classes import Word, WordClass, Words

NOUNS_ARE_CAPITALISED = frozenset({"de", "lb"})


def _lists(**lists: str) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in lists.items()}


NEGATIONS = _lists(
    en="""
        no not n't never none nothing nobody neither nor nowhere without cannot can't don't doesn't didn't
        won't wouldn't isn't aren't wasn't weren't hasn't haven't hadn't couldn't shouldn't mustn't
    """,
    de="""
        nicht nichts nie niemals niemand niemanden niemandem nirgends nirgendwo kein keine keinen keinem
        keiner keines keinerlei weder noch ohne nein
    """,
    fr="ne n' pas jamais rien personne aucun aucune ni sans non nulle nul",
    es="no nunca jamás nada nadie ningún ninguna ninguno ni sin tampoco",
    cs="ne nikdy nic nikdo žádný žádná žádné ani bez není nejsou nebyl nebyla nebylo",
)

# The aligner's list leaves out words of up to three letters, which here matter most.
SHORT_WORDS = _lists(
    en="""
        a an the of to in on at by for as is are was be has had do did can may and or but if so it he she we
        you i me him her us my our its his not no than that this with from who how all any out up off per via
    """,
    de="""
        der die das den dem des ein um am an im in zu zum zur auf aus bei mit von vom vor für und ob als wie
        so da wo ist war hat er sie es wir ihr ich du man sich mir mich dir dich uns ihm ihn ins ans nur
    """,
    fr="""
        le la les l' un une des du de d' à au aux en et ou où que qu' qui quoi ce c' se s' sa son ses il on je
        tu me te y ne n' pas par sur est sont a ont si ni car
    """,
    es="""
        el la los las un una de del a al en y e o u que se su sus lo le les me te es son por con sin si ni no
        ya más muy
    """,
    cs="""
        a i o u v ve k ke s se z ze na za po do od pro při že si je jsem jsou by ale ani co to ta ten který
    """,
)


def knows(language: str) -> bool:
    """Whether there are lists of function words and negations for this language."""
    return language in SHORT_WORDS


def is_function_word(lower: str, language: str) -> bool:
    """Whether a word (in small letters) is a grammatical one.

    >>> is_function_word("the", "en"), is_function_word("while", "en"), is_function_word("house", "en")
    (True, True, False)
    """
    return lower in SHORT_WORDS.get(language, ()) or (knows(language) and lower in FUNCTION_WORDS)


class Lexicon(Protocol):
    """What the rules ask about a word, given as it is written in the phrase."""

    def is_function(self, word: str) -> bool: ...
    def is_negation(self, word: str) -> bool: ...
    def is_name(self, word: str) -> bool: ...
    def number(self, word: str) -> str:
        """The number that a word says, empty where it says none."""

    def base(self, word: str) -> str:
        """Equal for the forms of one word."""


@dataclass(frozen=True, slots=True)
class ByLists:
    """Word lists, capitals and Snowball stems of a language (``en``, not ``en-GB``)."""

    language: str

    def is_function(self, word: str) -> bool:
        return is_function_word(word.lower(), self.language)

    def is_negation(self, word: str) -> bool:
        return word.lower() in NEGATIONS.get(self.language, ())

    def is_name(self, word: str) -> bool:
        """Capitalised and no function word; in German, where all nouns are, in capitals only."""
        if self.language in NOUNS_ARE_CAPITALISED:
            return len(word) > 1 and word.isupper() and word.isalpha()
        return word[:1].isupper() and not self.is_function(word)

    def number(self, word: str) -> str:
        """Digits only, so that 1,000 and 1000 are one number."""
        return digits(word)

    def base(self, word: str) -> str:
        return _stem(self.language, word.lower())


# A report asks about the words of every pair; a language has few words, and they come again and again.
_stemmer_of = lru_cache(maxsize=32)(snowball)


@lru_cache(maxsize=2**16)
def _stem(language: str, lower: str) -> str:
    return _stemmer_of(language)[0](lower)


@lru_cache(maxsize=2**16)
def digits(word: str) -> str:
    """
    >>> digits("1,000")
    '1000'
    """
    return "".join(filter(str.isdigit, word))


@dataclass(frozen=True, slots=True)
class ByTags:
    """The tags of the sentences from which the phrases come; lists for a word that the tagger has not.

    Words of negation are a closed list in every language, and most taggers have no tag for them.
    """

    words: Words
    lists: ByLists

    def is_function(self, word: str) -> bool:
        tagged = self._tagged(word)
        return tagged.kind is WordClass.FUNCTION if tagged else self.lists.is_function(word)

    def is_negation(self, word: str) -> bool:
        tagged = self._tagged(word)
        return self.lists.is_negation(word) or (tagged is not None and tagged.kind is WordClass.NEGATION)

    def is_name(self, word: str) -> bool:
        tagged = self._tagged(word)
        return tagged.kind is WordClass.NAME if tagged else self.lists.is_name(word)

    def number(self, word: str) -> str:
        """Digits, or a number in words; “one” is too often an article."""
        tagged = self._tagged(word)
        said = tagged is not None and tagged.kind is WordClass.NUMBER and tagged.base not in ("one", "ein")
        return self.lists.number(word) or (word.lower() if said else "")

    def base(self, word: str) -> str:
        tagged = self._tagged(word)
        return tagged.base if tagged else self.lists.base(word)

    def _tagged(self, word: str) -> Word | None:
        return self.words.get(word.lower())
