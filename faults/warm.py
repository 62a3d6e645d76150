"""A parent process that has imported everything and forks web servers: ``python -m faults.warm``.

Hundreds of cold starts would spend most of a run on imports. For each port number on standard input it forks
a child that runs the usual web server, as servers with preloading do, and prints its process group. The
parent has no threads and no open connections.
"""

from __future__ import annotations

import os
import signal
import sys

from appraise.operations.server import CONNECTIONS


def main() -> None:
    warm_up()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # so that children do not become zombies
    print("ready", flush=True)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            serve(int(line))
        print(child, flush=True)


def warm_up() -> None:
    """Import and compile what the first request needs, without using the database."""
    from django.template.loader import get_template
    from django.test import Client

    import appraise.wsgi  # noqa: F401 — imported for the children

    Client().get("/sign-in", headers={"host": "localhost"})
    get_template("evaluation/annotate.html")


def serve(port: int) -> None:
    from granian.constants import Interfaces
    from granian.log import LogLevels
    from granian.server import Server

    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    Server(
        "appraise.asgi:application",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.ASGINL,
        workers=1,
        backpressure=CONNECTIONS,
        websockets=False,
        log_level=LogLevels.error,
    ).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
