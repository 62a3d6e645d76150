"""A record, outside the application, of what the server has acknowledged to clients.

The journal is the witness: it knows nothing of the product's tables. A line is written when the client has
read the answer to its request, and the file is synced before anything is compared with it.
"""

from __future__ import annotations

import json
import os
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An answer that the server acknowledged as stored; ``choice`` as the client sent it."""

    uuid: str
    person: int
    choice: str
    version: int


class Journal:
    """Appends from many threads; one line is one write, so lines never mix.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     journal = Journal(Path(folder) / "acks")
    ...     journal.write(Acknowledged("u1", 3, "A>B", 1))
    ...     [entry.choice for entry in journal.entries()]
    ['A>B']
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.count = 0
        self.refused: Counter[int] = Counter()  # answers that the server refused, by status
        self._lock = threading.Lock()
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def write(self, entry: Acknowledged) -> None:
        line = json.dumps(asdict(entry)).encode() + b"\n"
        with self._lock:
            os.write(self._file, line)
            self.count += 1

    def refuse(self, status: int) -> None:
        with self._lock:
            self.refused[status] += 1

    def entries(self) -> Iterator[Acknowledged]:
        """Everything, synced first and read back from the file."""
        os.fsync(self._file)
        with self.path.open(encoding="ascii") as file:
            for line in file:
                yield Acknowledged(**json.loads(line))
