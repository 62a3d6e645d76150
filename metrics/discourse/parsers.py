"""The discourse parsers by name, behind one small protocol.

``real`` is the Feng and Hirst parser in the tools' environment, ``learned`` our own with a model file,
``heuristic`` the rules that are always there, ``imported`` trees from a file, ``flat`` one unit per sentence
(a control). Each reports its ``Tool``; trees of different tools are never compared with each other, since
one parser reads both sides of every comparison.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from evaluation.problems import InputError, Problem
from metrics.discourse.formats import read_file
from metrics.discourse.heuristic import HeuristicParser
from metrics.discourse.learned import LearnedParser
from metrics.discourse.relations import coarse
from metrics.discourse.trees import Node, binarised, edu, relabelled
from metrics.discourse.words import words
from metrics.linguistics.base import Mode, Tool, file_digest

NAMES = ("heuristic", "learned", "real", "imported", "flat")


class DiscourseParser(Protocol):
    """Turns sentences into discourse trees with coarse relations."""

    @property
    def tool(self) -> Tool: ...

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One binarised tree per sentence, in order; a sentence without words gives the empty tree."""


class FlatParser:
    """Every sentence is one unit: the control that shows what a metric owes to words alone."""

    tool = Tool("one-unit", "1", None, Mode.HEURISTIC)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """The sentences as they are, in words."""
        return [edu(" ".join(words(sentence))) for sentence in sentences]


class ImportedParser:
    """Looks trees up in a file by the words they cover."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trees = {_key(_text(tree)): relabelled(binarised(tree), coarse) for tree in read_file(path)}
        self.tool = Tool(path.name, "", file_digest(path), Mode.IMPORTED)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """The trees; raises ``InputError`` for sentences that the file does not have."""
        missing = [text for text in dict.fromkeys(sentences) if text.strip() and _key(text) not in self.trees]
        if missing:
            message = f"no tree for {len(missing)} sentences, the first is {missing[0]!r:.120}"
            raise InputError(
                Problem("missing_tree", message, "add trees for these sentences", str(self.path))
            )
        return [self.trees[_key(text)] if text.strip() else edu("") for text in sentences]


def get_parser(name: str, model: str = "") -> DiscourseParser:
    """A parser; ``model`` is the file of a learned parser or of imported trees.

    Raises ``ValueError`` for an unknown name or a file name that is missing or of no use, ``InputError`` for
    a bad file, and ``ToolAbsent`` where the real parser is not installed.
    """
    if name not in NAMES:
        raise ValueError(f"unknown discourse parser {name!r}; known are: {', '.join(NAMES)}")
    if name in ("learned", "imported"):
        if not model:
            raise ValueError(f"the {name} discourse parser needs a file: model=FILE")
        return _from_file(name, model, Path(model).stat().st_mtime_ns if Path(model).exists() else 0)
    if model:
        raise ValueError(
            f"the {name} discourse parser reads no file; a trained model is for the parser “learned”, "
            "a file of trees for “imported”"
        )
    if name == "real":
        from metrics.linguistics.rst import shared_parser

        return shared_parser()
    return FlatParser() if name == "flat" else HeuristicParser()


@lru_cache(maxsize=4)
def _from_file(name: str, model: str, _changed: int) -> DiscourseParser:
    return LearnedParser(Path(model)) if name == "learned" else ImportedParser(Path(model))


def _text(tree: Node) -> str:
    return " ".join(leaf.text for leaf in tree.edus())


def _key(text: str) -> tuple[str, ...]:
    return tuple(words(text))
