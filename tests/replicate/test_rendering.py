"""A report as files: every form holds both columns, and what was not run."""

from __future__ import annotations

import csv
import io
import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from metrics.replicate.recipes import RECIPES
from metrics.replicate.rendering import render_csv, render_latex, render_markdown
from metrics.replicate.report import (
    KAPPA,
    PAPERS,
    DataDigest,
    MissingPart,
    PaperCell,
    PaperRow,
    PaperTable,
    Replication,
)
from tests.replicate.reading import report_from_dict

REPORT = Replication(
    "paper-003",
    "A title",
    "Somebody 2010",
    (
        PaperTable(
            "κ of 50 %",
            ("κ",),
            (PaperRow("a & b | c", (PaperCell(0.5, -0.25, -0.5, 0.1),)), PaperRow("d", (PaperCell(),))),
            ("so",),
            2,
        ),
    ),
    (MissingPart("row d", "nothing was said"),),
    (DataDigest("a.tsv", "ab12"),),
    {"seed": 1},
)


def test_markdown_has_both_columns_notes_and_what_is_missing() -> None:
    text = render_markdown(REPORT)
    assert "|  | κ, paper | κ, ours |" in text
    assert "| a & b \\| c | .50 | −.25 [−.50, .10] |" in text
    assert "| d | – | – |" in text
    assert "- row d: not run, because nothing was said" in text
    assert "- a.tsv: SHA-256 ab12" in text


def test_latex_escapes_and_needs_no_package() -> None:
    text = render_latex(REPORT)
    assert r"a \& b | c & .50 & $-$.25 [$-$.50, .10] \\" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert "% not run: row d" in text


def test_csv_keeps_every_digit() -> None:
    rows = list(csv.DictReader(io.StringIO(render_csv(REPORT))))
    assert rows[0] == {
        "table": "κ of 50 %", "row": "a & b | c", "column": "κ",
        "paper": "0.5", "ours": "-0.25", "low": "-0.5", "high": "0.1",
    }  # fmt: skip
    assert rows[1]["ours"] == ""


def test_a_row_of_the_wrong_length_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="1 cells expected in 'r': 2"):
        PaperTable("t", ("a",), (PaperRow("r", (PaperCell(), PaperCell())),))


def test_every_recipe_has_its_paper() -> None:
    assert set(RECIPES) == set(PAPERS)
    assert all(name.removeprefix("paper-") in PAPERS[name].citation for name in RECIPES)
    assert len(KAPPA) == 7


def test_the_command_writes_every_form(tmp_path: Path) -> None:
    file = tmp_path / "one.tsv"
    file.write_text("annotator\titem\tlabel\nx\t1\tA>B\ny\t1\tA>B\n", "utf-8")
    out = StringIO()
    call_command(
        "replicate",
        "paper-003",
        "--set",
        str(file),
        "--out",
        str(tmp_path / "out"),
        "--resamples",
        "0",
        stdout=out,
    )
    assert json.loads(out.getvalue())["files"] == ["report.json", "report.md", "report.tex", "report.csv"]
    report = report_from_dict(json.loads((tmp_path / "out" / "report.json").read_text("utf-8")))
    assert report.tables[0].rows[0].cells[0] == PaperCell(0.4127, 1.0)
    assert "task 1: one" in (tmp_path / "out" / "report.md").read_text("utf-8")
    shown = StringIO()
    call_command(
        "replicate", "paper-003", "--set", str(file), "--format", "tex", "--resamples", "0", stdout=shown
    )
    assert shown.getvalue() == (tmp_path / "out" / "report.tex").read_text("utf-8")


@pytest.mark.parametrize(
    "options",
    [
        ["paper-003"],
        ["paper-003", "--set", "nowhere.tsv"],
        ["paper-003", "--set", "x", "--campaign", "y"],
        ["paper-001", "--campaign", "y"],
        ["paper-003", "--campaign", "x", "--task", "y"],
        ["paper-003", "--campaign", "x", "--table", "y"],
        ["paper-004", "--set", "nowhere/cs-en"],
        ["paper-001", "--set", "x", "--table", "y"],
    ],
)
def test_the_command_refuses_what_makes_no_sense(options: list[str]) -> None:
    with pytest.raises(CommandError) as error:
        call_command("replicate", *options)
    assert error.value.returncode == 2
