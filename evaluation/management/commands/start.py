"""Everything in one terminal: database, static files, demo, web server and background worker."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import connection

from appraise.commands import Command as AppraiseCommand
from appraise.commands import migrations_wait, whole
from appraise.operations.counters import forget
from evaluation.models import Campaign

GRACE_SECONDS = 15


class Command(AppraiseCommand):
    help = "Run Appraise: prepares what is missing, then starts the web server and the background worker."
    examples = (
        "start --demo",
        "start --host 0.0.0.0 --port 8080 --processes 4 --no-worker",
    )
    patient = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--host", default="127.0.0.1", help="address to listen on (default: this machine only)"
        )
        parser.add_argument("--port", type=whole(1, 65535), default=8000, help="port to listen on")
        parser.add_argument("--processes", type=whole(1, 1000), default=2, help="web processes")
        parser.add_argument("--threads", type=whole(1, 1000), default=4, help="threads of each web process")
        parser.add_argument(
            "--no-worker", action="store_true", help="the web server alone; workers run elsewhere"
        )
        parser.add_argument(
            "--demo", action="store_true", help="load the demonstration campaign if there is none"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        # From here on SIGTERM is handled like Ctrl+C: the children are stopped, too.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        options["host"] = self.free_address(options["host"], options["port"])
        self.prepare(demo=options["demo"])
        children = [self.web(**options)]
        try:
            children += [] if options["no_worker"] else [self.worker()]
            self.serve(children, options)
        except KeyboardInterrupt:
            self.note("Stopping …")
        finally:
            self.stop(children)

    def serve(self, children: list[subprocess.Popen[bytes]], options: dict[str, Any]) -> None:
        self.wait_until_it_answers(options["host"], options["port"], children)
        self.greet(options["host"], options["port"], demo=options["demo"])
        self.watch(children)

    def free_address(self, host: str, port: int) -> str:
        """The number of a host that was given by its name; refuses what cannot be listened on."""
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            family, *_, place = min(found, key=lambda one: one[0] != socket.AF_INET)
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
        except OSError as error:
            foreign = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
            another = f"choose another with --port {port + 1} (make run PORT={port + 1})"
            remedy = "give --host an address of this machine" if foreign else another
            self.refuse(f"port {port} on {host} cannot be used ({error.strerror}); {remedy}")
        return str(place[0])

    def prepare(self, *, demo: bool) -> None:
        forget(settings.HOME / "run" / "metrics")
        if migrations_wait():
            call_command("migrate", verbosity=0)
        if not settings.DEBUG and static_files_changed():
            call_command("collectstatic", interactive=False, verbosity=0)
        if demo and not Campaign.objects.exists():
            self.note("Loading the demonstration campaign …")
            call_command("demo", verbosity=0)
        connection.close()

    def web(self, *, host: str, port: int, processes: int, threads: int, **_: Any) -> subprocess.Popen[bytes]:
        command = web_command(host, port, processes, threads)
        return subprocess.Popen(command, cwd=settings.PACKAGE.parent)

    def worker(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "appraise", "worker", "--no-startup-delay", "-v", "0"]
        return subprocess.Popen(command, cwd=settings.PACKAGE.parent)

    def wait_until_it_answers(self, host: str, port: int, children: list[subprocess.Popen[bytes]]) -> None:
        while True:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
                if probe.connect_ex((host, port)) == 0:
                    return
            if any(child.poll() is not None for child in children):
                self.refuse("a process ended before the site was up; see the lines above")
            time.sleep(0.05)

    def greet(self, host: str, port: int, *, demo: bool) -> None:
        self.stdout.write(f"\nAppraise is running at http://{shown(host)}:{port}/   (Ctrl+C stops it)")
        if not ip_address(host).is_loopback:
            self.stdout.write(
                f"It answers to these names (ALLOWED_HOSTS): {', '.join(settings.ALLOWED_HOSTS)}"
            )
        if demo:
            from evaluation.management.commands.demo import greeting

            self.stdout.write(greeting())
        self.stdout.flush()

    def watch(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Until a signal, or until one child ends: then the other is stopped too."""
        while all(child.poll() is None for child in children):
            time.sleep(0.2)
        self.refuse("a process ended unexpectedly; the other was stopped")

    def stop(self, children: list[subprocess.Popen[bytes]]) -> None:
        for child in children:
            if child.poll() is None:
                os.kill(child.pid, signal.SIGTERM)
        for child in children:
            try:
                child.wait(GRACE_SECONDS + 5)
            except subprocess.TimeoutExpired:
                child.kill()


def shown(host: str) -> str:
    """An address as a browser takes it; one that means all of them is no place to go to.

    >>> shown("0.0.0.0"), shown("::1")
    ('127.0.0.1', '[::1]')
    """
    address = ip_address(host)
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"[{address}]" if address.version == 6 else str(address)


def web_command(
    host: str, port: int, processes: int, threads: int, application: str = "appraise.wsgi:application"
) -> list[str]:
    """The web server. Threads are bounded: else SQLite's writers starve and PostgreSQL's connections run out.

    On SIGTERM it finishes the requests in flight, and kills what takes longer than the grace.
    """
    return [
        sys.executable, "-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port),
        "--workers", str(processes), "--blocking-threads", str(threads),
        "--backpressure", str(threads * 16),
        "--no-ws", "--log-level", "warning", "--workers-kill-timeout", str(GRACE_SECONDS),
        application,
    ]  # fmt: skip


def static_files_changed() -> bool:
    """Whether a source file is newer than the last collection, which takes seconds."""
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if not manifest.exists():
        return True
    collected = manifest.stat().st_mtime
    return any(
        Path(storage.path(path)).stat().st_mtime > collected
        for finder in get_finders()
        for path, storage in finder.list([])
    )
