"""Classify the difference between two phrases from their words.

Rules, not a model: each is one line that a researcher can check. A pair may show several phenomena (a number
and a negation); a pair without a special one is *word choice*. The order of the two phrases does not matter.

*Omission* and *insertion* need a reference: words of only one candidate are missing from the other if the
reference has them too, and superfluous if not. Without a reference in the language of the candidates the pair
is *only on one side*.

*Names*, *function words* and *inflection* are recognised by the tags of the sentences where they exist.
Without tags, names are recognised by their capital letters. The first word of a sentence is always
capitalised, so it is a name only where a reference capitalises it inside the sentence.

Without tags, *function word* and *negation* need word lists for the language; without lists, such a
difference counts as word choice, and the report says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from evaluation.alignment.vocabulary import FUNCTION_WORDS, load_stemmer
from evaluation.alignment.word_classes import load_word_list
from evaluation.tokens import is_punctuation
from evaluation.voters import TaggedWord, WordClass, Words


class Phenomenon(StrEnum):
    ORDER = "word order"
    OMISSION = "omission"
    INSERTION = "insertion"
    ONE_SIDED = "only on one side"
    NUMBER = "number"
    NEGATION = "negation"
    NAME = "name"
    INFLECTION = "inflection"
    FUNCTION_WORD = "function word"
    SPELLING = "case and punctuation"
    CHOICE = "word choice"


_IN_ORDER = tuple(Phenomenon)  # iterating over the enumeration itself takes three times as long
OnlyWords = tuple[list[str], list[str]]  # words of the first phrase only, and of the second phrase only


def classify_pair(
    first: Sequence[str],
    second: Sequence[str],
    *,
    language: str,
    moved: bool = False,
    reference: Sequence[str] | None = None,
    begins: bool = False,
    words: Words | None = None,
) -> tuple[Phenomenon, ...]:
    """Return the phenomena of two phrases in the order of ``Phenomenon``; never empty.

    ``begins``: one of the phrases is at the beginning of its sentence.
    ``words``: the tagged words of the two sentences.

    >>> [p.value for p in classify_pair(["saw", "12", "cats"], ["saw", "21", "cats"], language="en")]
    ['number']
    >>> [p.value for p in classify_pair(["did", "not", "go"], ["went"], language="en")]
    ['negation', 'word choice']
    >>> [p.value for p in classify_pair(["walked"], ["walks"], language="en")]
    ['inflection']
    >>> [p.value for p in classify_pair(["old"], [], language="en", reference=["an", "old", "man"])]
    ['omission']
    """
    if begins:
        first, second = _lower_first_words(first, second, reference)
    classifier = WordClassifier(language_code(language), words or {})
    phenomena = set(_classify_position(first, second, moved, reference))
    only = _only_words(first, second)
    if first and second:
        phenomena |= _classify_words(only, classifier)
        if not phenomena:
            phenomena.add(Phenomenon.CHOICE)
    else:
        phenomena |= {p for p in _special_phenomena(only, classifier) if p is not Phenomenon.NAME}
    return tuple([p for p in _IN_ORDER if p in phenomena])


def language_code(language: str) -> str:
    """Return the language without region or script.

    >>> language_code("pt_BR")
    'pt'
    """
    return language.lower().replace("_", "-").split("-")[0]


def _lower_first_words(
    first: Sequence[str], second: Sequence[str], reference: Sequence[str] | None
) -> Iterator[Sequence[str]]:
    """Yield both phrases with a lower-case first word, unless the reference has one inside the sentence."""
    phrases = (first, second)
    positions = [
        next((n for n, word in enumerate(words) if not is_punctuation(word)), None) for words in phrases
    ]
    first_words = [words[n] for words, n in zip(phrases, positions, strict=True) if n is not None]
    is_capitalised = any(word in (reference or ())[1:] for word in first_words)
    for words, n in zip(phrases, positions, strict=True):
        if is_capitalised or n is None or words[n].isupper():
            yield words
        else:
            yield [*words[:n], words[n][:1].lower() + words[n][1:], *words[n + 1 :]]


def _classify_position(
    first: Sequence[str], second: Sequence[str], moved: bool, reference: Sequence[str] | None
) -> set[Phenomenon]:
    if not first or not second:
        return {_classify_one_sided(first or second, reference)}
    lower_first, lower_second = ([word.lower() for word in words] for words in (first, second))
    is_reordered = lower_first != lower_second and sorted(lower_first) == sorted(lower_second)
    return {Phenomenon.ORDER} if moved or is_reordered else set()


def _classify_one_sided(words: Sequence[str], reference: Sequence[str] | None) -> Phenomenon:
    """Omission if the reference has at least half of the words, else insertion."""
    if reference is None:
        return Phenomenon.ONE_SIDED
    reference_words = {word.lower() for word in reference}
    shared = sum(word.lower() in reference_words for word in words)
    return Phenomenon.OMISSION if 2 * shared >= len(words) else Phenomenon.INSERTION


def _only_words(first: Sequence[str], second: Sequence[str]) -> OnlyWords:
    """Return the words that only one of the phrases has, with multiplicity."""
    if set(first).isdisjoint(second):
        return list(first), list(second)
    first_counts, second_counts = Counter(first), Counter(second)
    return list((first_counts - second_counts).elements()), list((second_counts - first_counts).elements())


def _classify_words(only: OnlyWords, classifier: WordClassifier) -> set[Phenomenon]:
    first, second = ([word for word in words if not is_punctuation(word)] for words in only)
    if _normalise(first) == _normalise(second):
        return {Phenomenon.SPELLING} if only[0] or only[1] else set()
    phenomena = _special_phenomena((first, second), classifier)
    first, second = (
        [word for word in words if not _is_explained(word, phenomena, classifier)]
        for words in (first, second)
    )
    content = [
        sorted([classifier.base(word) for word in words if not classifier.is_function(word)])
        for words in (first, second)
    ]
    if content[0] or content[1]:
        phenomena.add(Phenomenon.INFLECTION if content[0] == content[1] else Phenomenon.CHOICE)
    elif first or second:
        phenomena.add(Phenomenon.FUNCTION_WORD)
    return phenomena


def _normalise(words: Sequence[str]) -> list[str]:
    """Remove case, order, and separators between digits."""
    return sorted([extract_digits(word) or word.lower() for word in words])


def _special_phenomena(only: OnlyWords, classifier: WordClassifier) -> set[Phenomenon]:
    """Return whether numbers, negations and names differ between the two sides."""
    phenomena: set[Phenomenon] = set()
    if _numbers(only[0], classifier) != _numbers(only[1], classifier):
        phenomena.add(Phenomenon.NUMBER)
    if any(map(classifier.is_negation, only[0])) != any(map(classifier.is_negation, only[1])):
        phenomena.add(Phenomenon.NEGATION)
    if _names(only[0], classifier) != _names(only[1], classifier):
        phenomena.add(Phenomenon.NAME)
    return phenomena


def _is_explained(word: str, phenomena: Collection[Phenomenon], classifier: WordClassifier) -> bool:
    """Whether a word belongs to one of the special phenomena."""
    return (
        (Phenomenon.NUMBER in phenomena and bool(classifier.number(word)))
        or (Phenomenon.NEGATION in phenomena and classifier.is_negation(word))
        or (Phenomenon.NAME in phenomena and classifier.is_name(word))
    )


def _numbers(words: Sequence[str], classifier: WordClassifier) -> list[str]:
    return sorted([number for number in map(classifier.number, words) if number])


def _names(words: Sequence[str], classifier: WordClassifier) -> set[str]:
    return {word.lower() for word in words if classifier.is_name(word)}


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
