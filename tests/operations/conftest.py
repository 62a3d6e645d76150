"""Sites in processes of their own: what an operator does, done to a real database of each kind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT, MakeDatabase

NOT_INHERITED = {
    "DJANGO_SETTINGS_MODULE", "PYTHONDONTWRITEBYTECODE", "DATABASE_URL", "SECRET_KEY",
    "PROMETHEUS_MULTIPROC_DIR",
}  # fmt: skip


def clean_environment(home: Path, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_INHERITED}
    return {**inherited, "APPRAISE_HOME": str(home), **more}


def run_python(*arguments: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=clean_environment(home, **environment),
        capture_output=True,
        text=True,
        check=False,
    )


def read_output(run: subprocess.CompletedProcess[str]) -> Any:  # Any: whatever document the command prints
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


FILL = """
from tests.operations.story import call_command, fill
call_command("migrate", verbosity=0)
fill()
"""


@pytest.fixture(scope="session")
def filled_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site on SQLite with a task, people and answers. Look, or copy it; do not touch."""
    home = tmp_path_factory.mktemp("filled")
    run = run_python("-c", FILL, home=home)
    assert run.returncode == 0, run.stderr
    return home


@pytest.fixture
def home(filled_home: Path, tmp_path: Path) -> Path:
    """A copy of that site for one test."""
    return Path(shutil.copytree(filled_home, tmp_path / "home"))


@dataclass(frozen=True)
class Moved:
    url: str
    document: dict[str, Any]


@pytest.fixture(scope="session")
def moved(filled_home: Path, new_postgres: MakeDatabase) -> Moved:
    """The same site, moved to PostgreSQL by the command that is meant for it."""
    url = new_postgres("")
    return Moved(url, read_output(run_python("manage.py", "copy_to_postgres", url, home=filled_home)))
