"""Words and word classes for the discourse parsers, without a tokeniser or tagger of the language.

Words are found by one regular expression in the style of the discourse corpora: contractions, possessives,
hyphens and punctuation are words of their own, numbers are not split. Gold trees and raw sentences use the
same function, so that a model sees the words that it was trained on.

The class of a word is the set of the frequent Penn tags that the word, or else its ending, has in a
treebank, for example ``VBD VBN``; the classifiers of the parser see the classes of the words around a gap
and resolve the ambiguity themselves. A dictionary lookup is much faster than a tagger.

``VOCABULARY`` has the names of relations, and the words that the heuristic parser and the segmenter know.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
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
TERMINAL = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
SHARE = 0.1  # least share of a tag of the class
LONGEST = 3  # letters of an ending
RARE = 3  # endings are learned from words with at most this count, which resemble unknown words


def split_words(text: str) -> list[str]:
    """The words and punctuation marks of a text.

    >>> split_words("They didn't say it's 1,000.5 long-term U.S. bonds.<P>")
    ['They', 'did', "n't", 'say', 'it', "'s", '1,000.5', 'long', '-', 'term', 'U.S.', 'bonds', '.']
    """
    return WORD.findall(MARK.sub(" ", text))


def read_tagged_words(treebank: str) -> Iterator[tuple[str, str]]:
    """(word, tag) of every leaf of bracketed parse trees; without function marks and empty elements.

    >>> list(read_tagged_words("(ROOT (S (NP-SBJ (PRP It)) (VP (VBD rained) (-NONE- *T*))))"))
    [('It', 'PRP'), ('rained', 'VBD')]
    """
    for tag, word in TERMINAL.findall(treebank):
        if tag != "-NONE-":
            yield word, tag


def learn_classes(tagged: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Classes of words (lower-cased) and, with a leading hyphen, of the endings of rare words."""
    tags: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, tag in tagged:
        tags[word.lower()][tag] += 1
    endings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word, counts in tags.items():
        if counts.total() <= RARE and word.isalpha():
            for size in range(1, LONGEST + 1):
                endings["-" + word[-size:]] += counts
    return {key: _frequent_tags(n) for key, n in [*tags.items(), *endings.items()] if n.total() > 1}


def find_classes(words: Iterable[str], classes: Mapping[str, str]) -> list[str]:
    """The class of every word; ``9`` for unknown numbers, ``X`` for other unknown words.

    >>> find_classes(["walked", "1999", "?"], {"-ed": "VBD VBN", "?": "."})
    ['VBD VBN', '9', '.']
    """
    return [_find_class(word.lower(), classes) for word in words]


def _find_class(word: str, classes: Mapping[str, str]) -> str:
    if (known := classes.get(word)) is not None:
        return known
    if word[:1].isdigit():
        return "9"
    for size in range(LONGEST, 0, -1):
        if (known := classes.get("-" + word[-size:])) is not None:
            return known
    return "X"


def _frequent_tags(tags: Counter[str]) -> str:
    return " ".join(sorted(tag for tag, n in tags.items() if n >= SHARE * tags.total()))
