"""What the lexical matcher knows about each word type, and which words of two sentences may match.

Everything costly (stem, senses, character pairs) is computed once per type and remembered, which is what
makes the matcher fast: a task has far fewer types than tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from evaluation.alignment.function_words import FUNCTION_WORDS
from evaluation.alignment.matching import Candidate
from evaluation.alignment.wordnet import WordNet, find_wordnet
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
LONG_ENOUGH = 4  # letters, for a word to be judged by its spelling, or to move alone
FEW = 12  # a word type that occurs more often than this is matched near its own place only


class WordType:
    """One distinct token."""

    __slots__ = ("content", "lower", "pairs", "senses", "stem", "token", "weight")

    def __init__(
        self, token: str, stem: Callable[[str], str], senses: Callable[[str], frozenset[str]]
    ) -> None:
        self.token = token
        self.lower = lower = token.lower()
        spelled = len(lower) >= LONG_ENOUGH
        number = any(char.isdigit() for char in lower)
        punctuation = is_punctuation(token)
        self.content = number or (spelled and not punctuation and lower not in FUNCTION_WORDS)
        self.weight = CONTENT if self.content else PUNCTUATION if punctuation else FUNCTION
        self.stem = stem(lower) if spelled and not number else lower
        self.senses = senses(lower) if self.content and not number else frozenset()
        self.pairs = (
            frozenset(map("".join, zip(f" {lower}", f"{lower} ", strict=True))) if self.content else None
        )


class Vocabulary:
    """Word types of one language."""

    def __init__(self, language: str, wordnet: WordNet | None = None, *, synonyms: bool = True) -> None:
        code = language.lower().replace("_", "-").split("-")[0]
        self._stem, stemmer = _stemmer(code)
        wordnet = wordnet or (find_wordnet() if synonyms and code == "en" else None)
        self._senses = wordnet.senses if wordnet else _no_senses
        self._known: dict[str, WordType] = {}
        self.version = f"stem={stemmer} synonyms={wordnet.name if wordnet else 'none'}"

    def candidates(self, a: Sequence[str], b: Sequence[str]) -> list[Candidate]:
        """All possible matches: by equal stem, and for words without one by sense or spelling."""
        of_a, of_b = self._types(a), self._types(b)
        by_stem: dict[str, list[int]] = {}
        for j, word in enumerate(of_b):
            by_stem.setdefault(word.stem, []).append(j)
        found: list[Candidate] = []
        alone: list[int] = []
        for i, word in enumerate(of_a):
            places = by_stem.get(word.stem)
            if places is None:
                if word.pairs:
                    alone.append(i)
                continue
            for j in places if len(places) <= FEW else _nearest(i, places, len(a), len(b)):
                other = of_b[j]
                cost = 0 if word is other else CASE_COSTS if word.lower == other.lower else ENDING_COSTS
                found.append((i, j, word.weight - cost, True, word.content))
        if alone:
            stems = {word.stem for word in of_a}
            rest = [j for j, word in enumerate(of_b) if word.pairs and word.stem not in stems]
            if rest:
                found += _loose(of_a, of_b, alone, rest)
        return found

    def _types(self, tokens: Sequence[str]) -> list[WordType]:
        known = self._known
        try:
            return [known[token] for token in tokens]
        except KeyError:
            if len(known) > _REMEMBERED:
                known.clear()
        for token in tokens:
            if token not in known:
                known[token] = WordType(token, self._stem, self._senses)
        return [known[token] for token in tokens]


def _nearest(i: int, places: list[int], n: int, m: int) -> list[int]:
    """The few places of a very frequent word that lie nearest in proportion."""
    return sorted(places, key=lambda j: (abs(i * m - j * n), j))[:FEW]


def _loose(
    of_a: list[WordType], of_b: list[WordType], alone_a: list[int], alone_b: list[int]
) -> Iterator[Candidate]:
    """Matches by a common sense or similar spelling among words that have no firmer one."""
    with_senses = [j for j in alone_b if of_b[j].senses]
    by_initial: dict[str, list[int]] = {}
    for j in alone_b:
        by_initial.setdefault(of_b[j].lower[0], []).append(j)
    for i in alone_a:
        word = of_a[i]
        if word.senses:
            for j in with_senses:
                if not word.senses.isdisjoint(of_b[j].senses):
                    yield i, j, SYNONYM, False, False
        for j in by_initial.get(word.lower[0], ()):
            if _similar(word, of_b[j]) and word.senses.isdisjoint(of_b[j].senses):
                yield i, j, SIMILAR, False, False


def _similar(word: WordType, other: WordType) -> bool:
    """Whether two words that begin alike have enough character pairs in common."""
    if word.pairs is None or other.pairs is None:
        return False
    return 2 * len(word.pairs & other.pairs) >= SIMILARITY * (len(word.pairs) + len(other.pairs))


def _stemmer(code: str) -> tuple[Callable[[str], str], str]:
    """A stemming function and its name; languages that Snowball does not know keep their words whole."""
    if code not in _STEMMERS:
        return _unchanged, "none"
    from nltk.stem.snowball import SnowballStemmer  # here, because it is slow to import

    return SnowballStemmer(_STEMMERS[code]).stem, f"snowball-{_STEMMERS[code]}"


def _unchanged(word: str) -> str:
    return word


def _no_senses(word: str) -> frozenset[str]:
    return frozenset()
