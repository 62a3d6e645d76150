"""A database filled by the demo of the version before the redesign migrates and shows the same figures."""

from __future__ import annotations

import gzip
import json
import sqlite3
from pathlib import Path

import pytest

from tests.operations.conftest import read_output, run_python

HERE = Path(__file__).parent
DUMP = HERE / "demo_0008.sql.gz"  # schema of evaluation/migrations/0008; invented data only
FIGURES = HERE / "demo_0008_figures.json.gz"  # as printed by the version that filled the database


def test_reports_of_a_migrated_database_show_the_same_figures(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "appraise.sqlite3") as database:
        database.executescript(gzip.decompress(DUMP.read_bytes()).decode())
    database.close()
    run_python("manage.py", "migrate", "--verbosity", "0", home=tmp_path, DATABASE_URL="")
    shown = read_output(
        run_python("-m", "tests.database.old_database", str(FIGURES), home=tmp_path, DATABASE_URL="")
    )
    expected = json.loads(gzip.decompress(FIGURES.read_bytes()))
    assert len(expected) > 30
    for name, figures in expected.items():
        assert {path: shown[name].get(path) for path in figures} == pytest.approx(figures, rel=1e-9), name
