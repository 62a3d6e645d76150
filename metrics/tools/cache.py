"""Caches the answers of slow tools on disk, by the digest of the sentence and the identity of the tool.

The cache is one SQLite file that several processes can use (write-ahead log, busy timeout). The key consists
of the digest of the exact text and of the name, version, model digest and parameters of the tool, so an
upgrade never returns old answers. Failures are not cached: a timeout depends on the machine, not on the
sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from metrics.tools.base import PROJECT, Tool
from metrics.tools.process import Failure

BUSY_SECONDS = 60.0
SLICE = 500  # well under SQLite's limit of host parameters
Json = Any  # any JSON value


def default_path() -> Path:
    """Return ``linguistics.sqlite3`` in the folder of the site (``APPRAISE_HOME``, default ``var/``)."""
    return Path(os.environ.get("APPRAISE_HOME") or PROJECT / "var") / "linguistics.sqlite3"


class Cache:
    """The cached answers of one tool with one set of parameters."""

    def __init__(self, path: Path, tool: Tool, parameters: str = "") -> None:
        self.path = path
        self.key = f"{tool}; {parameters}" if parameters else str(tool)
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.open() as database:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute(
                "CREATE TABLE IF NOT EXISTS answer"
                " (tool TEXT, digest BLOB, answer TEXT NOT NULL, PRIMARY KEY (tool, digest)) WITHOUT ROWID"
            )

    @contextmanager
    def open(self) -> Iterator[sqlite3.Connection]:
        """Open the file for many answers, because opening it costs more than an answer.

        Every answer is written immediately, so that a killed run loses nothing.
        """
        with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as database:
            # A killed process loses nothing; a power failure may lose the last answers.
            database.execute("PRAGMA synchronous=NORMAL")
            yield database

    def known(self, texts: Iterable[str]) -> dict[str, Json]:
        """Return the cached answers by text."""
        by_digest = {_digest(text): text for text in texts}
        digests = list(by_digest)
        cached: dict[str, Json] = {}
        with self.open() as database:
            for start in range(0, len(digests), SLICE):
                part = digests[start : start + SLICE]
                marks = ",".join("?" * len(part))
                rows = database.execute(
                    f"SELECT digest, answer FROM answer WHERE tool = ? AND digest IN ({marks})",
                    (self.key, *part),
                )
                cached.update((by_digest[digest], json.loads(answer)) for digest, answer in rows)
        return cached


def answers(
    texts: Sequence[str], cache: Cache | None, ask: Callable[[list[str]], Iterable[Json | Failure]]
) -> list[Json | Failure]:
    """Return the answers for all texts, from the cache or by asking once for each distinct text.

    >>> answers(["b", "a", "b"], None, lambda unknown: [text.upper() for text in unknown])
    ['B', 'A', 'B']
    """
    known: dict[str, Json | Failure] = cache.known(texts) if cache else {}
    unknown = [text for text in dict.fromkeys(texts) if text not in known]
    with cache.open() if cache else nullcontext() as database:
        for text, answer in zip(unknown, ask(unknown) if unknown else (), strict=True):
            known[text] = answer
            if cache and database and not isinstance(answer, Failure):
                row = (cache.key, _digest(text), json.dumps(answer))
                database.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?)", row)
    return [known[text] for text in texts]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
