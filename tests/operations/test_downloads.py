"""Exports through the real server: streamed as fast as the client reads, and ended when it leaves."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.client import HTTPConnection
from pathlib import Path

from appraise.exchange import CHUNK_BYTES, WEB_THREADS
from appraise.operations.probe import is_healthy
from appraise.operations.server import web_command
from tests.conftest import ROOT
from tests.operations.conftest import clean_environment, run_python
from tests.operations.test_serving import wait_until
from tests.site import free_port

REQUEST = b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
MOST_BUFFERED = 64 * 1024 * 1024  # in the kernel, on both sides; far less than an endless download
TOKEN = """
import django
django.setup()
from evaluation.models import User
from evaluation.people.api_tokens import create_token
print(create_token(User.objects.get(username="root"), name="test")[1])
"""


@contextmanager
def serve(
    home: Path, application: str = "tests.operations.streams:application", **environment: str
) -> Iterator[int]:
    port = free_port()
    command = web_command("127.0.0.1", port, 1, application)
    environ = clean_environment(home, **environment)
    server = subprocess.Popen(command, cwd=ROOT, env=environ, start_new_session=True)
    try:
        wait_until(lambda: is_healthy(port))
        yield port
    finally:
        os.killpg(server.pid, signal.SIGKILL)  # its worker process too
        server.wait()


@contextmanager
def serve_streams(folder: Path, seconds: int) -> Iterator[tuple[int, Path]]:
    progress = folder / "progress"
    progress.touch()
    with serve(folder / "home", PROGRESS=str(progress), CHUNK_SECONDS=str(seconds)) as port:
        yield port, progress


def begin_download(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(REQUEST)
    assert connection.recv(1000).startswith(b"HTTP/1.1 200")
    return connection


def wait_until_it_rests(progress: Path) -> int:
    """Wait until nothing was produced for a second; returns the number of chunks."""
    before = -1
    while before != (before := progress.stat().st_size):
        time.sleep(1)
    return before


def test_a_download_waits_for_its_client_and_ends_with_it(tmp_path: Path) -> None:
    with serve_streams(tmp_path, seconds=600) as (port, progress):
        with begin_download(port) as client:
            chunks = wait_until_it_rests(progress)
            assert chunks * CHUNK_BYTES < MOST_BUFFERED
            while progress.stat().st_size == chunks:  # who reads on gets more
                client.recv(CHUNK_BYTES)
        wait_until(lambda: progress.read_text().endswith("E"))


def test_clients_that_read_slowly_stop_nobody_else(tmp_path: Path) -> None:
    with serve_streams(tmp_path, seconds=600) as (port, progress), ExitStack() as clients:
        for _ in range(WEB_THREADS):
            clients.enter_context(begin_download(port))
        wait_until_it_rests(progress)
        assert is_healthy(port, timeout=10)


def test_a_client_that_reads_nothing_is_given_up(tmp_path: Path) -> None:
    with serve_streams(tmp_path, seconds=2) as (port, progress), begin_download(port):
        wait_until(lambda: progress.read_text().endswith("E"))


def test_an_export_arrives_complete(home: Path) -> None:
    token = run_python("-c", TOKEN, home=home, DJANGO_SETTINGS_MODULE="appraise.settings").stdout.split()[-1]
    written = run_python("manage.py", "export", "--task", "houses", "--format", "csv", home=home)
    with serve(home, "appraise.asgi:application") as port:
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        headers = {"Authorization": f"Bearer {token}"}
        connection.request("GET", "/api/tasks/houses/export/csv", headers=headers)
        response = connection.getresponse()
        content = response.read().decode()
        connection.close()
    assert (response.status, response.headers["Transfer-Encoding"]) == (200, "chunked")
    assert len(content.splitlines()) > 10
    assert content.splitlines() == written.stdout.splitlines()
