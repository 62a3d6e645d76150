"""Slow and large requests: they hold a connection, no thread, and no more of the disk than they may."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from appraise.operations.probe import is_healthy
from appraise.operations.server import web_command
from tests.conftest import ROOT
from tests.operations.conftest import clean_environment
from tests.site import free_port

FORM = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
COOKIE = b"Cookie: csrftoken=" + b"x" * 32 + b"\r\n"


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A site with one process of four threads and an empty database."""
    home = tmp_path_factory.mktemp("home")
    environment = clean_environment(home)
    for command in (["migrate"], ["collectstatic", "--no-input"]):
        line = [sys.executable, "manage.py", *command, "-v", "0"]
        subprocess.run(line, cwd=ROOT, env=environment, check=True)
    number = free_port()
    server = subprocess.Popen(web_command("127.0.0.1", number, 1), cwd=ROOT, env=environment)
    try:
        for _ in range(600):
            if is_healthy(number):
                break
            time.sleep(0.1)
        yield number
    finally:
        server.terminate()
        server.wait(30)


def send(port: int, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    connection.sendall(data)
    return connection


def status_of(connection: socket.socket) -> int:
    return int(connection.recv(4096).split(b" ")[1])


def test_clients_that_send_slowly_hold_no_thread(port: int) -> None:
    with ExitStack() as slow:
        for _ in range(30):
            slow.enter_context(send(port, FORM + COOKIE + b"Content-Length: 5000\r\n\r\nusername="))
        for _ in range(30):
            slow.enter_context(send(port, FORM))  # headers that never end
        for _ in range(140):
            slow.enter_context(send(port, b""))
        assert is_healthy(port, timeout=5)


def test_a_declared_length_over_the_limit_is_refused_before_it_is_sent(port: int) -> None:
    with send(port, FORM + COOKIE + b"Content-Length: 3221225472\r\n\r\n") as connection:
        assert status_of(connection) == 413


def test_a_body_without_a_length_is_refused_when_it_passes_the_limit(port: int) -> None:
    chunk = b"f4240\r\n" + b"x" * 1_000_000 + b"\r\n"
    with send(port, FORM + COOKIE + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 5) as connection:
        connection.sendall(chunk)
        assert status_of(connection) == 413


def test_a_short_body_without_a_length_reaches_the_view(port: int) -> None:
    form = b"Transfer-Encoding: chunked\r\n\r\nb\r\nlanguage=de\r\n0\r\n\r\n"
    with send(port, FORM + form) as connection:
        assert status_of(connection) == 403  # no CSRF token
