"""The answers and tables of a task or campaign as a spreadsheet (.xlsx)."""

from __future__ import annotations

from itertools import islice
from typing import IO

from appraise.lib.spreadsheets import write_workbook
from evaluation.exporters.delimited import list_rows
from evaluation.exporters.rows import COLUMNS
from evaluation.reports.exports import load_display_names
from evaluation.reports.scope import Scope, choose_kind, get_study, get_system_pairs
from evaluation.reports.sentence_exports import read_answers
from evaluation.study import AnswerKind
from evaluation.study.tables import build_study_tables

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def write_spreadsheet(scope: Scope, stream: IO[bytes], *, identify: bool, answers: AnswerKind | None) -> None:
    """Write a sheet with all answers and one for each table of agreement and results."""
    names = load_display_names(scope, identify=identify)
    rows = islice(list_rows(read_answers(scope, names, answers), str), 1, None)  # without the header
    kind = choose_kind(scope, answers)
    tables = build_study_tables(get_study(scope, kind), get_system_pairs(scope, kind))
    sheets = [(table.title, table.columns, table.rows) for table in tables.values()]
    write_workbook([("answers", COLUMNS, rows), *sheets], stream)
