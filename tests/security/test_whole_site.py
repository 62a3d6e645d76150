"""Raw bytes and raw connections: what no test inside the framework can see."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # one site for the whole file

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def checks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home = tmp_path_factory.mktemp("site") / "home"
    home.mkdir()
    environment = {
        key: value for key, value in os.environ.items() if key not in {"DATABASE_URL", "SECRET_KEY"}
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.security.whole_site", str(home)],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    result["said"] = done.stderr
    return result


def test_no_connection_leaves_the_machine(checks: dict[str, Any]) -> None:
    """Imports, annotation, scoring and reports on SQLite open no socket at all."""
    assert checks["connections"] == []


def test_an_erased_name_is_in_no_byte_of_the_database(checks: dict[str, Any]) -> None:
    assert len(checks["at work"]) >= 4  # the test can see them
    assert checks["after the erasure"] == []
    assert checks["rankings"] > 0


def test_a_restored_backup_forgets_the_person_again(checks: dict[str, Any]) -> None:
    assert len(checks["restored"]) >= 4
    assert checks["erased again"] == 1
    assert checks["after the replay"] == []


def test_the_log_names_nobody(checks: dict[str, Any]) -> None:
    assert "anarienvogel" not in checks["said"]
