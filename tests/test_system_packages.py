"""Without root or apt, ``make test`` says what is missing and goes on; what is skipped is listed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TOOLS = ("bash", "id", "env", "echo")
JOURNEY = ROOT / "tests" / "journeys" / "test_copy.py"


@pytest.fixture
def path_without_apt(tmp_path: Path) -> str:
    """A path with a shell and without browsers, strace and apt."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).symlink_to(shutil.which(name) or pytest.fail(f"no {name} here"))
    return str(folder)


def run_script(path: str, *words: str) -> subprocess.CompletedProcess[str]:
    command = [shutil.which("bash") or "bash", str(ROOT / "scripts" / "system_packages.sh"), *words]
    return subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=False)


def test_tests_go_on_and_say_what_to_install(path_without_apt: str) -> None:
    run = run_script(path_without_apt)
    assert (run.returncode, run.stdout) == (0, "")
    assert "Missing: chromium fonts-dejavu-core." in run.stderr
    assert "sudo apt-get install chromium" in run.stderr
    assert "skipped, and listed" in run.stderr


def test_faults_cannot_go_on_without_strace(path_without_apt: str) -> None:
    run = run_script(path_without_apt, "faults")
    assert run.returncode == 1
    assert "chromium fonts-dejavu-core strace" in run.stderr


def test_nothing_is_said_where_nothing_is_missing(path_without_apt: str) -> None:
    for name in ("chromium", "strace"):
        Path(path_without_apt, name).symlink_to(sys.executable)
    run = run_script(path_without_apt, "faults")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_journeys_without_a_browser_are_skipped_with_the_reason(path_without_apt: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", str(JOURNEY)]
    environment = {**os.environ, "PATH": path_without_apt}
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
    assert re.fullmatch(r"\d+ skipped in .*", run.stdout.splitlines()[-1])
    assert "there is no Chromium on the path" in run.stdout
