"""``manage.py start``: database, static files, demo, web server and background worker in one terminal."""

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

from appraise.operations.server import GRACE_SECONDS, web_command
from evaluation.management.base import AppraiseCommand, has_unapplied_migrations, whole_number
from evaluation.models import Campaign


class Command(AppraiseCommand):
    help = "Run Appraise: prepare what is missing, then start the web server and the background worker."
    examples = (
        "start --demo",
        "start --host 0.0.0.0 --port 8080 --processes 4 --no-worker",
    )
    option_help = {
        "--host": "address to listen on (default: this machine only)",
        "--port": "port to listen on",
        "--processes": "web processes",
        "--threads": "threads of each web process",
        "--no-worker": "start only the web server; workers run elsewhere",
        "--demo": "load the demonstration campaign if there is none",
    }
    is_service = True

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=whole_number(1, 65535), default=8000)
        parser.add_argument("--processes", type=whole_number(1, 1000), default=2)
        parser.add_argument("--threads", type=whole_number(1, 1000), default=4)
        parser.add_argument("--no-worker", action="store_true")
        parser.add_argument("--demo", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        # From here on these are handled like Ctrl+C: the children are stopped, too.
        for ending in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ending, lambda *_: sys.exit(0))
        options["host"] = self.resolve_address(options["host"], options["port"])
        self.prepare(demo=options["demo"])
        children = [self.start_web_server(**options)]
        try:
            children += [] if options["no_worker"] else [self.start_worker()]
            self.wait_for_server(options["host"], options["port"], children)
            self.print_greeting(options["host"], options["port"], demo=options["demo"])
            self.watch(children)
        except KeyboardInterrupt:
            self.note("Stopping …")
        finally:
            self.stop(children)

    def resolve_address(self, host: str, port: int) -> str:
        """The IP address of the host; refuses one that the site cannot listen on."""
        try:
            addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            family, *_, address = min(addresses, key=lambda each: each[0] != socket.AF_INET)
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(address)
        except OSError as error:
            is_foreign = isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL
            another = f"choose another with --port {port + 1} (make run PORT={port + 1})"
            remedy = "give --host an address of this machine" if is_foreign else another
            self.refuse(f"port {port} on {host} cannot be used ({error.strerror}); {remedy}")
        return str(address[0])

    def prepare(self, *, demo: bool) -> None:
        reset_counters()
        if has_unapplied_migrations():
            call_command("migrate", verbosity=0)
        if not settings.DEBUG and static_files_changed():
            call_command("collectstatic", interactive=False, verbosity=0)
        if demo and not Campaign.objects.exists():
            self.note("Loading the demonstration campaign …")
            call_command("demo", verbosity=0)
        connection.close()

    def start_web_server(
        self, *, host: str, port: int, processes: int, threads: int, **_: Any
    ) -> subprocess.Popen[bytes]:
        command = web_command(host, port, processes)
        return start_child(command, {**os.environ, "WEB_THREADS": str(threads)})

    def start_worker(self) -> subprocess.Popen[bytes]:
        return start_child([sys.executable, "-m", "appraise", "worker", "--no-startup-delay", "-v", "0"])

    def wait_for_server(self, host: str, port: int, children: list[subprocess.Popen[bytes]]) -> None:
        while True:
            with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
                if probe.connect_ex((host, port)) == 0:
                    return
            if any(child.poll() is not None for child in children):
                self.refuse("a process ended before the site was up; see the lines above")
            time.sleep(0.05)

    def print_greeting(self, host: str, port: int, *, demo: bool) -> None:
        self.stdout.write(f"\nAppraise is running at http://{browser_host(host)}:{port}/   (Ctrl+C stops it)")
        if not ip_address(host).is_loopback:
            self.stdout.write(f"Allowed host names (ALLOWED_HOSTS): {', '.join(settings.ALLOWED_HOSTS)}")
        if demo:
            from evaluation.management.commands.demo import format_greeting

            self.stdout.write(format_greeting())
        self.stdout.flush()

    def watch(self, children: list[subprocess.Popen[bytes]]) -> None:
        """Wait until a signal arrives or a child process ends."""
        while all(child.poll() is None for child in children):
            time.sleep(0.2)
        self.refuse("a process ended unexpectedly; the other was stopped")

    def stop(self, children: list[subprocess.Popen[bytes]]) -> None:
        """End the processes; the web server alone at first, so that it does not report how its processes end.

        A web process that is still loading loses the signal, and its server sends only one. So the signal is
        repeated, now to the whole group of each child, and what takes longer than the grace period is killed.
        """
        for child in children:
            if child.poll() is None:
                os.kill(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        while alive := [child for child in children if has_not_ended(child)]:
            for child in alive:
                os.killpg(child.pid, signal.SIGTERM if time.monotonic() < deadline else signal.SIGKILL)


def has_not_ended(child: subprocess.Popen[bytes], seconds: float = 0.5) -> bool:
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired:
        return True
    return False


def start_child(command: list[str], environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    """Start a process that Ctrl+C in the terminal does not reach.

    The terminal sends it to a whole process group: web processes would end before their server ends them,
    which it reports as an error. ``stop`` sends SIGTERM to the server and the worker only.
    """
    return subprocess.Popen(command, cwd=settings.PACKAGE.parent, env=environment, start_new_session=True)


def reset_counters() -> None:
    """Delete the Prometheus files of the last run."""
    for path in settings.METRICS_FOLDER.glob("*"):
        path.unlink(missing_ok=True)


def browser_host(host: str) -> str:
    """The host for a URL; a loopback address for one that means all interfaces.

    >>> browser_host("0.0.0.0"), browser_host("::1")
    ('127.0.0.1', '[::1]')
    """
    address = ip_address(host)
    if address.is_unspecified:
        address = ip_address("127.0.0.1" if address.version == 4 else "::1")
    return f"[{address}]" if address.version == 6 else str(address)


def static_files_changed() -> bool:
    """Whether a source file is newer than the last ``collectstatic``, which takes seconds."""
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if not manifest.exists():
        return True
    collected = manifest.stat().st_mtime
    return any(
        Path(storage.path(path)).stat().st_mtime > collected
        for finder in get_finders()
        for path, storage in finder.list([])
    )
