"""Classifies what differs between two phrases, from their words.

Rules, not a model: each is one line that a researcher can check. A pair may show several phenomena (a number
and a negation); a pair that shows none of the special ones is *word choice*. The two phrases have no order:
exchanging them changes nothing.

*Omission* and *insertion* need something to compare with: words that only one candidate has are missing from
the other where a reference has them too, and superfluous where it has not. Without a reference in the
language of the candidates the pair is *only on one side*.

*Names*, *function words* and *inflection* are recognised by the tags of the sentences where there are any.
Without tags, names are recognised by their capitals: the first word of a sentence has one whatever it is, so
there it is a name only where a reference writes it with a capital further on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum

from evaluation.phenomena.words import ByLists, ByTags, Lexicon, digits
from evaluation.tokens import is_punctuation
from evaluation.word_classes import Words


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


_IN_ORDER = tuple(Phenomenon)  # going through an enumeration takes three times as long


def phenomena(
    first: Sequence[str],
    second: Sequence[str],
    *,
    language: str,
    moved: bool = False,
    reference: Sequence[str] | None = None,
    begins: bool = False,
    words: Words | None = None,
) -> tuple[Phenomenon, ...]:
    """The phenomena that two phrases show, in the order of ``Phenomenon``; never empty.

    ``begins``: one of the phrases stands at the beginning of its sentence.
    ``words``: what a tagger says about the words of the two sentences.

    >>> [p.value for p in phenomena(["saw", "12", "cats"], ["saw", "21", "cats"], language="en")]
    ['number']
    >>> [p.value for p in phenomena(["did", "not", "go"], ["went"], language="en")]
    ['negation', 'word choice']
    >>> [p.value for p in phenomena(["walked"], ["walks"], language="en")]
    ['inflection']
    >>> [p.value for p in phenomena(["old"], [], language="en", reference=["an", "old", "man"])]
    ['omission']
    """
    if begins:
        first, second = _without_capitals(first, second, reference)
    lists = ByLists(language_code(language))
    lexicon = lists if words is None else ByTags(words, lists)
    found = set(_about_position(first, second, moved, reference))
    only = _differing(first, second)
    if first and second:
        found |= _about_words(only, lexicon)
        if not found:
            found.add(Phenomenon.CHOICE)
    else:
        found |= {p for p in _special(only, lexicon) if p is not Phenomenon.NAME}
    return tuple([p for p in _IN_ORDER if p in found])


def _without_capitals(
    first: Sequence[str], second: Sequence[str], reference: Sequence[str] | None
) -> Iterator[Sequence[str]]:
    """Both with a small first letter, unless a reference shows that one of them has a capital of its own."""
    places = [
        next((n for n, word in enumerate(words) if not is_punctuation(word)), None)
        for words in (first, second)
    ]
    begun = [words[n] for words, n in zip((first, second), places, strict=True) if n is not None]
    own = any(word in (reference or ())[1:] for word in begun)
    for words, n in zip((first, second), places, strict=True):
        if own or n is None or words[n].isupper():
            yield words
        else:
            yield [*words[:n], words[n][:1].lower() + words[n][1:], *words[n + 1 :]]


def _about_position(
    first: Sequence[str], second: Sequence[str], moved: bool, reference: Sequence[str] | None
) -> set[Phenomenon]:
    if not first or not second:
        return {_one_sided(first or second, reference)}
    same_words = sorted(map(str.lower, first)) == sorted(map(str.lower, second))
    exchanged = [word.lower() for word in first] != [word.lower() for word in second]
    return {Phenomenon.ORDER} if moved or (same_words and exchanged) else set()


def _one_sided(words: Sequence[str], reference: Sequence[str] | None) -> Phenomenon:
    """Omission where the reference has at least half of the words, insertion where it has fewer."""
    if reference is None:
        return Phenomenon.ONE_SIDED
    lowered = {word.lower() for word in reference}
    shared = sum(word.lower() in lowered for word in words)
    return Phenomenon.OMISSION if 2 * shared >= len(words) else Phenomenon.INSERTION


Only = tuple[list[str], list[str]]


def _differing(first: Sequence[str], second: Sequence[str]) -> Only:
    """The words that only one of the phrases has, counted: what both have explains nothing."""
    if set(first).isdisjoint(second):
        return list(first), list(second)
    of_first, of_second = Counter(first), Counter(second)
    return list((of_first - of_second).elements()), list((of_second - of_first).elements())


def _about_words(only: Only, lexicon: Lexicon) -> set[Phenomenon]:
    one, other = ([word for word in words if not is_punctuation(word)] for words in only)
    if _plain(one) == _plain(other):
        return {Phenomenon.SPELLING} if only[0] or only[1] else set()
    found = _special((one, other), lexicon)
    one, other = ([word for word in words if not _explained(word, found, lexicon)] for words in (one, other))
    content = [
        sorted([lexicon.base(w) for w in words if not lexicon.is_function(w)]) for words in (one, other)
    ]
    if content[0] or content[1]:
        found.add(Phenomenon.INFLECTION if content[0] == content[1] else Phenomenon.CHOICE)
    elif one or other:
        found.add(Phenomenon.FUNCTION_WORD)
    return found


def language_code(language: str) -> str:
    """The language alone.

    >>> language_code("pt_BR")
    'pt'
    """
    return language.lower().replace("_", "-").split("-")[0]


def _plain(words: Sequence[str]) -> list[str]:
    """Without case, order, and what separates digits."""
    return sorted([digits(word) or word.lower() for word in words])


def _special(only: Only, lexicon: Lexicon) -> set[Phenomenon]:
    """Numbers, negations and names that one side has and the other has not."""
    found: set[Phenomenon] = set()
    if _numbers(only[0], lexicon) != _numbers(only[1], lexicon):
        found.add(Phenomenon.NUMBER)
    if any(map(lexicon.is_negation, only[0])) != any(map(lexicon.is_negation, only[1])):
        found.add(Phenomenon.NEGATION)
    if _names(only[0], lexicon) != _names(only[1], lexicon):
        found.add(Phenomenon.NAME)
    return found


def _explained(word: str, found: Collection[Phenomenon], lexicon: Lexicon) -> bool:
    """Whether a word belongs to a phenomenon that was named already."""
    return (
        (Phenomenon.NUMBER in found and bool(lexicon.number(word)))
        or (Phenomenon.NEGATION in found and lexicon.is_negation(word))
        or (Phenomenon.NAME in found and lexicon.is_name(word))
    )


def _numbers(words: Sequence[str], lexicon: Lexicon) -> list[str]:
    return sorted([number for number in map(lexicon.number, words) if number])


def _names(words: Sequence[str], lexicon: Lexicon) -> set[str]:
    return {word.lower() for word in words if lexicon.is_name(word)}
