"""Cache on disk for the answers of slow tools, by sentence digest and tool identity.

One SQLite file, safe under several processes (write-ahead log, busy time-out); the key is the digest of the
exact text together with the tool's name, version, model digest and parameters, so an upgrade never serves old
answers. Failures are not cached: a time-out depends on the machine, not on the sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from metrics.linguistics.base import PROJECT, Tool
from metrics.linguistics.process import Failure

BUSY_SECONDS = 60.0
SLICE = 500  # well under SQLite's limit of host parameters
Json = Any  # whatever JSON can say


def default_path() -> Path:
    """``linguistics.sqlite3`` in the site's own folder (``APPRAISE_HOME``, default ``var/``)."""
    return Path(os.environ.get("APPRAISE_HOME") or PROJECT / "var") / "linguistics.sqlite3"


class Cache:
    """What one tool, with one set of parameters, answered before."""

    def __init__(self, path: Path, tool: Tool, parameters: str = "") -> None:
        self.path = path
        self.key = f"{tool}; {parameters}" if parameters else str(tool)
        path.parent.mkdir(parents=True, exist_ok=True)
        with self.opened() as shelf:
            shelf.database.execute("PRAGMA journal_mode=WAL")
            shelf.database.execute(
                "CREATE TABLE IF NOT EXISTS answer"
                " (tool TEXT, digest BLOB, answer TEXT NOT NULL, PRIMARY KEY (tool, digest)) WITHOUT ROWID"
            )

    @contextmanager
    def opened(self) -> Iterator[Shelf]:
        """The file, held open over many answers: opening and closing it costs more than an answer."""
        with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)) as database:
            # A killed process loses nothing; after a power failure the last sentences are parsed again.
            database.execute("PRAGMA synchronous=NORMAL")
            yield Shelf(database, self.key)

    def known(self, texts: Iterable[str]) -> dict[str, Json]:
        """The answers that are on disk, by text."""
        with self.opened() as shelf:
            return shelf.known(texts)

    def keep(self, text: str, answer: Json) -> None:
        """Store one answer."""
        with self.opened() as shelf:
            shelf.keep(text, answer)


@dataclass(frozen=True, slots=True)
class Shelf:
    """An open cache; every answer is written at once, so that a killed run loses nothing."""

    database: sqlite3.Connection
    key: str

    def known(self, texts: Iterable[str]) -> dict[str, Json]:
        by_digest = {_digest(text): text for text in texts}
        digests = list(by_digest)
        found: dict[str, Json] = {}
        for start in range(0, len(digests), SLICE):
            some = digests[start : start + SLICE]
            marks = ",".join("?" * len(some))
            rows = self.database.execute(
                f"SELECT digest, answer FROM answer WHERE tool = ? AND digest IN ({marks})",
                (self.key, *some),
            )
            found.update((by_digest[digest], json.loads(answer)) for digest, answer in rows)
        return found

    def keep(self, text: str, answer: Json) -> None:
        self.database.execute(
            "INSERT OR REPLACE INTO answer VALUES (?, ?, ?)",
            (self.key, _digest(text), json.dumps(answer)),
        )


def answers(
    texts: Sequence[str], cache: Cache | None, ask: Callable[[list[str]], Iterable[Json | Failure]]
) -> list[Json | Failure]:
    """Answers for all texts: from the cache where known, else asked once per different text and kept.

    >>> answers(["b", "a", "b"], None, lambda unknown: [text.upper() for text in unknown])
    ['B', 'A', 'B']
    """
    with cache.opened() if cache else nullcontext() as shelf:
        found: dict[str, Json | Failure] = dict(shelf.known(texts)) if shelf else {}
        unknown = [text for text in dict.fromkeys(texts) if text not in found]
        for text, answer in zip(unknown, ask(unknown) if unknown else (), strict=True):
            found[text] = answer
            if shelf and not isinstance(answer, Failure):
                shelf.keep(text, answer)
    return [found[text] for text in texts]


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
