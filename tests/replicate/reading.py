"""Reads the JSON of a replication back, to check that nothing is lost."""

from __future__ import annotations

from typing import Any

from metrics.replicate.report import DataDigest, MissingPart, PaperCell, PaperRow, PaperTable, Replication


def report_from_dict(values: dict[str, Any]) -> Replication:  # Any: JSON
    """A report that ``as_dict`` wrote, read again."""
    tables = tuple(
        PaperTable(
            table["title"],
            tuple(table["columns"]),
            tuple(
                PaperRow(row["label"], tuple(PaperCell(**cell) for cell in row["cells"]))
                for row in table["rows"]
            ),
            tuple(table["notes"]),
            table["digits"],
            table["corner"],
        )
        for table in values["tables"]
    )
    return Replication(
        **{
            **values,
            "tables": tables,
            "missing": tuple(MissingPart(**one) for one in values["missing"]),
            "data": tuple(DataDigest(**one) for one in values["data"]),
        }
    )


def _row(row: dict[str, Any]) -> PaperRow:  # Any: JSON
    return PaperRow(row["label"], tuple(PaperCell(**cell) for cell in row["cells"]))
