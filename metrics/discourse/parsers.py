"""The discourse parsers by name, behind one protocol.

``real`` is the Feng and Hirst parser in the environment of the tools, ``heuristic`` rules without a model,
``imported`` trees from a file, ``flat`` one unit per sentence (a control). Each reports its ``Tool``. One
parser reads both sides of every comparison, so that trees of different tools are never compared.

The heuristic parser is the fallback that is always available. A unit begins at a connective (*because*,
*although*, *which* …) that has a verb on either side, and after the comma that ends a sentence-initial
subordinate clause. The connective determines the relation; a clause that it introduces is the satellite.
Verbs of saying give an attribution, and everything else elaborates the preceding unit; trees are
right-branching.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Protocol

from appraise.lib.problems import InputError
from metrics.discourse.tree_files import read_trees
from metrics.discourse.trees import Node, binarise, coarse, edu, join, rename_relations
from metrics.discourse.words import VOCABULARY, split_words
from metrics.tools.base import Tool, ToolMode, file_digest

NAMES = ("heuristic", "real", "imported", "flat")
MAX_EDUS = 60  # real sentences have under thirty; the rest of a longer line belongs to the last unit
CACHED = 20_000  # sentences, because several metrics parse the same ones
CONNECTIVES, COORDINATORS = VOCABULARY["connectives"], VOCABULARY["coordinators"]
AUXILIARIES = frozenset(VOCABULARY["words"]["auxiliaries"].split())
SAYING = frozenset(VOCABULARY["words"]["saying"].split())
CLAUSE_OPENERS = frozenset(VOCABULARY["words"]["clause-openers"].split())
ATTRIBUTION, ELABORATION = ("Attribution", "SN"), ("Elaboration", "NS")


class DiscourseParser(Protocol):
    """Turns sentences into discourse trees with coarse relations."""

    @property
    def tool(self) -> Tool: ...

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One binarised tree per sentence, in order; a sentence without words gives the empty tree."""


@dataclass(frozen=True)
class SentenceParser:
    """A parser that reads one sentence at a time."""

    tool: Tool
    parse_sentence: Callable[[str], Node]

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One tree per sentence."""
        return [self.parse_sentence(sentence) for sentence in sentences]


class ImportedParser:
    """Finds trees in a file by the words that they cover."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trees = {
            _key(" ".join(leaf.text for leaf in tree.edus())): rename_relations(binarise(tree), coarse)
            for tree in read_trees(path)
        }
        self.tool = Tool(path.name, "", file_digest(path), ToolMode.IMPORTED)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """The trees; raises ``InputError`` for sentences that are not in the file."""
        missing = [text for text in dict.fromkeys(sentences) if text.strip() and _key(text) not in self.trees]
        if missing:
            message = f"no tree for {len(missing)} sentences, the first is {missing[0]!r:.120}"
            raise InputError.of("missing_tree", message, "add trees for these sentences", str(self.path))
        return [self.trees[_key(text)] if text.strip() else edu("") for text in sentences]


def get_parser(name: str, model: str = "") -> DiscourseParser:
    """A parser; ``model`` is the file of imported trees.

    Raises ``ValueError`` for an unknown name or for a file that is missing or not used, ``InputError`` for a
    bad file, and ``ToolAbsent`` if the real parser is not installed.
    """
    if name not in NAMES:
        raise ValueError(f"unknown discourse parser {name!r}; known: {', '.join(NAMES)}")
    if name == "imported":
        if not model:
            raise ValueError("imported discourse trees need a file: model=FILE")
        return _load_trees(model, Path(model).stat().st_mtime_ns if Path(model).exists() else 0)
    if model:
        raise ValueError(f"the {name} discourse parser reads no file; a file of trees is for “imported”")
    if name == "real":
        from metrics.discourse.external_parser import shared_parser

        return shared_parser()
    if name == "flat":  # a control that shows what words alone contribute to a metric
        return SentenceParser(Tool("one-unit", "1", None, ToolMode.HEURISTIC), parse_as_one_unit)
    return SentenceParser(Tool("appraise-connectives", "1", None, ToolMode.HEURISTIC), parse_by_rules)


@lru_cache(maxsize=4)
def _load_trees(path: str, _changed: int) -> DiscourseParser:
    return ImportedParser(Path(path))


def _key(text: str) -> tuple[str, ...]:
    return tuple(split_words(text))


def parse_as_one_unit(sentence: str) -> Node:
    return edu(" ".join(split_words(sentence)))


@lru_cache(maxsize=CACHED)
def parse_by_rules(sentence: str) -> Node:
    """The tree of one sentence.

    >>> [unit.text for unit in parse_by_rules("He said that he stayed because it was raining.").edus()]
    ['He said', 'that he stayed', 'because it was raining .']
    """
    units = _find_units(split_words(sentence))
    texts = [" ".join(unit) for unit in units]
    tree = edu(texts[-1]) if texts else edu("")
    for number in range(len(units) - 2, -1, -1):
        unit = [word.lower() for word in units[number]]
        relation, pattern = _find_relation(unit, units[number + 1][0].lower(), number)
        tree = join(relation, pattern, [edu(texts[number]), tree])
    return tree


def _find_units(words: Sequence[str]) -> list[Sequence[str]]:
    low = [word.lower() for word in words]
    verbs = [0, *accumulate(map(_may_be_verb, low))]  # the number of verbs before each position
    begins = [0] if words else []
    for place in range(1, len(words)):
        if len(begins) < MAX_EDUS and _is_begin(low, verbs, place, begins[-1]):
            begins.append(place)
    return [words[a:b] for a, b in pairwise([*begins, len(words)])]


def _is_begin(low: Sequence[str], verbs: Sequence[int], place: int, begin: int) -> bool:
    word, before = low[place], low[place - 1]
    if before in SAYING:
        return word in CLAUSE_OPENERS
    if verbs[place] == verbs[begin]:
        return False
    if before == "," and low[begin] in CONNECTIVES and begin == 0:
        return True  # the main clause after a sentence-initial subordinate clause
    if word in COORDINATORS:
        return before == "," and verbs[min(place + 6, len(low))] > verbs[place + 1]
    if word == "to":
        return not _may_be_verb(before) and place + 1 < len(low) and before not in CONNECTIVES
    return word in CONNECTIVES and verbs[-1] > verbs[place + 1]


def _find_relation(unit: Sequence[str], opener: str, number: int) -> tuple[str, str]:
    if unit[-1] in SAYING or (unit[-1] == "," and len(unit) > 1 and unit[-2] in SAYING):
        return ATTRIBUTION
    if number == 0 and unit[0] in CONNECTIVES:
        return CONNECTIVES[unit[0]], "SN"
    if opener in COORDINATORS:
        return COORDINATORS[opener], "NN"
    return (CONNECTIVES[opener], "NS") if opener in CONNECTIVES else ELABORATION


def _may_be_verb(word: str) -> bool:
    return word in AUXILIARIES or word in SAYING or (len(word) > 3 and word.endswith(("ed", "ing", "s", "t")))
