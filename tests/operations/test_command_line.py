"""``manage.py`` started by whatever Python is at hand."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import MakeDatabase
from tests.operations.conftest import run_python

ROOT = Path(__file__).resolve().parent.parent.parent


def start(folder: Path) -> subprocess.CompletedProcess[str]:
    """In a checkout of its own, by a Python that knows no package."""
    shutil.copy(ROOT / "manage.py", folder)
    command = [sys.executable, "-S", "manage.py", "plan", "--help"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_folder_or_file_that_cannot_be_opened_is_one_line_and_not_a_traceback(tmp_path: Path) -> None:
    text = tmp_path / "news.txt"
    text.write_text("One sentence.\n")
    below = text / "below"  # a file has nothing below it
    for command in (["backup", str(below)], ["train", "lm", "--text", str(text), "--out", f"{below}.npz/x"]):
        run = run_python("manage.py", *command, home=tmp_path / "home")
        assert (run.returncode, run.stdout) == (2, "")
        last = run.stderr.splitlines()[-1]
        assert re.fullmatch(r".*below.*: cannot_open: .+; check the path and its permissions", last)
        assert "Traceback" not in run.stderr


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_database_without_tables_is_one_line_that_says_how_to_make_them(
    kind: str, new_postgres: MakeDatabase, tmp_path: Path
) -> None:
    url = new_postgres("") if kind == "postgresql" else ""
    run = run_python("manage.py", "standing", "--task", "none", home=tmp_path, DATABASE_URL=url)
    assert (run.returncode, run.stdout) == (1, "")
    line = (
        r"unprepared_database: the database \S+ lacks tables of this Appraise; make them with "
        r"`manage\.py migrate` \(`manage\.py start` does so, too\), or check APPRAISE_HOME\n"
    )
    assert re.fullmatch(line, run.stderr)


def test_a_server_that_is_away_is_told_in_one_line(tmp_path: Path) -> None:
    away = "postgresql://someone:secret@localhost:1/study"
    run = run_python("manage.py", "agreement", "--task", "none", home=tmp_path, DATABASE_URL=away)
    assert run.returncode == 1
    line = run.stderr.splitlines()[-1]  # the pool has logged its attempts before
    assert line.startswith("unreachable_database: the database study at localhost:1 cannot be opened (")
    assert "Traceback" not in run.stderr
    assert "secret" not in run.stderr


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
