"""A database filled by the demo of the version before the redesign migrates and shows the same figures."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
from pathlib import Path

import pytest

from tests.operations.conftest import read_output, run_python

HERE = Path(__file__).parent
DUMP = HERE / "demo_0008.sql.gz"  # schema of evaluation/migrations/0008; invented data only
FIGURES = HERE / "demo_0008_figures.json.gz"  # as printed by the version that filled the database
# Changed on purpose since then: sides and times are those of the answers that count, without repeats and
# checks, and the panel predicts held-out answers instead of simulating itself.
CHANGED = re.compile(r"/annotator_lines/\d+/(times|bias)/|/expected_calibration/")


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
        same = {path: value for path, value in figures.items() if not CHANGED.search(path)}
        assert {path: shown[name].get(path) for path in same} == pytest.approx(same, rel=1e-9), name
        for path, answers in figures.items():
            if path.startswith("/annotator_lines/") and path.endswith("/answers"):
                bias = path.removesuffix("answers") + "bias/"
                parts = ("left", "right", "ties", "not_applicable")
                assert sum(shown[name][bias + part] for part in parts) == answers
