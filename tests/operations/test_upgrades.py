"""A database of any earlier version becomes one of today and loses only what was removed on purpose."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT, MakeDatabase
from tests.operations.conftest import read_output, run_python

SOURCE = (ROOT / "tests" / "operations" / "upgrade.py").read_text("utf-8")
RELEASED = re.findall(r'"(\d+\.\d+\.\d+)": \{', SOURCE)
# Tables and columns that were removed on purpose, by the version whose database has them.
REMOVED = {
    "with draws": {  # selection of the next question, by evaluation/migrations/0009_remove_selection.py
        "evaluation_draw": ["comparison_id", "drawn_at", "id", "left", "number", "probability", "task_id"],
        "evaluation_task": ["selection"],
    }
}


@pytest.mark.parametrize("version", [*RELEASED, *REMOVED])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_earlier_schema_upgrades_with_every_value(
    kind: str, version: str, tmp_path: Path, new_postgres: MakeDatabase
) -> None:
    url = new_postgres("") if kind == "postgresql" else ""
    found = read_output(
        run_python("-m", "tests.operations.upgrade", version, home=tmp_path, DATABASE_URL=url)
    )
    assert found["filled"] > 20
    assert (found["lost"], found["changed"]) == (REMOVED.get(version, {}), [])


def test_every_release_in_the_changelog_is_tried() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## (\d+\.\d+\.\d+)(?!.*unreleased)", changes, re.MULTILINE)
    assert set(released) <= set(RELEASED)
