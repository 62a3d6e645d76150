"""Hosts as network namespaces on two switches, with links that can be cut, delayed and made lossy.

The front network is that of people, proxy and web servers; the back network that of web servers, worker and
databases. All interfaces live inside the namespaces, so that nothing of the machine's own network changes.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from tests.site import ROOT

FRONT, BACK = "front", "back"
ADDRESSES = {
    "people": {FRONT: "10.77.1.50"},
    "proxy": {FRONT: "10.77.1.10"},
    "web1": {FRONT: "10.77.1.11", BACK: "10.77.2.11"},
    "web2": {FRONT: "10.77.1.12", BACK: "10.77.2.12"},
    "db1": {BACK: "10.77.2.21"},
    "db2": {BACK: "10.77.2.22"},
    "worker": {BACK: "10.77.2.31"},
}
SWITCH = "switch"
NEW_NETWORK = 0x40000000  # CLONE_NEWNET
NAMESPACES = Path("/run/netns")


def find_obstacle() -> str:
    """Why hosts cannot be made here; empty where they can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "needs root on Linux"
    missing = [name for name in ("ip", "haproxy") if shutil.which(name) is None]
    if missing:
        return f"needs {' and '.join(missing)} (scripts/system_packages.sh hosts)"
    name = f"appraise-probe-{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
    return f"network namespaces cannot be made: {tried.stderr.strip()}" if tried.returncode else ""


class Network:
    """The hosts; their names hold the number of the process that made them."""

    def __init__(self) -> None:
        self.prefix = f"appraise-{os.getpid()}-"
        self.wires: dict[tuple[str, str], subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        try:
            self._build()
        except BaseException:
            remove(self.prefix)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        remove(self.prefix)
        for wire in self.wires.values():
            wire.wait()

    def _build(self) -> None:
        for host in (SWITCH, *ADDRESSES):
            ip("netns", "add", self.name(host))
            ip("-n", self.name(host), "link", "set", "lo", "up")
        for network in (FRONT, BACK):
            self._switch("link", "add", network, "type", "bridge")
            self._switch("link", "set", network, "up")
        for host, addresses in ADDRESSES.items():
            for network, address in addresses.items():
                port, name = port_of(host, network), self.name(host)
                self._switch("link", "add", port, "type", "veth", "peer", "name", network, "netns", name)
                self._switch("link", "set", port, "master", network, "up")
                ip("-n", name, "address", "add", f"{address}/24", "dev", network)
                ip("-n", name, "link", "set", network, "up")

    def name(self, host: str) -> str:
        return self.prefix + host

    def _switch(self, *arguments: str) -> None:
        ip("-n", self.name(SWITCH), *arguments)

    @contextmanager
    def inside(self, host: str) -> Iterator[None]:
        """The calling thread is on this host, with every process that it starts."""
        with Path("/proc/thread-self/ns/net").open() as home, (NAMESPACES / self.name(host)).open() as away:
            _enter(away.fileno())
            try:
                yield
            finally:
                _enter(home.fileno())

    # --- what happens to links and hosts

    def cut(self, host: str, network: str) -> None:
        """Nothing arrives any more, and neither side is told."""
        self._switch("link", "set", port_of(host, network), "nomaster")

    def heal(self, host: str, network: str) -> None:
        """An undisturbed link again, whatever it was."""
        if wire := self.wires.pop((host, network), None):
            wire.kill()
            wire.wait()
            self._switch("link", "delete", f"w-{port_of(host, network)}")
        self._switch("link", "set", port_of(host, network), "master", network)

    def disturb(self, host: str, network: str, *, milliseconds: float, loss: float = 0.0) -> None:
        """Delay every frame in both directions, and lose some of them at random (seeded)."""
        port = port_of(host, network)
        inner, outer = f"v-{port}", f"w-{port}"
        self.cut(host, network)
        self._switch("link", "add", inner, "type", "veth", "peer", "name", outer)
        self._switch("link", "set", inner, "up")
        self._switch("link", "set", outer, "master", network, "up")
        command = [sys.executable, "-m", "endurance.wire", port, inner, str(milliseconds), str(loss)]
        with self.inside(SWITCH):
            wire = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
        self.wires[host, network] = wire
        assert wire.stdout is not None
        with wire.stdout as said:
            is_ready = said.readline() == b"ready\n"
        if not is_ready:
            raise RuntimeError("the disturbed link did not come up")

    def kill(self, host: str) -> None:
        """Power off: the links are silent and no process gets to say goodbye."""
        for network in ADDRESSES[host]:
            self.cut(host, network)
        kill_processes(self.name(host))

    def revive(self, host: str) -> None:
        for network in ADDRESSES[host]:
            self.heal(host, network)


def port_of(host: str, network: str) -> str:
    return f"{host}-{network[0]}"


def ip(*arguments: str) -> None:
    run = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {run.stderr.strip()}")


def kill_processes(name: str) -> None:
    found = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    for pid in found.stdout.split():
        if int(pid) != os.getpid():
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def remove(prefix: str) -> None:
    """Remove the hosts of one network with all of their processes; nothing happens if there are none."""
    for path in sorted(NAMESPACES.glob(f"{prefix}*")):
        kill_processes(path.name)
        subprocess.run(["ip", "netns", "delete", path.name], capture_output=True, check=False)


def remove_leftovers() -> None:
    """Remove the hosts of processes that were killed before they could do it."""
    for path in NAMESPACES.glob(f"appraise-*-{SWITCH}"):
        _, pid, _ = path.name.split("-")
        if not Path("/proc", pid).exists():
            remove(path.name.removesuffix(SWITCH))


def _enter(namespace: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(namespace, NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "cannot enter the network namespace")
