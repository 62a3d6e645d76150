"""The published schemas of the exports are true of every export, and refuse what is none."""

from __future__ import annotations

import csv
import json
from io import StringIO
from typing import Any

import pytest
from hypothesis import given, strategies as st
from jsonschema_rs import validator_for

from evaluation.exporters import ExportedPair
from evaluation.exporters.rows import COLUMNS
from evaluation.exporters.schema import ANSWER_COLUMNS, VERSION, line_schema, table_schema
from tests.exporters.test_formats import asked, written

CHECKER = validator_for(line_schema())


def find_cell_problems(text: str) -> list[str]:
    """Check a CSV by its table schema, as a program would that knows nothing else."""
    schema = table_schema()
    header, *rows = csv.reader(StringIO(text, newline=""))
    assert header == [field["name"] for field in schema["fields"]]
    return [
        f"{field['name']}: {cell!r}"
        for row in rows
        for field, cell in zip(schema["fields"], row, strict=True)
        if not is_valid(field, cell, schema["missingValues"])
    ]


def is_valid(field: dict[str, Any], cell: str, missing: list[str]) -> bool:
    limits = field["constraints"]
    if cell in missing:
        return not limits["required"]
    if field["type"] == "boolean":
        return cell in field["trueValues"] + field["falseValues"]
    if field["type"] == "integer":
        return cell.isdigit() and int(cell) >= limits["minimum"]
    return cell in limits.get("enum", [cell])


def test_the_columns_are_those_of_the_exports() -> None:
    assert tuple(column.name for column in ANSWER_COLUMNS) == COLUMNS


@given(st.lists(asked, max_size=3))
def test_every_export_is_valid(pairs: list[ExportedPair]) -> None:
    for line in written("jsonl", pairs).split("\n")[:-1]:
        CHECKER.validate(json.loads(line))
    assert find_cell_problems(written("csv", pairs)) == []


LINE: dict[str, Any] = {
    "task": "t", "item": "s1", "document": "", "pair": "0f", "kind": "different", "first": "a", "second": "b",
    "systems_first": ["alpha"], "systems_second": [], "check": "", "question": None, "annotator": "a-1",
    "presentation": 0, "version": 1, "current": True, "label": "A>B", "reason": "", "left": "first",
    "surplus": False, "alignment": None, "active_ms": None, "elapsed_ms": None, "order": 1,
    "received_at": None,
}  # fmt: skip


@pytest.mark.parametrize(
    "changed",
    [{"label": "A>>>B"}, {"label": ""}, {"kind": "other"}, {"left": None}, {"version": 0}, {"order": "1"},
     {"systems_first": "alpha"}, {"annotator": ""}, {"current": "yes"}, {"new": 1}],
)  # fmt: skip
def test_what_is_no_answer_is_refused(changed: dict[str, Any]) -> None:
    assert CHECKER.is_valid(LINE)
    assert not CHECKER.is_valid(LINE | changed)


@pytest.mark.parametrize("name", sorted(LINE))
def test_a_line_has_every_column(name: str) -> None:
    assert not CHECKER.is_valid({key: value for key, value in LINE.items() if key != name})


@pytest.mark.parametrize(
    ("name", "cell"), [("label", "A>>>B"), ("current", "true"), ("version", "0"), ("left", "")]
)
def test_what_is_no_cell_is_refused(name: str, cell: str) -> None:
    cells = [cell if column == name else "" for column in COLUMNS]
    out = StringIO()
    csv.writer(out).writerows([COLUMNS, cells])
    assert f"{name}: {cell!r}" in find_cell_problems(out.getvalue())


def test_a_new_column_needs_a_new_version() -> None:
    """Version 1 had these columns. With others, raise the version and change the number here."""
    assert (VERSION, len(ANSWER_COLUMNS)) == (1, 24)
