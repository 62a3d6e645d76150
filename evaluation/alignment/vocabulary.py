"""What the lexical matcher knows about each word type, and which words of two sentences may match.

Everything costly (stem, senses, character pairs) is computed once per type and remembered, and only for words
that found no equal one. This is what makes the matcher fast: a task has far fewer types than tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evaluation.alignment.function_words import LONG_ENOUGH, is_content
from evaluation.alignment.matching import Candidate
from evaluation.alignment.wordnet import WordNet, find_wordnet
from evaluation.lightly import import_lightly
from evaluation.tokens import is_punctuation

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish",
}  # fmt: skip
_REMEMBERED = 300_000
"""Types kept; a server that sees more starts afresh and stays small."""

CONTENT, FUNCTION, PUNCTUATION = 10, 6, 4  # an exact match of such words
CASE_COSTS, ENDING_COSTS = 1, 2  # … but for case, but for the ending
SYNONYM, SIMILAR = 6, 4
SIMILARITY = 0.5  # of the character pairs of two words that begin alike must be common (Dice)
FEW = 12  # a word type that occurs more often than this is matched near its own place only


class WordType:
    """One distinct token; what only unmatched words need is filled in when it is first needed."""

    __slots__ = ("content", "initial", "lower", "pairs", "senses", "spelled", "stem", "token", "weight")

    def __init__(self, token: str) -> None:
        self.token = token
        self.lower = lower = token.lower()
        self.initial = lower[:1]
        number = any(char.isdigit() for char in lower)
        punctuation = is_punctuation(token)
        self.spelled = len(lower) >= LONG_ENOUGH and not punctuation and not number
        self.content = is_content(token)
        self.weight = CONTENT if self.content else PUNCTUATION if punctuation else FUNCTION
        self.stem = ""
        self.senses: frozenset[str] = frozenset()
        self.pairs: frozenset[str] = frozenset()


class Vocabulary:
    """Word types of one language."""

    def __init__(self, language: str, wordnet: WordNet | None = None, *, synonyms: bool = True) -> None:
        code = language.lower().replace("_", "-").split("-")[0]
        self._stem, stemmer = snowball(code)
        wordnet = wordnet or (find_wordnet() if synonyms and code == "en" else None)
        self._senses = wordnet.senses if wordnet else _no_senses
        self._known: dict[str, WordType] = {}
        self.version = f"stem={stemmer} synonyms={wordnet.name if wordnet else 'none'}"

    def candidates(self, a: Sequence[str], b: Sequence[str]) -> list[Candidate]:
        """All possible matches: of words that are equal but for case, then of those that found none."""
        of_a, of_b = self._types(a), self._types(b)
        places_of: dict[str, list[int]] = {}
        for j, word in enumerate(of_b):
            if word.lower in places_of:
                places_of[word.lower].append(j)
            else:
                places_of[word.lower] = [j]
        found: list[Candidate] = []
        alone: list[int] = []
        for i, word in enumerate(of_a):
            if word.lower not in places_of:
                if word.spelled:
                    alone.append(i)
                continue
            places, weight, content = places_of[word.lower], word.weight, word.content
            for j in places if len(places) <= FEW else _nearest(i, places, len(a), len(b)):
                found.append((i, j, weight if word is of_b[j] else weight - CASE_COSTS, True, content))
        if alone:
            matched = {word.lower for word in of_a}
            rest = [j for j, word in enumerate(of_b) if word.spelled and word.lower not in matched]
            if rest:
                found += self._looser(of_a, of_b, alone, rest)
        return found

    def _looser(
        self, of_a: list[WordType], of_b: list[WordType], alone: list[int], rest: list[int]
    ) -> list[Candidate]:
        """Matches by stem; for words without one, by sense or spelling."""
        self._describe([of_a[i] for i in alone])
        self._describe([of_b[j] for j in rest])
        common = {of_a[i].stem for i in alone}.intersection([of_b[j].stem for j in rest])
        found: list[Candidate] = []
        if common:
            by_stem: dict[str, list[int]] = {}
            for j in rest:
                by_stem.setdefault(of_b[j].stem, []).append(j)
            for i in alone:
                word = of_a[i]
                if word.stem in common:
                    places = by_stem[word.stem][:FEW]
                    found += [(i, j, word.weight - ENDING_COSTS, True, word.content) for j in places]
        left = [i for i in alone if of_a[i].content and of_a[i].stem not in common]
        right = [j for j in rest if of_b[j].content and of_b[j].stem not in common]
        if left and right:
            found += _loose(of_a, of_b, left, right)
        return found

    def _describe(self, words: list[WordType]) -> None:
        """Give new words their stem, senses and pairs of characters."""
        for word in words:
            if word.stem:
                continue
            word.stem = self._stem(word.lower) or word.lower
            if word.content:
                word.senses = self._senses(word.lower)
                word.pairs = frozenset(map("".join, zip(f" {word.lower}", f"{word.lower} ", strict=True)))

    def _types(self, tokens: Sequence[str]) -> list[WordType]:
        known = self._known
        try:
            return [known[token] for token in tokens]
        except KeyError:
            if len(known) > _REMEMBERED:
                known.clear()
        for token in tokens:
            if token not in known:
                known[token] = WordType(token)
        return [known[token] for token in tokens]


def _nearest(i: int, places: list[int], n: int, m: int) -> list[int]:
    """The few places of a very frequent word that lie nearest in proportion."""
    return sorted(places, key=lambda j: (abs(i * m - j * n), j))[:FEW]


def _loose(
    of_a: list[WordType], of_b: list[WordType], alone_a: list[int], alone_b: list[int]
) -> Iterator[Candidate]:
    """Matches by a common sense or similar spelling among words that have no firmer one."""
    by_initial: dict[str, list[int]] = {}
    for j in alone_b:
        initial = of_b[j].initial
        if initial in by_initial:
            by_initial[initial].append(j)
        else:
            by_initial[initial] = [j]
    with_senses = [j for j in alone_b if of_b[j].senses]
    for i in alone_a:
        word = of_a[i]
        if word.senses:
            for j in with_senses:
                if not word.senses.isdisjoint(of_b[j].senses):
                    yield i, j, SYNONYM, False, False
        if word.initial in by_initial:
            for j in by_initial[word.initial]:
                if _similar(word, of_b[j]) and word.senses.isdisjoint(of_b[j].senses):
                    yield i, j, SIMILAR, False, False


def _similar(word: WordType, other: WordType) -> bool:
    """Whether two words that begin alike have enough character pairs in common."""
    return 2 * len(word.pairs & other.pairs) >= SIMILARITY * (len(word.pairs) + len(other.pairs))


def snowball(code: str) -> tuple[Callable[[str], str], str]:
    """A stemming function and its name; languages that Snowball does not know keep their words whole."""
    if code not in _STEMMERS:
        return _unchanged, "none"
    stemmers = import_lightly("nltk.stem.snowball")  # here, because it is slow to import
    return stemmers.SnowballStemmer(_STEMMERS[code]).stem, f"snowball-{_STEMMERS[code]}"


def _unchanged(word: str) -> str:
    return word


def _no_senses(word: str) -> frozenset[str]:
    return frozenset()
