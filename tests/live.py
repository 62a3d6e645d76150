"""A live server that can be asked to finish, because no request may outlive its test.

A window that is closed takes back what it has asked for, but not what the server has read or is about to
read. Such a request would hold locks while the tables are emptied, which PostgreSQL ends as a deadlock, and
a connection while the database is dropped.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Condition
from typing import Any

from django.core.servers.basehttp import ThreadedWSGIServer


class StillBusyError(AssertionError):
    """A request goes on after its test, for longer than anybody should wait."""


class OrderlyServer(ThreadedWSGIServer):
    """Knows its connections from the moment they are taken to the moment all that they held is given back."""

    def __init__(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        super().__init__(*args, **options)
        self._lines: set[socket.socket] = set()
        self._change = Condition()

    def process_request(self, request: Any, client_address: Any) -> None:  # Any: as above
        with self._change:
            self._lines.add(request)
        super().process_request(request, client_address)

    def close_request(self, request: Any) -> None:  # Any: as above
        super().close_request(request)  # its connection to the database is closed here, too
        with self._change:
            self._lines.discard(request)
            self._change.notify_all()

    def settle(self, seconds: float = 20) -> None:
        """Return when everything that was sent has been answered; the next request needs a new connection."""
        self._take_who_waits(seconds)
        with self._change:
            for line in self._lines:
                with suppress(OSError):  # the other side has hung up already
                    line.shutdown(socket.SHUT_RD)  # what has arrived is still read, and then the line ends
            if not self._change.wait_for(lambda: not self._lines, seconds):
                raise StillBusyError(
                    f"requests without an answer after {seconds:g} seconds: {len(self._lines)}"
                )

    def _take_who_waits(self, seconds: float) -> None:
        """Connections are taken in their order: when ours has been, so has every earlier one."""
        with socket.create_connection(self.socket.getsockname()[:2], timeout=seconds) as last:
            last.shutdown(socket.SHUT_WR)
            last.recv(1)
