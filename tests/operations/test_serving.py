"""The server is asked to stop and finishes what it began; connections to PostgreSQL stay bounded."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path

import pytest
from django.core.management.base import CommandError

from appraise.operations.management.commands.start import Command, browser_host
from appraise.operations.probe import is_healthy
from appraise.operations.server import web_command
from tests.conftest import ROOT
from tests.operations.conftest import Moved, clean_environment, read_output, run_python
from tests.site import free_port


def get(port: int, path: str) -> int:
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    finally:
        connection.close()


def wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise TimeoutError("nothing happened within half a minute")


def test_requests_in_flight_are_finished_after_sigterm(tmp_path: Path) -> None:
    port, begun = free_port(), tmp_path / "begun"
    begun.touch()
    command = web_command("127.0.0.1", port, 1, "tests.operations.slow:application")
    server = subprocess.Popen(command, cwd=ROOT, env=clean_environment(tmp_path, BEGUN=str(begun)))
    try:
        wait_until(lambda: is_healthy(port))
        answers: list[int] = []
        clients = [threading.Thread(target=lambda: answers.append(get(port, "/slow"))) for _ in range(3)]
        for client in clients:
            client.start()
        wait_until(lambda: begun.stat().st_size == len(clients))
        server.send_signal(signal.SIGTERM)
        for client in clients:
            client.join(30)
        assert answers == [200, 200, 200]
        assert server.wait(20) == 0
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()
    assert not is_healthy(port)


def test_a_request_whose_client_left_while_it_waited_is_not_begun(tmp_path: Path) -> None:
    """One thread; the second request waits for it, and its client leaves."""
    port, begun = free_port(), tmp_path / "begun"
    begun.touch()
    command = web_command("127.0.0.1", port, 1, "tests.operations.slow:application")
    surroundings = clean_environment(tmp_path, BEGUN=str(begun), WEB_THREADS="1")
    server = subprocess.Popen(command, cwd=ROOT, env=surroundings)
    try:
        wait_until(lambda: is_healthy(port))
        first = threading.Thread(target=get, args=(port, "/slow"))
        first.start()
        wait_until(lambda: begun.stat().st_size == 1)
        leaving = HTTPConnection("127.0.0.1", port, timeout=30)
        leaving.request("GET", "/slow")
        time.sleep(0.3)
        leaving.close()
        assert get(port, "/") == 200
        first.join(30)
        assert begun.read_text() == "x"
    finally:
        server.kill()
        server.wait()


def test_a_process_whose_end_is_noticed_late_is_not_called_unwilling(tmp_path: Path) -> None:
    port = free_port()
    python, _, _, *options = web_command("127.0.0.1", port, 1, "tests.operations.slow:application")
    late = (
        "from granian.cli import entrypoint; from granian.server.mp import WorkerProcess\n"
        "if __name__ == '__main__': WorkerProcess.is_alive = lambda self: True; entrypoint()"
    )
    with subprocess.Popen(
        [python, "-c", late, *options], cwd=ROOT, env=clean_environment(tmp_path), text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as server:  # fmt: skip
        wait_until(lambda: is_healthy(port))
        server.send_signal(signal.SIGTERM)
        assert "Killing" not in server.communicate(timeout=60)[0]
        assert server.returncode == 0


@pytest.mark.parametrize("option", ["--port=65536", "--port=0", "--processes=0", "--threads=-1"])
def test_a_site_that_cannot_be_is_refused_before_anything_is_made(option: str) -> None:
    with pytest.raises(CommandError, match="is no whole number from 1 to"):
        Command().create_parser("manage.py", "start").parse_args([option])


def test_a_host_may_be_given_by_name_and_is_told_as_a_browser_takes_it() -> None:
    assert Command().resolve_address("localhost", free_port()) == "127.0.0.1"
    assert [browser_host(host) for host in ("127.0.0.1", "0.0.0.0", "::", "::1")] == [
        "127.0.0.1", "127.0.0.1", "[::1]", "[::1]",
    ]  # fmt: skip


def test_an_address_elsewhere_is_not_told_to_try_another_port() -> None:
    with pytest.raises(CommandError, match=r"give --host an address of this machine$"):
        Command().resolve_address("192.0.2.1", free_port())  # set aside for documents


MANY_THREADS = """
import json, os, threading
import django
os.environ["DJANGO_SETTINGS_MODULE"] = "appraise.settings"
django.setup()
from django.db import connection
from evaluation.models import User

most, failed = [], []
def ask():
    try:
        for _ in range(5):
            User.objects.count()
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT count(*), pg_sleep(0.01) FROM pg_stat_activity WHERE datname = current_database()"
                )
                most.append(cursor.fetchone()[0])
            connection.close()  # back to the pool, as at the end of a request
    except Exception as error:
        failed.append(repr(error))
threads = [threading.Thread(target=ask) for _ in range(16)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
connection.close_pool()
print(json.dumps({"most": max(most), "asked": len(most), "failed": failed}))
"""


def test_more_threads_than_connections_wait_and_do_not_fail(filled_home: Path, moved: Moved) -> None:
    run = run_python("-c", MANY_THREADS, home=filled_home, DATABASE_URL=moved.url, DATABASE_POOL="3")
    found = read_output(run)
    assert (found["failed"], found["asked"]) == ([], 80)
    assert 1 < found["most"] <= 3
