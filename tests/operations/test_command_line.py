"""``manage.py`` started by whatever Python is at hand."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    """In a checkout of its own, by a Python that knows no package."""
    shutil.copy(ROOT / "manage.py", folder)
    command = [sys.executable, "-S", "manage.py", "plan", "--help"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_python_without_django_hands_over_to_the_environment_of_the_checkout(tmp_path: Path) -> None:
    ours = tmp_path / ".venv" / "bin" / "python"
    ours.parent.mkdir(parents=True)
    ours.write_text('#!/bin/sh\necho "$@"\n')
    ours.chmod(0o755)
    assert start(tmp_path).stdout == "manage.py plan --help\n"


def test_without_an_environment_it_says_how_to_make_one(tmp_path: Path) -> None:
    found = start(tmp_path)
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == "Appraise has no environment here yet; make one with: make setup\n"
