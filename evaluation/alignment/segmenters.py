"""Word segmenters: the words of Chinese, Japanese and Thai, by libraries that are installed on request.

``tokens`` splits texts without spaces into characters or clusters. With a segmenter, the tokens of one word
become one token, so that no phrase begins or ends inside a word. A segmenter only joins tokens: they remain
substrings in reading order, and punctuation and words of other scripts stay as they are.

The libraries are rjieba (Chinese), SudachiPy with its core dictionary (Japanese) and PyThaiNLP (Thai). All of
them contain their dictionaries and need no network; ``SegmenterMissing`` names the command that installs one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from typing import Protocol

from evaluation.tokens import Span, is_punctuation, is_unspaced, offsets

_LONGEST = 8_000  # characters that a library gets at once; SudachiPy refuses texts of more than 49,149 bytes

WordStarts = Callable[[str], Iterable[int]]
"""Returns the positions at which words begin."""


class SegmenterMissing(ValueError):
    """The library is not installed."""


class Morpheme(Protocol):
    """What the rules need of SudachiPy's morphemes."""

    def begin(self) -> int: ...

    def surface(self) -> str: ...

    def dictionary_form(self) -> str: ...

    def part_of_speech(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class WordSegmenter:
    """Joins the tokens of each word; ``version`` names everything that its words depend on."""

    language: str
    version: str
    find_starts: WordStarts

    def offsets(self, text: str) -> tuple[Span, ...]:
        """Return the character spans of the words, like ``tokens.offsets``."""
        spans = offsets(text, self.language)
        starts = {
            first + start
            for first in range(0, len(text), _LONGEST)
            for start in self.find_starts(text[first : first + _LONGEST])
        }
        return join_tokens(text, spans, starts)


def load_segmenter(language: str) -> WordSegmenter:
    """Return the segmenter of a language; raises ``SegmenterMissing`` if its library is not installed."""
    code = language.lower().replace("_", "-").split("-")[0]
    if code not in SEGMENTERS:
        known = ", ".join(sorted(SEGMENTERS))
        raise ValueError(f"no segmenter finds the words of the language {language!r}; known: {known}")
    return _load(code)


@cache
def _load(code: str) -> WordSegmenter:
    packages, load = SEGMENTERS[code]
    try:
        find_starts = load()
        versions = "/".join([metadata.version(package) for package in packages.split()])
    except ImportError:  # metadata.PackageNotFoundError is one
        raise SegmenterMissing(
            f"the words of {code!r} need a library: python -m pip install {packages}"
        ) from None
    return WordSegmenter(code, f"words-1 {packages.split()[0]} {versions}", find_starts)


def join_tokens(text: str, spans: Iterable[Span], starts: set[int]) -> tuple[Span, ...]:
    """Join adjacent tokens unless a word begins between them; one of them must be of a script without spaces.

    >>> join_tokens("昨日3人", [(0, 1), (1, 2), (2, 3), (3, 4)], {0, 2})
    ((0, 2), (2, 4))
    """
    joined: list[Span] = []
    last = ""
    for start, end in spans:
        token = text[start:end]
        is_inside = joined and joined[-1][1] == start and start not in starts
        if is_inside and (is_unspaced(token) or is_unspaced(last)) and not _has_punctuation(last, token):
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
        last = token
    return tuple(joined)


def _has_punctuation(*tokens: str) -> bool:
    return any(map(is_punctuation, tokens))


def _load_chinese() -> WordStarts:
    tokenize = import_module("rjieba").tokenize
    return lambda text: [start for _, start, _ in tokenize(text)]


def _load_japanese() -> WordStarts:
    sudachi = import_module("sudachipy")
    import_module("sudachidict_core")
    dictionary = sudachi.Dictionary(dict="core")
    longest = sudachi.SplitMode.C
    # A tokenizer must not be used by two threads at once; making one takes less than a microsecond.
    return lambda text: find_japanese_starts(dictionary.tokenizer(longest).tokenize(text))


def _load_thai() -> WordStarts:
    os.environ.setdefault("PYTHAINLP_READ_ONLY", "1")  # else it makes a folder in the home directory
    tokenize = import_module("pythainlp.tokenize").word_tokenize

    def find_starts(text: str) -> list[int]:
        starts, position = [], 0
        for word in tokenize(text, engine="newmm"):
            starts.append(position)
            position += len(word)
        return starts

    return find_starts


SEGMENTERS: dict[str, tuple[str, Callable[[], WordStarts]]] = {
    "ja": ("sudachipy sudachidict-core", _load_japanese),
    "th": ("pythainlp", _load_thai),
    "zh": ("rjieba", _load_chinese),
}
"""The packages of each language, and the function that loads them."""


def find_japanese_starts(morphemes: Iterable[Morpheme]) -> list[int]:
    """Return where words begin: a verb or adjective with its endings is one word, particles stand alone."""
    starts = []
    before: Morpheme | None = None
    for morpheme in morphemes:
        if before is None or not _continues(before, morpheme):
            starts.append(morpheme.begin())
        before = morpheme
    return starts


_INFLECTED = frozenset({"動詞", "形容詞", "助動詞"})  # verb, adjective, auxiliary


def _continues(before: Morpheme, morpheme: Morpheme) -> bool:
    """Whether a Japanese morpheme belongs to the word of the one before it."""
    last, last_kind, last_use, *_, last_form = before.part_of_speech()
    match morpheme.part_of_speech()[0]:
        case _ if last == "接頭辞":  # prefix
            return True
        case "接尾辞":  # suffix
            return True
        case "助動詞":  # auxiliary; after a plain noun it is the copula, a word of its own
            return last in _INFLECTED or last == "形状詞" or last_kind == "準体助詞"
        case "助詞" if morpheme.surface() in ("は", "も"):  # the particles では, でも, ては, ても
            return before.surface() in ("て", "で")
        case "助詞":  # the particles that are endings of a verb
            return last in _INFLECTED and morpheme.surface() in ("て", "で", "ば", "ながら")
        case "動詞" if last in _INFLECTED:  # compound verb
            return last != "助動詞" and last_form.startswith(("連用形", "語幹"))
        case "動詞":  # verb made from a noun or an adverb
            is_stem = last_use.startswith("サ変") or last == "副詞"
            return is_stem and morpheme.dictionary_form() in ("する", "できる")
        case "形容詞":  # negation of an adjective or of a wish
            return morpheme.dictionary_form() == "ない" and last_form.startswith("連用形")
        case "名詞":  # numeral and counter
            return last_kind == "数詞"
    return False
