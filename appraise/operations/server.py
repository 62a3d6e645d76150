"""How the web server is started. Without Django, so that tests and the fault suite start the same server."""

from __future__ import annotations

import sys

GRACE_SECONDS = 15
CONNECTIONS = 2048  # open at once, for each web process
HEADER_SECONDS = 10


def web_command(
    host: str, port: int, processes: int, application: str = "appraise.asgi:application"
) -> list[str]:
    """Return the command line of the web server.

    ``--backpressure`` limits the open connections of a process, idle ones included, not the requests that run
    (those are limited by ``WEB_THREADS``). On SIGTERM the server finishes the requests in progress. With
    ``--workers-kill-timeout`` a busy machine would report a process that ended as one that refuses to.
    """
    return [
        sys.executable, "-m", "granian", "--interface", "asginl", "--host", host, "--port", str(port),
        "--workers", str(processes), "--backlog", str(CONNECTIONS), "--backpressure", str(CONNECTIONS),
        "--http", "1", "--http1-header-read-timeout", str(HEADER_SECONDS * 1000),
        "--no-ws", "--log-level", "warning", application,
    ]  # fmt: skip
