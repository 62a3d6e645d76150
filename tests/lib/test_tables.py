"""The one table and its renderings."""

from __future__ import annotations

import csv
import json
from io import StringIO

import pytest
from hypothesis import given, strategies as st

from appraise.lib.tables import (
    FORMATS,
    FORMULA_STARTS,
    Cell,
    Table,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
    to_text,
    to_tsv,
)

texts = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("=+-@\t\r\n\"',|\\{}")), max_size=9)
numbers = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    width = draw(st.integers(1, 4))
    row = st.tuples(*[st.one_of(texts, numbers)] * width)
    return Table("Title", tuple(f"c{n}" for n in range(width)), tuple(draw(st.lists(row, max_size=4))))


def read(text: str, delimiter: str) -> list[list[str]]:
    return list(csv.reader(StringIO(text, newline=""), delimiter=delimiter))


def expected(cell: Cell) -> str:
    if isinstance(cell, str):
        return f"'{cell}" if cell[:1] in FORMULA_STARTS else cell
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


@pytest.mark.parametrize(("render", "delimiter"), [(to_csv, ","), (to_tsv, "\t")])
@given(table=tables())
def test_delimited_files_keep_every_value_and_run_no_formula(
    render: object, delimiter: str, table: Table
) -> None:
    assert callable(render)
    rows = read(render(table), delimiter)
    assert rows == [list(table.columns), *([expected(cell) for cell in row] for row in table.rows)]


def test_a_number_below_zero_is_no_formula() -> None:
    assert to_csv(Table("t", ("x",), ((-1,), (-0.5,)))) == "x\n-1\n-0.5\n"


def test_a_name_of_a_column_cannot_be_a_formula() -> None:
    assert to_csv(Table("t", ("=HYPERLINK(1)",), ())) == "'=HYPERLINK(1)\n"


@given(tables())
def test_json_holds_the_values_unchanged(table: Table) -> None:
    document = json.loads(to_json(table))
    assert document["columns"] == list(table.columns)
    assert document["rows"] == [list(row) for row in table.rows]


def test_latex_escapes_what_latex_reads() -> None:
    text = to_latex(Table("t", ("a_b",), (("5 % & {x}",), (-0.5,), (None,))))
    assert r"a\_b \\" in text
    assert r"5 \% \& \{x\} \\" in text
    assert "$-$0.5000" in text
    assert "-- \\\\" in text


def test_text_and_markdown_show_four_digits_and_dashes() -> None:
    table = Table("Kappa", ("name", "value"), (("a|b", 0.25), ("c", None)))
    assert to_text(table) == "Kappa\nname  value\na|b   0.2500\nc     –\n"
    assert to_markdown(table).splitlines()[2:] == ["| a\\|b | 0.2500 |", "| c | – |"]


@pytest.mark.parametrize("extension", FORMATS)
def test_every_format_renders_an_empty_table(extension: str) -> None:
    assert "c" in FORMATS[extension].render(Table("t", ("c",), ()))
