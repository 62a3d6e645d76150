"""Word types for the lexical aligner: function words, stems, senses, and which words may match.

Stems, senses and character pairs are costly. They are computed once per type, cached, and only for words
without an equal word in the other sentence; a task has far fewer types than tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from unicodedata import normalize

from evaluation.alignment.word_classes import load_word_list
from evaluation.alignment.wordnet import WordNet, find_wordnet
from evaluation.tokens import is_punctuation, is_unspaced

Match = tuple[int, int, int, bool, bool]
"""A possible link i–j, its weight and two flags: *firm* (equal up to case or ending, so it may be part of a
block that moved) and *content* (firm and a content word, so it may have moved alone). A plain tuple, because
there are dozens for each sentence pair."""

# Shorter words never count as moved on their own, so they need no list. A word that is a content word in
# another language still moves together with its neighbours, so one set serves all languages.
FUNCTION_WORDS = frozenset().union(*load_word_list("aligner").values())
LONG_ENOUGH = 4
"""The minimum length of a content word in letters; a character of a script without spaces counts as two."""

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
}  # fmt: skip
_MAX_CACHED = 300_000  # types; beyond this the cache is cleared, so that a server's memory stays bounded

CONTENT, FUNCTION, PUNCTUATION = 10, 6, 4  # weights of exact matches
CASE_COST, ENDING_COST = 1, 2  # subtracted where case or ending differs
SYNONYM, SIMILAR = 6, 4
SIMILARITY = 0.5  # minimum Dice coefficient of the character pairs of two words with the same initial
MAX_POSITIONS = 12  # a more frequent word type is matched with its nearest positions only


class WordType:
    """One distinct token. Stem, senses and character pairs are filled in when they are first needed."""

    __slots__ = ("content", "initial", "lower", "pairs", "senses", "spelled", "stem", "token", "weight")

    def __init__(self, token: str) -> None:
        self.token = token
        self.lower = lower = token.lower()
        self.initial = normalize("NFD", lower)[:1]  # without accent: names are often written without
        number = any(char.isdigit() for char in lower)
        punctuation = is_punctuation(token)
        self.spelled = len(lower) >= LONG_ENOUGH and not punctuation and not number
        self.content = is_content(token)
        self.weight = CONTENT if self.content else PUNCTUATION if punctuation else FUNCTION
        self.stem = ""
        self.senses: frozenset[str] = frozenset()
        self.pairs: frozenset[str] = frozenset()


class Vocabulary:
    """The word types of one language."""

    def __init__(self, language: str, wordnet: WordNet | None = None, *, synonyms: bool = True) -> None:
        code = language.lower().replace("_", "-").split("-")[0]
        self._stem, stemmer = load_stemmer(code)
        self._wordnet = wordnet or (find_wordnet() if synonyms and code == "en" else None)
        self._types: dict[str, WordType] = {}
        self.version = f"stem={stemmer} synonyms={self._wordnet.name if self._wordnet else 'none'}"

    def list_matches(self, a: Sequence[str], b: Sequence[str]) -> list[Match]:
        """Return all possible matches: of words that are equal up to case, then looser ones."""
        of_a, of_b = self._look_up(a), self._look_up(b)
        positions_of: dict[str, list[int]] = {}
        for j, word in enumerate(of_b):
            positions_of.setdefault(word.lower, []).append(j)
        matches: list[Match] = []
        unmatched_a: list[int] = []
        for i, word in enumerate(of_a):
            if word.lower not in positions_of:
                if word.spelled:
                    unmatched_a.append(i)
                continue
            positions, weight, content = positions_of[word.lower], word.weight, word.content
            if len(positions) > MAX_POSITIONS:
                positions = _nearest(i, positions, len(a), len(b))
            for j in positions:
                matches.append((i, j, weight if word is of_b[j] else weight - CASE_COST, True, content))
        if unmatched_a:
            matched = {word.lower for word in of_a}
            unmatched_b = [j for j, word in enumerate(of_b) if word.spelled and word.lower not in matched]
            if unmatched_b:
                matches += self._match_loosely(of_a, of_b, unmatched_a, unmatched_b)
        return matches

    def _match_loosely(
        self, of_a: list[WordType], of_b: list[WordType], unmatched_a: list[int], unmatched_b: list[int]
    ) -> list[Match]:
        """Match by stem; words without a common stem by sense or spelling."""
        self._describe([of_a[i] for i in unmatched_a])
        self._describe([of_b[j] for j in unmatched_b])
        common = {of_a[i].stem for i in unmatched_a}.intersection([of_b[j].stem for j in unmatched_b])
        matches: list[Match] = []
        if common:
            by_stem: dict[str, list[int]] = {}
            for j in unmatched_b:
                by_stem.setdefault(of_b[j].stem, []).append(j)
            for i in unmatched_a:
                word = of_a[i]
                if word.stem in common:
                    positions = by_stem[word.stem][:MAX_POSITIONS]
                    matches += [(i, j, word.weight - ENDING_COST, True, word.content) for j in positions]
        left = [i for i in unmatched_a if of_a[i].content and of_a[i].stem not in common]
        right = [j for j in unmatched_b if of_b[j].content and of_b[j].stem not in common]
        if left and right:
            matches += _match_by_sense_or_spelling(of_a, of_b, left, right)
        return matches

    def _describe(self, words: list[WordType]) -> None:
        """Fill in stem, senses and character pairs of new types."""
        for word in words:
            if word.stem:
                continue
            word.stem = self._stem(word.lower) or word.lower
            if word.content:
                word.senses = self._wordnet.senses(word.lower) if self._wordnet else frozenset()
                word.pairs = frozenset(map("".join, zip(f" {word.lower}", f"{word.lower} ", strict=True)))

    def _look_up(self, tokens: Sequence[str]) -> list[WordType]:
        types = self._types
        try:
            return [types[token] for token in tokens]
        except KeyError:
            if len(types) > _MAX_CACHED:
                types.clear()
        for token in tokens:
            if token not in types:
                types[token] = WordType(token)
        return [types[token] for token in tokens]


def is_content(word: str) -> bool:
    """Whether a word is a content word: a number, or long enough and not grammatical.

    >>> is_content("house"), is_content("1995"), is_content("their"), is_content("the"), is_content("昨天")
    (True, True, False, False, True)
    """
    lower = word.lower()
    if any(char.isdigit() for char in lower):
        return True
    letters = len(lower) * (2 if is_unspaced(lower) else 1)
    return letters >= LONG_ENOUGH and lower not in FUNCTION_WORDS and not is_punctuation(word)


def load_stemmer(code: str) -> tuple[Callable[[str], str], str]:
    """Return a stemming function and its name; languages that Snowball does not know are not stemmed."""
    if code not in _STEMMERS:
        return str, "none"
    from nltk.stem.snowball import SnowballStemmer  # here, because it is slow to import

    return SnowballStemmer(_STEMMERS[code]).stem, f"snowball-{_STEMMERS[code]}"


def _nearest(i: int, positions: list[int], n: int, m: int) -> list[int]:
    """Return the positions of a very frequent word that are nearest in proportion."""
    return sorted(positions, key=lambda j: (abs(i * m - j * n), j))[:MAX_POSITIONS]


def _match_by_sense_or_spelling(
    of_a: list[WordType], of_b: list[WordType], left: list[int], right: list[int]
) -> Iterator[Match]:
    by_initial: dict[str, list[int]] = {}
    for j in right:
        by_initial.setdefault(of_b[j].initial, []).append(j)
    with_senses = [j for j in right if of_b[j].senses]
    for i in left:
        word = of_a[i]
        if word.senses:
            for j in with_senses:
                if not word.senses.isdisjoint(of_b[j].senses):
                    yield i, j, SYNONYM, False, False
        for j in by_initial.get(word.initial, ()):
            if _are_similar(word, of_b[j]) and word.senses.isdisjoint(of_b[j].senses):
                yield i, j, SIMILAR, False, False


def _are_similar(word: WordType, other: WordType) -> bool:
    return 2 * len(word.pairs & other.pairs) >= SIMILARITY * (len(word.pairs) + len(other.pairs))
