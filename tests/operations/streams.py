"""An application with an endless download; the file that the environment names tells how far it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import appraise.wsgi  # noqa: F401 — sets up Django

# isort: split
from appraise import exchange

CHUNK = b"x" * exchange.CHUNK_BYTES
exchange.CHUNK_SECONDS = int(os.environ["CHUNK_SECONDS"])


class Stream:
    """Writes a dot for each chunk, and an end when it is closed."""

    streaming = True

    def __init__(self) -> None:
        self.file = Path(os.environ["PROGRESS"]).open("a")  # noqa: SIM115 — closed with the response

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.file.write(".")
            self.file.flush()
            yield CHUNK

    def close(self) -> None:
        self.file.write("E")
        self.file.close()


def respond(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return Stream() if environ["PATH_INFO"] == "/stream" else [b"ok"]


application = exchange.run_in_threads(respond)
