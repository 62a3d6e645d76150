"""Tokenisation before counting: the methods that sacrebleu's names stand for.

A tokeniser maps a block of lines to the same lines with spaces between the words, because one substitution
over a block is much cheaper than one per segment. ``13a`` follows NIST's mteval-v13a, ``intl`` mteval-v14
(punctuation and symbols by Unicode category), ``zh`` separates Chinese characters, ``char`` makes every
character a word, ``ja-mecab`` uses MeCab if it is installed, ``none`` splits at spaces only.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from itertools import chain

from metrics.base import MetricUnavailable

NAMES = ("none", "13a", "intl", "char", "zh", "ja-mecab")

# The blocks of the Chinese tokeniser of the WMT evaluations. It writes its two blocks beyond U+FFFF with four
# digits, which means U+2001 to U+2A6D. Published numbers depend on this, so it is kept.
CHINESE = (
    "\u2001-\u2a6d"
    "\u3400-\u4db5\u4e00-\u9fbb\uf900-\ufa2d\ufa30-\ufa6a\ufa70-\ufad9\uff00-\uffef\u2e80-\u2eff\u3000-\u303f"
    "\u31c0-\u31ef\u2f00-\u2fdf\u2ff0-\u2fff\u3100-\u312f\u31a0-\u31bf\ufe10-\ufe1f\ufe30-\ufe4f\u2600-\u27bf"
    "\u3200-\u33ff"
)


def block_text(parts: Sequence[Sequence[str]], name: str = "none", *, lowercase: bool = False) -> str:
    """Return all lines of all parts, tokenised, each with a line feed at its end.

    A line feed inside a segment is white space, but ``13a`` joins a word that is hyphenated across it.
    """
    check(name)
    lines = list(chain.from_iterable(parts))
    text = "\n".join(lines)
    if text.count("\n") != max(len(lines) - 1, 0):
        lines = [_one_line(line, name) for line in lines]
        text = "\n".join(lines)
    if lowercase:
        text = text.lower()
    if name == "none" or not lines:
        return text + "\n" if lines else ""
    return _TOKENIZERS[name](text) + "\n"


def check(name: str) -> None:
    """Raise an error for an unknown tokenisation or one whose packages are missing."""
    if name not in NAMES:
        raise ValueError(f"unknown tokenisation {name!r}; known: {', '.join(NAMES)}")
    if name == "ja-mecab":
        _mecab()


def _one_line(line: str, name: str) -> str:
    line = line.rstrip()
    return (line.replace("-\n", "") if name == "13a" else line).replace("\n", " ")


def _western(text: str) -> str:
    """Apply the language-dependent part of mteval-v13a; a pair never spans the end of a line."""
    from metrics.compiled.punctuation import separate  # compiled loops are imported when scoring starts

    return separate(text)


def _mteval13a(text: str) -> str:
    text = text.replace("<skipped>", "")
    if "&" in text:
        for entity, character in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
            text = text.replace(entity, character)
    return _western(" " + text.replace("\n", " \n ") + " ")


def _international(text: str) -> str:
    before, after, symbol = _unicode_patterns()
    # The lookbehind matches only at the first blank of a run; otherwise long runs take quadratic time.
    text = re.sub(r"(?<![^\S\n])[^\S\n]+$", "", text, flags=re.MULTILINE)
    text = before.sub(r"\1 \2 ", text)
    text = after.sub(r" \1 \2", text)
    return symbol.sub(r" \1 ", text)


@cache
def _unicode_patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns of punctuation after and before anything but a number, and of symbols (mteval-v14)."""
    punctuation, number, symbol = (_category(letter) for letter in "PNS")
    return (
        re.compile(f"([^{number}\n])([{punctuation}])"),
        re.compile(f"([{punctuation}])([^{number}\n])"),
        re.compile(f"([{symbol}])"),
    )


def _category(letter: str) -> str:
    """Return a character class of all code points in a general category, written as ranges."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code))[0] == letter:
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{re.escape(chr(first))}-{re.escape(chr(last))}" for first, last in ranges)


def _chinese(text: str) -> str:
    text = "\n".join([line.strip() for line in text.split("\n")])
    return _western(re.sub(f"([{CHINESE}])", r" \1 ", text))


def _japanese(text: str) -> str:
    parse = _mecab()
    return "\n".join([parse(line.strip()).strip() for line in text.split("\n")])


@cache
def _mecab() -> Callable[[str], str]:
    try:
        tagger = import_module("MeCab").Tagger(import_module("ipadic").MECAB_ARGS + " -Owakati")
    except ImportError as error:
        message = "tokenisation ja-mecab needs the packages mecab-python3 and ipadic, which are not installed"
        raise MetricUnavailable(message) from error
    parse: Callable[[str], str] = tagger.parse
    return parse


_TOKENIZERS: dict[str, Callable[[str], str]] = {
    "13a": _mteval13a,
    "intl": _international,
    "char": " ".join,
    "zh": _chinese,
    "ja-mecab": _japanese,
}
