"""A site on several hosts, set up with the files of ``deploy/several-hosts`` as they are.

A proxy, two web hosts, a worker, a primary and a standby; people on a host of their own. ``APPRAISE_HOME`` is
a folder that web hosts and worker share.
"""

from __future__ import annotations

import http.client
import json
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from endurance.network import ADDRESSES, BACK, FRONT, Network
from faults.base import POSTGRESQL, Ground
from faults.databases import Cluster, Store, give_to_postgres
from faults.journal import Journal
from faults.people import Person, wait_for
from faults.site import environment
from tests.site import ROOT

RECIPE = ROOT / "deploy" / "several-hosts"
WEB_HOSTS = ("web1", "web2")
WEB_PORT, PROXY_PORT = 8000, 80
LISTEN = "listen_addresses=0.0.0.0"  # as in the recipe; the harness starts its servers without
SITE = "appraise.example"
PASSWORD = "change-me"
ROLES = (
    f"CREATE ROLE appraise LOGIN PASSWORD '{PASSWORD}'",
    f"CREATE ROLE replicator LOGIN REPLICATION PASSWORD '{PASSWORD}'",
    "CREATE DATABASE appraise OWNER appraise TEMPLATE template0",
)


class RemotePerson(Person):
    """An annotator on the host of the people, who reaches the site through its proxy."""

    host = ADDRESSES["proxy"][FRONT]
    network: Network

    def run(self) -> None:
        with self.network.inside("people"):
            super().run()


