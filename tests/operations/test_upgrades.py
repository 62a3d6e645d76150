"""A database of any released version becomes one of today without losing a value."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import ROOT, MakeDatabase
from tests.operations.conftest import run_python, told

SOURCE = (ROOT / "tests" / "operations" / "upgrade.py").read_text("utf-8")
RELEASED = re.findall(r'"(\d+\.\d+\.\d+)": \{', SOURCE)


@pytest.mark.parametrize("version", RELEASED)
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_every_released_schema_upgrades_with_every_value(
    kind: str, version: str, tmp_path: Path, new_postgres: MakeDatabase
) -> None:
    url = new_postgres("") if kind == "postgresql" else ""
    found = told(run_python("-m", "tests.operations.upgrade", version, home=tmp_path, DATABASE_URL=url))
    assert found["filled"] > 20
    assert (found["lost"], found["changed"]) == ({}, [])


def test_every_release_in_the_changelog_is_tried() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    released = re.findall(r"^## (\d+\.\d+\.\d+)(?!.*unreleased)", changes, re.MULTILINE)
    assert set(released) <= set(RELEASED)
