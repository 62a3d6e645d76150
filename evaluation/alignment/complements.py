"""Complements: differences at two places of a sentence that are one question, because they say one thing.

Three kinds are found. In the first, the content words that only one sentence has at one place are at another
place of the other sentence, up to their endings. In the second, one sentence has a word at the end of a
clause that the other does not have there: the second part of a verb (*has … closed* for *closes*) or its
separable prefix (*stellt … her* for *erzeugt*). It belongs to the nearest difference before it in which the
other sentence has more content, which holds the first part of the verb; a prefix needs no such sign. In the
third, one sentence has content alone and, a few words further, the other (*above all* here, *in particular*
there).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from evaluation.alignment.differences import Difference, is_island
from evaluation.alignment.sides import DescribedAlignment, Side
from evaluation.alignment.values import Span
from evaluation.alignment.word_classes import TokenClass, load_word_list

_KIN = 4  # letters at the beginning that words of one stem have in common
_FEW = 4  # content words of one sentence that are looked for elsewhere in the other
_BETWEEN = 3  # words between two differences of which each sentence has one alone
_ENDING = 2  # words at the end of a clause that may be the end of its verb

_NEGATIONS = frozenset[str]().union(*load_word_list("negation").values())

Pair = tuple[int, int]


def find_complements(
    text: DescribedAlignment, hulls: Mapping[int, Difference], particles: Collection[str]
) -> list[Pair]:
    """Pairs of differences, by their keys, that are one question: common words first, then the nearest."""
    stems = {key: (list_stems(text.a, hull.a), list_stems(text.b, hull.b)) for key, hull in hulls.items()}
    pairs = [(True, other - one, (one, other)) for one, other in _find_exchanges(text, hulls)]
    for one, hull in hulls.items():
        if not hull.is_one_sided:
            continue
        here = 0 if hull.b[0] == hull.b[1] else 1
        pairs += [
            (False, abs(one - other), (min(one, other), max(one, other)))
            for other, there in stems.items()
            if other != one and _says_same(stems[one][here], there[here], there[1 - here])
        ]
        first = _find_first_part(text, hulls, one, particles)
        if first is not None:
            pairs.append((True, one - first, (first, one)))
    return [pair for _, _, pair in sorted(set(pairs))]


def _find_exchanges(text: DescribedAlignment, hulls: Mapping[int, Difference]) -> Iterator[Pair]:
    """Neighbours of which one sentence has the first alone and the other the second, with content in both."""
    keys = sorted(hulls)
    for one, other in pairwise(keys):
        first, last = hulls[one], hulls[other]
        content = text.find_content(first)
        is_exchange = first.is_one_sided and last.is_one_sided and content[0] != content[1]
        if is_exchange and text.find_content(last) == content[::-1]:
            between = Difference((first.a[1], last.a[0]), (first.b[1], last.b[0]), [])
            is_stopped = text.a.has_stop(between.a) or text.b.has_stop(between.b)
            if not is_stopped and text.measure(between) <= _BETWEEN:
                yield one, other


def _says_same(words: set[str], beside: set[str], opposite: set[str]) -> bool:
    """Whether words of one sentence are at another place of the other, and at that place only there."""
    return not words.isdisjoint(opposite) and words.isdisjoint(beside)


def _find_first_part(
    text: DescribedAlignment, hulls: Mapping[int, Difference], one: int, particles: Collection[str]
) -> int | None:
    """The difference that a one-sided one at the end of a clause belongs to, in the same clause."""
    in_a = hulls[one].b[0] == hulls[one].b[1]
    side = text.a if in_a else text.b
    span = hulls[one].a if in_a else hulls[one].b
    if not _is_verb_ending(side, span, particles):
        return None
    has_particle = _is_particle(side, span, particles)
    for other in sorted([key for key in hulls if key < one], reverse=True):
        hull = hulls[other]
        before = hull.a if in_a else hull.b
        if side.has_stop((before[1], span[0])):
            return None
        surplus = text.count_content(hull)
        if before[0] < before[1] and (
            (surplus < 0 if in_a else surplus > 0) or (has_particle and not hull.is_one_sided)
        ):
            return other
    return None


def _is_verb_ending(side: Side, span: Span, particles: Collection[str]) -> bool:
    """Whether one or two words at the end of a clause may be the second part of a verb."""
    words = span[1] - span[0] - side.count(TokenClass.PUNCTUATION, span)
    if not 0 < words <= _ENDING or not side.ends_clause(span[1]):
        return False
    return side.has(TokenClass.CONTENT, span) or _is_particle(side, span, particles)


def _is_particle(side: Side, span: Span, particles: Collection[str]) -> bool:
    return side.tokens[span[0]].lower() in particles and span[1] - span[0] == 1


def is_elsewhere(text: DescribedAlignment, group: Sequence[int]) -> bool:
    """Whether most content words of a one-sided group stand among the differences of the other sentence.

    *Nothing here* would be wrong then. A negation is never taken for another one.
    """
    phrases = text.alignment.phrases
    of_a = [p.a for number in group if (p := phrases[number]).a]
    of_b = [p.b for number in group if (p := phrases[number]).b]
    if of_a and of_b:
        return False
    side, spans, other = (text.a, of_a, text.b) if of_a else (text.b, of_b, text.a)
    words = _list_all_stems(side, filter(None, spans))
    tokens = {token.lower() for span in spans if span for token in side.tokens[slice(*span)]}
    if not 0 < len(words) <= _FEW or not tokens.isdisjoint(_NEGATIONS) or _has_characters(side, spans):
        return False
    differing = [p.b if of_a else p.a for p in phrases if not is_island(p)]
    return 2 * len(words & _list_all_stems(other, filter(None, differing))) > len(words)


def _has_characters(side: Side, spans: Iterable[Span | None]) -> bool:
    """Whether any word is a character of a script without spaces, which says too little."""
    return any(side.measure(span) < span[1] - span[0] for span in spans if span)


def _list_all_stems(side: Side, spans: Iterable[Span]) -> set[str]:
    return {stem for span in spans for stem in list_stems(side, span)}


def fold(token: str) -> str:
    """A token in lower case without accents.

    >>> fold("Álvarez")
    'alvarez'
    """
    lower = token.lower()
    if lower.isascii():
        return lower
    return "".join([char for char in unicodedata.normalize("NFD", lower) if not unicodedata.combining(char)])


def list_stems(side: Side, span: Span) -> set[str]:
    """The content words of a span by their first letters; short ones and numbers whole."""
    words = [
        fold(token)
        for token, word_class in zip(side.tokens[slice(*span)], side.classes[slice(*span)], strict=True)
        if word_class is TokenClass.CONTENT
    ]
    return {word if any(map(str.isdigit, word)) else word[: max(_KIN, len(word) * 2 // 3)] for word in words}