class Hosts:
    """Started as a whole; ``synchronous``: the primary waits for the standby before it acknowledges."""

    def __init__(self, ground: Ground, *, synchronous: bool = True) -> None:
        self.ground, self.synchronous = ground, synchronous
        self.network = Network()
        self.home = ground.folder / "home"
        self.sessions: list[str] = json.loads((ground.stage / f"{POSTGRESQL}.json").read_text())
        self.databases = {host: Cluster(ground.folder / host) for host in ("db1", "db2")}
        self.environment = {**environment(self.home, "", ground.bug), **read_settings()}
        self.environment["HTTPS"] = "false"  # the proxy of the test has no certificate

    def __enter__(self) -> Self:
        self.network.__enter__()
        try:
            shutil.copytree(self.ground.stage / POSTGRESQL, self.home)
            self._start_primary()
            self._start_standby()
            for host in WEB_HOSTS:
                self.start_web(host)
            self._start("proxy", ["haproxy", "-q", "-db", "-f", str(RECIPE / "haproxy.cfg")])
            if not wait_for(self.is_complete, 90):
                raise TimeoutError(f"the hosts did not come up: {self.read_log()[-2000:]}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.network.__exit__()  # with every process on the hosts
        for cluster in self.databases.values():
            cluster.running = False
            cluster.stop()

    # --- starting

    def _start_primary(self) -> None:
        data, cluster = self.ground.folder / "db1", self.databases["db1"]
        shutil.copytree(self.ground.stage / "pgdata", data)
        configure(data, "postgresql.conf", self.synchronous)
        configure(data, "pg_hba.conf")
        give_to_postgres(data)
        # The roles and the database first, on the host itself: no standby is there to wait for yet.
        cluster.start("synchronous_standby_names=''")
        Store(POSTGRESQL, cluster.url).administer(*ROLES)
        copy_database(cluster)
        cluster.stop_server()
        with self.network.inside("db1"):
            cluster.start(LISTEN)

    def _start_standby(self) -> None:
        data, cluster = self.ground.folder / "db2", self.databases["db2"]
        data.mkdir(mode=0o700)
        give_to_postgres(data)
        primary = f"host={ADDRESSES['db1'][BACK]} user=replicator password={PASSWORD}"
        with self.network.inside("db2"):
            cluster.execute(
                "pg_basebackup", "-d", primary, "-D", str(data), "-R", "-X", "stream", "--no-sync"
            )
            cluster.start(LISTEN)

    def start_web(self, host: str) -> None:
        """As an operator does."""
        options = [
            "--host",
            ADDRESSES[host][FRONT],
            "--port",
            str(WEB_PORT),
            "--processes",
            "1",
            "--no-worker",
        ]
        self._start(host, [sys.executable, "manage.py", "start", *options])

    def start_worker(self) -> None:
        self._start(
            "worker", [sys.executable, "manage.py", "worker", "--no-startup-delay", "--interval", "0.2"]
        )

    def _start(self, host: str, command: list[str]) -> None:
        with self.network.inside(host), (self.ground.folder / "log").open("ab") as log:
            subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip

    def read_log(self) -> str:
        return (self.ground.folder / "log").read_text("utf-8", "replace")

    def is_complete(self) -> bool:
        return all(self.ask(host, "GET", "/readyz")[0] == 200 for host in ("proxy", *WEB_HOSTS))

    # --- using it

    def ask(
        self, host: str, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None,
        *, patience: float = 60.0,
    ) -> tuple[int, dict[str, str], str]:  # fmt: skip
        """A request from the host of the people; status 0 where nothing answered."""
        port = PROXY_PORT if host == "proxy" else WEB_PORT
        with self.network.inside("people"), suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection(ADDRESSES[host][FRONT], port, timeout=patience)
            try:
                connection.request(method, path, body, {"Host": SITE, **(headers or {})})
                response = connection.getresponse()
                return (
                    response.status,
                    {key.lower(): value for key, value in response.headers.items()},
                    response.read().decode(),
                )
            finally:
                connection.close()
        return 0, {}, ""

    def manage(self, *arguments: str) -> str:
        """A management command on the first web host."""
        with self.network.inside("web1"):
            run = subprocess.run(
                [sys.executable, "manage.py", *arguments],
                cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False,
            )  # fmt: skip
        if run.returncode:
            raise RuntimeError(f"{arguments[0]}: {run.stderr[-2000:]}")
        return run.stdout

    def crowd(
        self, journal: Journal, over: threading.Event, *, people: int, task: str, corrections: int = 0
    ) -> list[Person]:
        made: list[Person] = []
        for number, session in enumerate(self.sessions[:people]):
            person = RemotePerson(
                PROXY_PORT, session, number, journal, over, task=task, corrections=corrections
            )
            person.network = self.network
            person.headers["Host"] = SITE
            made.append(person)
        for each in made:
            each.start()
        return made

    def fail_over(self) -> float:
        """Kill the primary's host and promote the standby; the seconds that this took."""
        started = time.monotonic()
        self.network.kill("db1")
        with self.network.inside("db2"):
            self.databases["db2"].promote()
        return time.monotonic() - started

    def store(self, host: str = "db1") -> Store:
        """The database as its own host sees it."""
        return Store(POSTGRESQL, self.databases[host].url.replace("/postgres?", "/appraise?"))


def read_settings() -> dict[str, str]:
    """The variables of the recipe."""
    lines = (RECIPE / "appraise.env").read_text("utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def configure(data: Path, name: str, synchronous: bool = True) -> None:
    """Add the lines of the recipe."""
    lines = (RECIPE / name).read_text("utf-8").splitlines()
    kept = [line for line in lines if synchronous or not line.startswith("synchronous_standby_names")]
    with (data / name).open("a") as file:
        file.write("\n".join(["", *kept, ""]))


def copy_database(cluster: Cluster) -> None:
    """The prepared site, owned by the role of the recipe."""
    dump = cluster.data.parent / "stage.dump"
    where = ["-h", str(cluster.sockets), "-U", "postgres"]
    cluster.execute(
        "pg_dump", *where, "-Fc", "--no-owner", "-f", str(cluster.sockets / dump.name), "postgres"
    )
    cluster.execute(
        "pg_restore", *where, "--no-owner", "--role", "appraise", "-d", "appraise",
        str(cluster.sockets / dump.name),
    )  # fmt: skip


def read_json(text: str) -> dict[str, Any]:
    """A JSON object."""
    found: dict[str, Any] = json.loads(text)
    return found
