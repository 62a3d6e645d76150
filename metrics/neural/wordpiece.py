"""WordPiece of uncased BERT models: text to the numbers of word pieces, from a ``tokenizer.json``.

Text is cleaned of control characters, stripped of accents and lower-cased; Chinese characters and punctuation
marks stand alone. A word begins with its longest known piece, and so does the rest, until nothing is left.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

INVISIBLE = ("Cc", "Cf", "Co", "Cs")  # control, format, private use, surrogates
LONGEST_WORD = 100  # in characters; a longer word is unknown
CHINESE = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip


class WordPieces:
    """The pieces of a model by number."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.vocabulary = vocabulary
        self.unknown = vocabulary["[UNK]"]
        self.start, self.end = vocabulary["[CLS]"], vocabulary["[SEP]"]
        self._pieces_of = lru_cache(maxsize=1 << 16)(self._split_word)

    @classmethod
    def load(cls, path: Path) -> WordPieces:
        return cls(json.loads(path.read_text("utf-8"))["model"]["vocab"])

    def split(self, text: str) -> list[int]:
        """Return the pieces of a text, without those that mark its start and end.

        >>> pieces = WordPieces({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "cafe": 3, "##s": 4, ",": 5})
        >>> pieces.split("Cafés, tea")
        [3, 4, 5, 0]
        """
        return [piece for word in split_words(text) for piece in self._pieces_of(word)]

    def split_each(self, words: Sequence[str]) -> tuple[list[int], list[int]]:
        """Return the pieces of words, and the number of the word to which each belongs."""
        pieces = [self.split(word) for word in words]
        owners = [number for number, own in enumerate(pieces) for _ in own]
        return [piece for own in pieces for piece in own], owners

    def _split_word(self, word: str) -> tuple[int, ...]:
        if len(word) > LONGEST_WORD:
            return (self.unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            mark = "##" if start else ""
            ends = range(len(word), start, -1)
            end = next((end for end in ends if mark + word[start:end] in self.vocabulary), None)
            if end is None:
                return (self.unknown,)
            pieces.append(self.vocabulary[mark + word[start:end]])
            start = end
        return tuple(pieces)


def split_words(text: str) -> list[str]:
    """
    >>> split_words("Isn't this naïve? 我们 go")
    ['isn', "'", 't', 'this', 'naive', '?', '我', '们', 'go']
    """
    cleaned = "".join(_clean(text))
    decomposed = unicodedata.normalize("NFD", cleaned)
    plain = "".join(char for char in decomposed if unicodedata.category(char) != "Mn").lower()
    return "".join(f" {char} " if _is_punctuation(char) else char for char in plain).split()


def _clean(text: str) -> Iterator[str]:
    for char in text:
        if char in "\t\n\r" or unicodedata.category(char) == "Zs":
            yield " "
        elif char in "\0\ufffd" or unicodedata.category(char) in INVISIBLE:
            continue
        else:
            yield f" {char} " if _is_chinese(char) else char


@lru_cache(maxsize=1 << 12)
def _is_chinese(char: str) -> bool:
    return any(first <= ord(char) <= last for first, last in CHINESE)


@lru_cache(maxsize=1 << 12)
def _is_punctuation(char: str) -> bool:
    is_ascii_symbol = char.isascii() and char.isprintable() and not char.isalnum() and char != " "
    return is_ascii_symbol or unicodedata.category(char).startswith("P")
