"""An application that takes its time, so that a stop can come in the middle of a request.

Each slow request leaves a letter in the file that the environment names when it has begun.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import appraise.wsgi  # noqa: F401 — sets up Django

# isort: split
from appraise.exchange import run_in_threads


def respond_slowly(environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/slow":
        with Path(os.environ["BEGUN"]).open("a") as begun:
            begun.write("x")
        time.sleep(1.5)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [b"done"]


application = run_in_threads(respond_slowly)
