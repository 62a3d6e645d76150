"""A parent process that has everything imported and forks web servers: ``python -m faults.warm``.

Hundreds of cold starts would spend the time of a run on imports. For each port number on standard input a
child is forked that runs the ordinary web server with the ordinary application, as servers with preloading
do; its process group is printed. No thread runs and no connection is open in the parent.
"""

from __future__ import annotations

import os
import signal
import sys

THREADS = 4


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
    """Import and compile what the first request would; nothing here asks the database."""
    from django.template.loader import get_template
    from django.test import Client

    import appraise.wsgi  # noqa: F401 — so that children need not

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
        "appraise.wsgi:application",
        address="127.0.0.1",
        port=port,
        interface=Interfaces.WSGI,
        workers=1,
        blocking_threads=THREADS,
        backpressure=THREADS * 16,
        websockets=False,
        log_level=LogLevels.error,
    ).serve()
    os._exit(0)


if __name__ == "__main__":
    main()
