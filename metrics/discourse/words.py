"""Text to words for the discourse parsers: one regular expression, in the style of the discourse corpora.

Contractions, possessives and punctuation stand alone, numbers stay whole, hyphens are split off. Gold trees
and raw sentences go through the same function, so that what was learned is seen again.
"""

from __future__ import annotations

import re

WORD = re.compile(
    r"\w+(?=n['’]t\b)|n['’]t\b|['’](?:s|re|ve|ll|d|m)\b"  # did|n't, it|'s
    r"|\d+(?:[.,:]\d+)*|(?:\w\.){2,}|\w+"  # 1,000.5, U.S., words
    r"|\.{2,}|``|''|-{2,}|\S",  # the rest, one sign each
    re.IGNORECASE,
)
MARK = re.compile(r"<[Pps]>")  # RST-DT marks paragraph and sentence ends inside the text


def words(text: str) -> list[str]:
    """Words and signs of a text.

    >>> words("They didn't say it's 1,000.5 long-term U.S. bonds.<P>")
    ['They', 'did', "n't", 'say', 'it', "'s", '1,000.5', 'long', '-', 'term', 'U.S.', 'bonds', '.']
    """
    return WORD.findall(MARK.sub(" ", text))
