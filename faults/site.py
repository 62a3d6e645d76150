"""A site on a copy of the prepared stage: started warm or cold, killed, stopped, started again."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from appraise.operations.server import web_command
from faults.base import POSTGRESQL, SQLITE, Ground
from faults.databases import Cluster, Store, give_to_postgres
from tests.site import ROOT, Site, free_port

BUG, CLOCK = "FAULTS_BUG", "FAULTS_CLOCK"


class StagedSite(Site):
    """The web server of one run, on a database of its own; a seeded bug comes in by its settings."""

    def __init__(
        self, ground: Ground, *, cluster_prefix: tuple[str, ...] = (), files: Path | None = None
    ) -> None:
        self.ground = ground
        files = files or ground.folder
        self.home = files / "home"
        shutil.copytree(ground.stage / ground.kind, self.home, dirs_exist_ok=True)
        self.cluster: Cluster | None = None
        url = ""
        if ground.kind == POSTGRESQL:
            data = files / "pgdata"
            shutil.copytree(ground.stage / "pgdata", data)
            give_to_postgres(data)
            self.cluster = Cluster(data, cluster_prefix)
            self.cluster.start()
            url = self.cluster.url
        self.store = Store(ground.kind, url or str(self.home / "appraise.sqlite3"))
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = environment(self.home, url, ground.bug)
        self.sessions: list[str] = json.loads((ground.stage / f"{ground.kind}.json").read_text())
        self.process: subprocess.Popen[bytes] | None = None
        self.group: int | None = None
        self._warm: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        if self._warm is not None:
            self._warm.kill()
            self._warm.communicate()
        if self.cluster is not None:
            self.cluster.stop("immediate")

    # --- starting ------------------------------------------------------------------------------------------

    def start(self, *prefix: str) -> None:
        """The ordinary web server, cold, as an operator starts it."""
        command = [*prefix, *web_command("127.0.0.1", self.port, 1)]
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env=self.environment,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=self.log(),
        )
        self.group = self.process.pid
        self.wait_until_up()

    def start_warm(self) -> None:
        if self._warm is None:
            self._warm = subprocess.Popen(
                [sys.executable, "-m", "faults.warm"], cwd=ROOT, env=self.environment, text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log(),
            )  # fmt: skip
            assert self._warm.stdout is not None
            if self._warm.stdout.readline() != "ready\n":
                raise RuntimeError(f"the server cannot start: {self.read_log()[-2000:]}")
        assert self._warm.stdin is not None
        assert self._warm.stdout is not None
        self._warm.stdin.write(f"{self.port}\n")
        self._warm.stdin.flush()
        self.group = int(self._warm.stdout.readline())
        self.wait_until_up()

    def log(self) -> int:
        return os.open(self.home / "stderr", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def read_log(self) -> str:
        return (self.home / "stderr").read_text("utf-8", "replace")

    def wait_until_up(self, seconds: float = 60) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.01)
        raise TimeoutError(f"the site did not come up: {self.read_log()[-2000:]}")

    # --- ending --------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """SIGKILL to the whole group, and wait until nothing of it is left."""
        self.end(signal.SIGKILL, 10)

    def stop(self, seconds: float = 30) -> bool:
        """SIGTERM to the server as a service manager sends it; whether everything ended in time."""
        if self.group is not None:
            os.kill(self.group, signal.SIGTERM)
        return self._gone(seconds)

    def end(self, how: signal.Signals, seconds: float) -> None:
        if self.group is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self.group, how)
        if not self._gone(seconds):
            raise TimeoutError(f"process group {self.group} outlived signal {how}")

    def _gone(self, seconds: float) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if self.group is None or not living(self.group):
                if self.process is not None:
                    self.process.wait()
                self.group = self.process = None
                return True
            time.sleep(0.005)
        return False


def living(group: int) -> bool:
    """Whether a process of the group still runs; a zombie does not count."""
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                state, _, its_group = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[:3]
            except OSError:  # it has ended in the meantime
                continue
            if int(its_group) == group and state not in "ZX":
                return True
    return False


def environment(home: Path, url: str, bug: str = "") -> dict[str, str]:
    """What a site's processes see; without a bug it is what an operator's would see."""
    return {
        **{k: v for k, v in os.environ.items() if k not in {BUG, CLOCK, "PYTHONDONTWRITEBYTECODE"}},
        "APPRAISE_HOME": str(home),
        "DATABASE_URL": url,
        "SECRET_KEY": "faults-only-" + "x" * 40,
        "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "faults.settings" if bug else "appraise.settings",
        **({BUG: bug} if bug else {}),
    }


def prepare_stage(folder: Path, kind: str) -> None:
    """Once per run of everything: a filled site to copy."""
    home = folder / kind
    home.mkdir(parents=True)
    cluster = None
    if kind == POSTGRESQL:
        data = folder / "pgdata"
        data.mkdir(mode=0o700)
        give_to_postgres(data)
        cluster = Cluster(data)
        cluster.initialise()
        cluster.start("fsync=off")
    try:
        run = subprocess.run(
            [sys.executable, "-m", "faults.prepare"], cwd=ROOT, capture_output=True, text=True, check=False,
            env=environment(home, cluster.url if cluster else ""),
        )  # fmt: skip
    finally:
        if cluster:
            cluster.stop()
    if run.returncode:
        raise RuntimeError(run.stderr[-4000:])
    if kind == SQLITE:  # one file, nothing left in its log: a copy of it is complete
        Store(kind, str(home / "appraise.sqlite3")).rows("PRAGMA wal_checkpoint(TRUNCATE)")
    (folder / f"{kind}.json").write_text(run.stdout.splitlines()[-1])
