"""``python -m endurance.wire A B MILLISECONDS LOSS``: a link with delay and loss between two interfaces.

The kernel's own (``tc netem``) is missing in many kernels, above all in those of virtual machines. Offsets of
checksums and segments travel with each frame, so that large frames of virtual interfaces pass unchanged.
"""

from __future__ import annotations

import selectors
import socket
import sys
import time
from collections import deque
from random import Random

ALL_PROTOCOLS = 3
SOL_PACKET, VIRTUAL_HEADER, IGNORE_OUTGOING = 263, 15, 23
LARGEST = 1 << 17


def open_port(name: str) -> socket.socket:
    port = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL_PROTOCOLS))
    port.setsockopt(SOL_PACKET, VIRTUAL_HEADER, 1)
    port.setsockopt(SOL_PACKET, IGNORE_OUTGOING, 1)
    port.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
    port.bind((name, 0))
    return port


def relay(first: str, second: str, delay: float, loss: float) -> None:
    """Until the process is killed."""
    ports = open_port(first), open_port(second)
    chance = Random(7)
    waiting: deque[tuple[float, socket.socket, bytes]] = deque()  # in order, because all wait equally long
    with selectors.DefaultSelector() as selector:
        for here, there in (ports, ports[::-1]):
            selector.register(here, selectors.EVENT_READ, there)
        print("ready", flush=True)
        while True:
            patience = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
            for key, _ in selector.select(patience):
                assert isinstance(key.fileobj, socket.socket)
                frame = key.fileobj.recv(LARGEST)
                if chance.random() >= loss:
                    waiting.append((time.monotonic() + delay, key.data, frame))
            while waiting and waiting[0][0] <= time.monotonic():
                _, port, frame = waiting.popleft()
                port.send(frame)


if __name__ == "__main__":
    relay(sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000, float(sys.argv[4]))
