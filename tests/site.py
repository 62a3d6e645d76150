"""A site in processes of its own, for tests that kill it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

from appraise.operations.server import web_command

ROOT = Path(__file__).resolve().parent.parent
# In one process: to start Python and Django takes longer than either.
PREPARE = """
from django.core.management import call_command
call_command("migrate", verbosity=0)
call_command("collectstatic", interactive=False, verbosity=0)
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Site:
    """The web server on a database of its own, loaded with the demo; can be killed and started again."""

    def __init__(self, home: Path, database_url: str = "") -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.environment = {
            **{k: v for k, v in os.environ.items() if k != "DJANGO_SETTINGS_MODULE"},
            "APPRAISE_HOME": str(home),
            "DATABASE_URL": database_url,
            "SECRET_KEY": "tests-only-" + "x" * 40,
        }
        self.manage("shell", "-v", "0", "-c", PREPARE)
        self.process: subprocess.Popen[bytes] | None = None

    def manage(self, *arguments: str) -> str:
        command = [sys.executable, "manage.py", *arguments]
        run = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        return run.stdout

    def start(self) -> None:
        command = web_command("127.0.0.1", self.port, 2)
        self.process = subprocess.Popen(command, cwd=ROOT, env=self.environment, start_new_session=True)
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{self.url}/healthz", timeout=5):
                    return
            except (URLError, OSError):
                time.sleep(0.1)
        raise TimeoutError("the site did not answer within a minute")

    def kill(self) -> None:
        """SIGKILL to the whole group: nobody gets to say goodbye."""
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None
