"""Word classes without a tagger: the tags that a word, or else its ending, had in a treebank.

A class is the set of a word's frequent Penn tags, for instance ``VBD VBN``; the classifiers of the discourse
parser see the classes of the words around a gap and settle the ambiguity themselves. Looking one up costs a
dictionary access, where a tagger would cost most of the parsing time.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

TERMINAL = re.compile(r"\(([^\s()]+) ([^\s()]+)\)")
SHARE = 0.1  # a tag belongs to the class when the word has it this often
LONGEST = 3
RARE = 3  # endings are learned from words seen at most this often: they resemble the words never seen


def tagged_words(treebank: str) -> Iterator[tuple[str, str]]:
    """(word, tag) of every leaf of bracketed parse trees; function marks and empty elements are left out.

    >>> list(tagged_words("(ROOT (S (NP-SBJ (PRP It)) (VP (VBD rained) (-NONE- *T*))))"))
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
    for word, found in tags.items():
        if found.total() <= RARE and word.isalpha():
            for size in range(1, LONGEST + 1):
                endings["-" + word[-size:]] += found
    return {key: _class(found) for key, found in [*tags.items(), *endings.items()] if found.total() > 1}


def classes_of(words: Iterable[str], classes: Mapping[str, str]) -> list[str]:
    """The class of every word; ``9`` for unknown numbers, ``X`` where nothing is known.

    >>> classes_of(["walked", "1999", "?"], {"-ed": "VBD VBN", "?": "."})
    ['VBD VBN', '9', '.']
    """
    return [_lookup(word.lower(), classes) for word in words]


def _lookup(word: str, classes: Mapping[str, str]) -> str:
    if (known := classes.get(word)) is not None:
        return known
    if word[:1].isdigit():
        return "9"
    for size in range(LONGEST, 0, -1):
        if (known := classes.get("-" + word[-size:])) is not None:
            return known
    return "X"


def _class(tags: Counter[str]) -> str:
    return " ".join(sorted(tag for tag, n in tags.items() if n >= SHARE * tags.total()))
