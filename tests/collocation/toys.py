"""A small corpus and a reader without tools, for tests of everything behind the tagger."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from metrics.collocation.counting import PairCounter
from metrics.collocation.reading import Reader
from metrics.collocation.table import Corpus, Table
from metrics.collocation.words import ContentWords, content_words
from metrics.linguistics.base import Mode, Tool
from metrics.linguistics.tagger import Tagged

CORPUS = Corpus("toy", "invented sentences", "0123456789abcdef", 0, reader="toy")


def count(sentences: Iterable[Iterable[str]], block_pairs: int = 1 << 20) -> Table:
    counter = PairCounter(block_pairs)
    for words in sentences:
        counter.add(words)
    return counter.table(CORPUS)


def content(text: str, first_verb: int | None = None) -> ContentWords:
    words = tuple(dict.fromkeys(text.split()))
    return ContentWords(words, tuple(range(len(words))), first_verb)


class SpaceTagger:
    """Every token is a noun, except that one in upper case is a verb."""

    tool = Tool("spaces", "1", None, Mode.HEURISTIC)

    def __init__(self) -> None:
        self.asked: list[str] = []

    def tag(self, sentences: Sequence[str]) -> list[Tagged]:
        self.asked += sentences
        split = [tuple(sentence.split()) for sentence in sentences]
        return [Tagged(tokens, tuple("VB" if t.isupper() else "NN" for t in tokens)) for tokens in split]


def toy_reader(tagger: SpaceTagger | None = None) -> Reader:
    chosen = tagger or SpaceTagger()
    return Reader("toy", "en", str(chosen.tool), chosen, words_of)


def words_of(tagged: Tagged) -> ContentWords:
    return content_words(tagged.tokens, tagged.tags, lambda token, tag: token.lower())
