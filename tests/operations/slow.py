"""A WSGI application that takes its time, so that a stop can come in the middle of a request."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any


def application(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/slow":
        time.sleep(1.5)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"done"]
