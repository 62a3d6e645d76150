"""Words for the discourse parsers, without a tokeniser of the language.

Words are found by one regular expression in the style of the discourse corpora: contractions, possessives,
hyphens and punctuation are words of their own, numbers are not split.

``VOCABULARY`` has the names of relations, and the words that the heuristic parser knows.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

VOCABULARY: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text("utf-8")
)
WORD = re.compile(
    r"\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b"  # did|n't, it|'s
    r"|\d+(?:[.,:]\d+)*|(?:\w\.){2,}|\w+"  # 1,000.5, U.S., words
    r"|\.{2,}|``|''|-{2,}|\S",  # everything else, one character each
    re.IGNORECASE,
)
MARK = re.compile(r"<[Pps]>")  # RST-DT marks paragraph and sentence ends inside the text


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of a text.

    >>> split_words("They didn't say it's 1,000.5 long-term U.S. bonds.<P>")
    ['They', 'did', "n't", 'say', 'it', "'s", '1,000.5', 'long', '-', 'term', 'U.S.', 'bonds', '.']
    """
    return WORD.findall(MARK.sub(" ", text))
