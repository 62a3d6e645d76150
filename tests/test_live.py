"""A test ends when its requests have ended."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from wsgiref.types import StartResponse, WSGIEnvironment

import pytest
from django.test.testcases import QuietWSGIRequestHandler

from tests.live import OrderlyServer, StillBusyError

ASK = b"GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Work:
    """An application that takes its time."""

    def __init__(self) -> None:
        self.begun, self.may_end = Event(), Event()
        self.answered: list[str] = []

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
        self.begun.set()
        self.may_end.wait(20)
        start_response("200 OK", [("Content-Length", "2")])
        self.answered.append(environ["PATH_INFO"])
        return [b"ok"]


@contextmanager
def serving(work: Work) -> Iterator[OrderlyServer]:
    server = OrderlyServer(("127.0.0.1", 0), QuietWSGIRequestHandler)
    server.set_app(work)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        work.may_end.set()
        server.shutdown()
        thread.join()
        server.server_close()


def ask(server: OrderlyServer) -> socket.socket:
    line = socket.create_connection(server.socket.getsockname()[:2], timeout=20)
    line.sendall(ASK)
    return line


def answer(line: socket.socket) -> bool:
    with line.makefile("rb") as lines:
        return (
            lines.readline().startswith(b"HTTP/1.1 200")
            and any(one == b"\r\n" for one in lines)
            and lines.read(2) == b"ok"
        )


def end_soon(work: Work) -> Thread:
    def end() -> None:
        time.sleep(0.2)
        work.may_end.set()

    thread = Thread(target=end)
    thread.start()
    return thread


@pytest.mark.parametrize("is_begun", [True, False])
def test_who_hangs_up_is_still_answered_before_the_test_ends(is_begun: bool) -> None:
    work = Work()
    with serving(work) as server:
        for _ in range(5):
            ask(server).close()
        assert not is_begun or work.begun.wait(20)
        soon = end_soon(work)
        server.settle()
        assert work.answered == ["/slow"] * 5
        soon.join()


def test_a_line_that_is_kept_open_without_a_question_is_not_waited_for() -> None:
    work = Work()
    work.may_end.set()
    with serving(work) as server, ask(server) as line:
        assert answer(line)
        server.settle()
        assert line.recv(1000) == b""
        server.settle()  # and the server goes on
        with ask(server) as again:
            assert answer(again)


def test_a_request_without_end_is_told_aloud() -> None:
    work = Work()
    with serving(work) as server, ask(server):
        assert work.begun.wait(20)
        with pytest.raises(StillBusyError, match="seconds: 1"):
            server.settle(0.1)
        work.may_end.set()
        server.settle()
        assert work.answered == ["/slow"]
