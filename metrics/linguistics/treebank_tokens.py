"""Text to Penn-Treebank tokens, the only words an English treebank parser knows.

NLTK's rules for contractions and punctuation; on top of them typographic quotes and dashes become the
treebank's ASCII ones, brackets become ``-LRB-``/``-RRB-``, and a full stop inside a segment that ends a
sentence (lower-case word before, capital after) is set apart: outputs of MT systems are not sentence-split.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from evaluation.lightly import import_lightly

if TYPE_CHECKING:
    from nltk.tokenize import NLTKWordTokenizer

TYPOGRAPHIC = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "„": '"',
        "«": '"',
        "»": '"',
        "‘": "'",
        "’": "'",
        "‚": "'",
        "–": "--",
        "—": "--",
        "…": "...",
    }
)
INNER_STOP = re.compile(r"(?<=[a-z]{2})\.(?=\s+[\"'(]?[A-Z])")


def treebank_tokens(text: str) -> tuple[str, ...]:
    """Tokens in treebank style.

    >>> treebank_tokens("It isn’t “clear” (yet).")
    ('It', 'is', "n't", '``', 'clear', "''", '-LRB-', 'yet', '-RRB-', '.')
    """
    plain = INNER_STOP.sub(" .", text.translate(TYPOGRAPHIC))
    return tuple(_tokenizer().tokenize(plain, convert_parentheses=True))


@cache
def _tokenizer() -> NLTKWordTokenizer:
    # Slow to import, and metrics are listed without it.
    tokenizer: NLTKWordTokenizer = import_lightly("nltk.tokenize").NLTKWordTokenizer()
    return tokenizer
