"""A small corpus and a reader without tools, for tests of everything behind the tagger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics.collocation.content_words import ContentWordReader, ContentWords, find_content_words
from metrics.collocation.counting import PairCounter
from metrics.collocation.table import CollocationTable, Corpus
from metrics.tools.base import Tool, ToolMode
from metrics.tools.tagger import Tagged

CORPUS = Corpus("toy", "invented sentences", "0123456789abcdef", 0, reader="toy")


def count(sentences: Iterable[Iterable[str]], block_pairs: int = 1 << 20) -> CollocationTable:
    counter = PairCounter(block_pairs)
    for words in sentences:
        counter.add(words)
    return counter.table(CORPUS)


def content(text: str, first_verb: int | None = None) -> ContentWords:
    words = tuple(dict.fromkeys(text.split()))
    return ContentWords(words, tuple(range(len(words))), first_verb)


class SpaceTagger:
    """Every token is a noun, except that one in upper case is a verb."""

    tool = Tool("spaces", "1", None, ToolMode.HEURISTIC)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        self.asked += sentences
        split = [tuple(sentence.split()) for sentence in sentences]
        return [Tagged(tokens, tuple("VB" if t.isupper() else "NN" for t in tokens)) for tokens in split]


def toy_reader(tagger: SpaceTagger | None = None) -> ContentWordReader:
    chosen = tagger or SpaceTagger()
    return ContentWordReader("toy", "en", str(chosen.tool), chosen, words_of)


def words_of(tagged: Tagged) -> ContentWords:
    return find_content_words(tagged.tokens, tagged.tags, lambda token, tag: token.lower())


def co_occurrences(table: CollocationTable, a: str, b: str) -> tuple[int, int, int]:
    """(c12, c1, c2) of two words; zeros for unknown words."""
    i, j = table.numbers.get(a, -1), table.numbers.get(b, -1)
    c1, c2 = (int(table.frequency[k]) if k >= 0 else 0 for k in (i, j))
    if min(i, j) < 0 or i == j:
        return 0, c1, c2
    row = slice(table.rows[max(i, j)], table.rows[max(i, j) + 1])
    counts = dict(zip(table.partners[row].tolist(), table.counts[row].tolist(), strict=True))
    return counts.get(min(i, j), 0), c1, c2
