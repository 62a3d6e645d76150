"""Whatever a text holds, it comes back exactly; a spreadsheet never sees a formula; XML parses."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from io import StringIO

import pytest
from defusedxml import ElementTree
from hypothesis import given, strategies as st

from appraise.lib.tables import FORMULA_STARTS
from evaluation.exporters import FORMATS, ExportedAnswer, ExportedPair
from evaluation.exporters.bundle_reader import find_cell_differences
from evaluation.exporters.rows import COLUMNS
from evaluation.exporters.xml_file import replace_illegal

nasty = st.text(
    st.one_of(st.characters(codec="utf-8"), st.sampled_from("=+-@\t\r\n\"',;<>&\\|{}")), max_size=12
)
answer_rows = st.builds(
    ExportedAnswer,
    annotator=st.just("a-0123456789"),
    presentation=st.integers(0, 1),
    version=st.integers(1, 3),
    current=st.booleans(),
    label=st.sampled_from(["A>>B", "N/A", None]),
    reason=st.sampled_from(["", "meaning", "other"]),
    left=st.sampled_from(["first", "second"]),
    surplus=st.booleans(),
    alignment=st.none() | st.integers(1, 3),
    active_ms=st.none() | st.integers(0, 10**6),
    elapsed_ms=st.none() | st.integers(0, 10**6),
    order=st.integers(1, 10**6),
)
asked = st.builds(
    ExportedPair,
    task=st.just("t"),
    item=nasty,
    document=nasty,
    pair=st.just("0f"),
    kind=st.just("different"),
    first=nasty,
    second=nasty,
    systems_first=st.lists(nasty, max_size=2).map(tuple),
    systems_second=st.lists(nasty, max_size=2).map(tuple),
    check=st.sampled_from(["", "degraded"]),
    question=st.none() | st.integers(0, 2000),
    answers=st.lists(answer_rows, min_size=1, max_size=3),
)


def written(name: str, pairs: list[ExportedPair]) -> str:
    return "".join(FORMATS[name].write(pairs))


def text(value: object) -> str:
    return (
        "" if value is None else {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
    )


def rows_of(pairs: list[ExportedPair]) -> list[list[str]]:
    return [[*pair.cells, *map(text, answer)] for pair in pairs for answer in pair.answers]


@given(st.lists(asked, max_size=3))
def test_csv_holds_every_text_exactly(pairs: list[ExportedPair]) -> None:
    header, *rows = csv.reader(StringIO(written("csv", pairs), newline=""))
    assert tuple(header) == COLUMNS
    assert rows == rows_of(pairs)


@given(st.lists(asked, max_size=3))
def test_tsv_holds_every_text_exactly(pairs: list[ExportedPair]) -> None:
    def read(cell: str) -> str:
        signs = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
        found, escaped = "", False
        for sign in cell:
            if escaped:
                found, escaped = found + signs[sign], False
            elif sign == "\\":
                escaped = True
            else:
                found += sign
        return found

    header, *lines, last = written("tsv", pairs).split("\n")
    assert (tuple(header.split("\t")), last) == (COLUMNS, "")
    assert [[read(cell) for cell in line.split("\t")] for line in lines] == rows_of(pairs)


@given(st.lists(asked, max_size=3))
def test_json_lines_hold_every_value_exactly(pairs: list[ExportedPair]) -> None:
    rows = [json.loads(line) for line in written("jsonl", pairs).split("\n")[:-1]]
    answers = [(pair, answer) for pair in pairs for answer in pair.answers]
    assert [list(row) for row in rows] == [list(COLUMNS)] * len(rows)
    for row, (pair, answer) in zip(rows, answers, strict=True):
        assert (row["first"], row["systems_second"]) == (pair.first, list(pair.systems_second))
        assert (row["label"], row["current"], row["active_ms"]) == (answer[4], answer[3], answer[9])


@given(st.lists(asked, max_size=3))
def test_no_cell_of_the_spreadsheet_can_be_a_formula(pairs: list[ExportedPair]) -> None:
    content = written("spreadsheet", pairs)
    assert content.startswith("\ufeff")
    for row in csv.reader(StringIO(content[1:], newline="")):
        assert not any(cell.startswith(tuple(FORMULA_STARTS)) for cell in row)


@given(st.lists(asked, max_size=3))
def test_xml_parses_and_holds_every_text(pairs: list[ExportedPair]) -> None:
    root = ElementTree.fromstring(written("xml", pairs).encode())
    assert [pair.findtext("first/text") for pair in root] == [replace_illegal(pair.first) for pair in pairs]
    assert [pair.get("item", "") for pair in root] == [replace_illegal(pair.item) for pair in pairs]
    assert [len(pair.findall("ranking")) for pair in root] == [len(pair.answers) for pair in pairs]


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_is_still_a_valid_file(name: str) -> None:
    content = written(name, [])
    assert content == "" if name == "jsonl" else content


def test_formats_are_streams() -> None:
    """Of a million pairs only a block is taken before the first piece is given."""
    taken = 0

    def endless() -> Iterator[ExportedPair]:
        nonlocal taken
        answer = ExportedAnswer("a", 0, 1, True, "A>B", "style", "first", False, 1, 1, 1, 1)
        pair = ExportedPair("t", "i", "", "0f", "different", "x", "y", ("s",), ("r",), "", 3, [answer])
        while True:
            taken += 1
            yield pair

    for name in FORMATS:
        taken = 0
        pieces = FORMATS[name].write(endless())
        for _ in range(4):
            next(pieces)
        assert taken <= 2000, name


@pytest.mark.parametrize(
    ("stored", "computed", "same"),
    [
        ("a\n0.1\n", "a\n0.10000000000000002\n", True),
        ("a\n0.1\n", "a\n0.1001\n", False),
        ("a\n\n", "a\n0\n", False),
        ("a\nx\n", "a\ny\n", False),
        ("a\n1\n2\n", "a\n1\n", False),
        ("a\n0.0\n", "a\n-0.0\n", True),
    ],
)
def test_only_the_last_digits_of_a_number_may_differ(stored: str, computed: str, same: bool) -> None:
    assert (find_cell_differences(stored, computed) == []) is same
