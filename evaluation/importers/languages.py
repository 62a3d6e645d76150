"""Language codes as files write them (ISO 639-1, -2 and -3, with BCP 47 subtags) and as we store them.

Old task files say ``ger`` or ``deu``, new ones ``de`` or ``de-AT``; all mean the same language to a
tokenizer. The two letter code is stored where there is one, also for the most common member of a group
(``cmn`` is ``zh``). Three-letter codes are known if they belong to ISO 639-2 or to the large translation
benchmarks; ISO 639-3 has thousands of others, so they are accepted, and the import warns of them. An unknown
code of two letters is refused, for it is nearly always a slip (``gr`` for ``el``, ``jp`` for ``ja``).
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_TAG = re.compile(r"(?P<primary>[A-Za-z]{2,3})(?P<rest>([-_][A-Za-z0-9]{1,8}){0,3})")

_CODES = tomllib.loads(Path(__file__).with_name("languages.toml").read_text("utf-8"))
_LONG = _CODES["terminological"] + _CODES["bibliographic"] + _CODES["members"]
_SHORT = {long: short for short, long in (pair.split(":") for pair in _LONG.split())}
_SHORT |= {code: code for code in (*_SHORT.values(), *_CODES["three_letters"].split())}
_KNOWN = frozenset(_SHORT.values())


def normalise(code: str) -> str | None:
    """The code as we store it; None if it is no code of a language.

    >>> normalise("ger"), normalise("cmn"), normalise("zh_Hans"), normalise("EN-gb"), normalise("qvo")
    ('de', 'zh', 'zh-Hans', 'en-GB', 'qvo')
    >>> normalise("klingon"), normalise("jp"), normalise("")
    (None, None, None)
    """
    tag = _TAG.fullmatch(code.strip())
    if tag is None:
        return None
    given = tag["primary"].lower()
    short = _SHORT.get(given, given)
    if short not in _KNOWN and len(short) == 2:
        return None
    rest = [part for part in re.split("[-_]", tag["rest"]) if part]
    return "-".join([short, *map(_subtag, rest)])


def is_known(code: str) -> bool:
    """Whether the language of a stored code is in the tables of this module.

    >>> is_known("zh-Hans"), is_known("qvo")
    (True, False)
    """
    return primary(code) in _KNOWN


def primary(code: str) -> str:
    """The language without script and region.

    >>> primary("zh-Hans")
    'zh'
    """
    return code.partition("-")[0]


def _subtag(part: str) -> str:
    """Letters as BCP 47 recommends: Script, REGION, variant."""
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part.lower()
