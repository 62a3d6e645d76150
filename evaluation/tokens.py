"""Tokenisation by character offsets, so that pages can show the original text.

Paper 003 compares phrases, that is, runs of words; this module defines words. It guarantees: tokens are in
reading order and do not overlap; ``text[start:end]`` is the token; only white space and invisible formatting
characters are outside tokens; a combining mark stays with its base; the same text always has the same tokens.

One pattern serves most languages. Only the apostrophe depends on the language (French and Italian elide:
``l'|homme``; English does not split ``don't``). Scripts without spaces are split by script, not by language
code: a Han or Hiragana character, a run of Katakana, a Thai, Lao, Khmer or Burmese cluster. These are not
words, but both sides of a comparison are split in the same way, as alignment requires.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from html import unescape

Span = tuple[int, int]

_ELIDING = frozenset({"ca", "co", "fr", "fur", "ga", "it", "lij", "oc", "pms", "scn", "vec", "wa"})
_NON_BLANKS = re.compile(r"[^ \t\r\n\f\v]+")


def offsets(text: str, language: str = "") -> tuple[Span, ...]:
    """Return the character spans of the tokens; ``language`` is a code such as ``de`` or ``pt-BR``.

    >>> offsets("Don't stop, Anna!", "en")
    ((0, 5), (6, 10), (10, 11), (12, 16), (16, 17))
    """
    return tuple([match.span() for match in _pattern(_elides(language)).finditer(text)])


def tokenize(text: str, language: str = "") -> tuple[str, ...]:
    """Return the tokens.

    >>> tokenize("L'homme n'a que 1,5 kg d'or (env.).", "fr")
    ("L'", 'homme', "n'", 'a', 'que', '1,5', 'kg', "d'", 'or', '(', 'env', '.', ')', '.')
    >>> tokenize("well-known U.S. e-mail…", "en")
    ('well-known', 'U.S.', 'e-mail', '…')
    >>> tokenize("猫がテレビを見る。")
    ('猫', 'が', 'テレビ', 'を', '見', 'る', '。')
    """
    return tuple([match.group() for match in _pattern(_elides(language)).finditer(text)])


def split(text: str) -> tuple[Span, ...]:
    """Return the spans of the tokens of a tokenised text.

    Only ASCII white space separates tokens, as in GIZA++ and fast_align; a no-break space is part of a token.

    >>> split("the  red\\u00a0house .")
    ((0, 3), (5, 14), (15, 16))
    """
    return tuple([match.span() for match in _NON_BLANKS.finditer(text)])


def words(text: str, spans: tuple[Span, ...]) -> tuple[str, ...]:
    """Return the texts of these spans.

    >>> words("the red house", split("the red house"))
    ('the', 'red', 'house')
    """
    return tuple([text[start:end] for start, end in spans])


@lru_cache(maxsize=1 << 16)
def is_punctuation(token: str) -> bool:
    """Whether a token consists of punctuation, possibly as an undecoded character reference.

    >>> is_punctuation("..."), is_punctuation("U.S."), is_punctuation("€"), is_punctuation("")
    (True, False, False, False)
    >>> is_punctuation("&quot;"), is_punctuation("&nbsp;")
    (True, False)
    """
    if token.startswith("&"):
        token = unescape(token)
    return bool(token) and all(unicodedata.category(char)[0] == "P" for char in token)


@lru_cache(maxsize=1 << 16)
def is_unspaced(token: str) -> bool:
    """Whether a token begins with a character of a script that is written without spaces between words.

    >>> is_unspaced("猫"), is_unspaced("テレビ"), is_unspaced("cat"), is_unspaced("。")
    (True, True, False, False)
    """
    return re.match(f"[{_UNSPACED}]", token) is not None


@lru_cache(maxsize=1 << 16)
def strip_punctuation(token: str) -> tuple[str, ...]:
    """Return the parts of a token without its punctuation; a number keeps its punctuation.

    >>> [strip_punctuation(token) for token in ("so-called", ",", "1,5", "U.S.")]
    [('so', 'called'), (), ('1,5',), ('U', 'S')]
    """
    if token.isalnum():
        return (token,)
    if is_punctuation(token):
        return ()
    if any(char.isdigit() for char in token):
        return (token,)
    return tuple("".join([" " if is_punctuation(char) else char for char in token]).split())


@lru_cache(maxsize=256)
def _elides(language: str) -> bool:
    return re.split("[-_]", language.lower(), maxsplit=1)[0] in _ELIDING


@cache
def _pattern(elides: bool) -> re.Pattern[str]:
    """Return the pattern of a token: alternatives in order of preference, each with its combining marks.

    Repetitions that are retried at each character are bounded; a long chain such as ``a.a.a`` would otherwise
    take a minute.
    """
    mark = _marks()
    letter = rf"(?:[^\W{_UNSPACED}]{mark}*)"
    apostrophe, hyphen = "['’ʼ]", "[-\u2010\u2011]"
    joiner = hyphen if elides else f"(?:{apostrophe}|{hyphen})"
    elision = rf"{letter}+{apostrophe}(?={letter})|" if elides else ""
    return re.compile(
        rf"{_THAI}{mark}*[\u0e30\u0e32\u0e33\u0e45\u0eb0\u0eb2\u0eb3]*{mark}*"  # Thai and Lao clusters
        rf"|[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]{mark}*(?:[\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff]{mark}*)*"
        rf"|[{_UNSPACED}]{mark}*"
        rf"|&(?:[a-zA-Z]+|\#\d+);"  # an undecoded character reference
        rf"|\d+(?:[.,:/]\d+)+{mark}*(?:{letter}+)?"  # 1,234.5 and 12:30 and 3.5mm
        rf"|{letter}(?:\.{letter}){{1,20}}\.(?!{mark}*{letter}){mark}*"  # U.S. and z.B.
        rf"|{elision}{letter}+(?:{joiner}{letter}+)*"
        rf"|(?![{_INVISIBLE}])([^\w\s])\1+(?!{mark})"  # ... and --
        rf"|(?![{_INVISIBLE}])\S(?:\u200d\S|{mark})*"  # any sign; an emoji sequence is one token
    )


# Scripts without spaces: Han, Hiragana, Katakana, Bopomofo, Thai, Lao, Burmese, Khmer and related ones.
_UNSPACED = (
    "\u0e01-\u0e30\u0e32\u0e33\u0e40-\u0e46\u0e81-\u0eb0\u0eb2\u0eb3\u0ebd-\u0ec6\u1000-\u102a\u103f\u1050-\u1055"
    "\u1780-\u17b3\u17d7\u17dc\u1950-\u19ab\u1a00-\u1a16\u3005-\u3007\u3021-\u3029\u303b\u3041-\u3096"
    "\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U0001b000-\U0001b167\U00020000-\U0003ffff"
)
_THAI = "[\u0e40-\u0e44\u0ec0-\u0ec4]{0,3}[\u0e01-\u0e2f\u0e81-\u0eaf\u0edc-\u0edf]"
# Invisible formatting characters: soft hyphen, directional marks, word joiner, byte order mark.
_INVISIBLE = "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"


@cache
def _marks() -> str:
    """Return a character class of combining marks, joiners inside words and variation selectors."""
    ranges: list[list[int]] = []
    for point in (*range(0x20000), *range(0xE0000, 0xE1000)):  # no other plane has marks
        if unicodedata.category(chr(point))[0] != "M":
            continue
        if ranges and ranges[-1][1] == point - 1:
            ranges[-1][1] = point
        else:
            ranges.append([point, point])
    body = "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)
    return f"[{body}\u00ad\u200c\u200d\U0001f3fb-\U0001f3ff]"
