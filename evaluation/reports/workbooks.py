"""The answers and tables of a task or campaign as a spreadsheet (.xlsx)."""

from __future__ import annotations

from itertools import islice
from typing import IO

from appraise.lib.spreadsheets import write_workbook
from evaluation.exporters.delimited import list_rows
from evaluation.exporters.rows import COLUMNS
from evaluation.reports import study_query
from evaluation.reports.exports import load_display_names, read_answered_pairs
from evaluation.reports.scope import Scope
from evaluation.study.tables import build_study_tables

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def write_spreadsheet(scope: Scope, stream: IO[bytes], *, identify: bool) -> None:
    """Write a sheet with all answers and one for each table of agreement and results."""
    names = load_display_names(scope, identify=identify)
    answers = islice(list_rows(read_answered_pairs(scope, names), str), 1, None)  # without the header
    study = study_query.load_study(scope.tasks)
    tables = build_study_tables(study, study_query.load_system_pairs(scope.tasks, study))
    sheets = [(table.title, table.columns, table.rows) for table in tables.values()]
    write_workbook([("answers", COLUMNS, answers), *sheets], stream)
