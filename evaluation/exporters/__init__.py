"""Export formats: rankings as streams of text, one module for each family of formats.

A format is a function from pairs with their answers to pieces of text; it holds a few pairs at a time.
A new format is one function and one line in ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from evaluation.exporters.delimited import as_csv, as_spreadsheet, as_tsv
from evaluation.exporters.json_lines import as_jsonl
from evaluation.exporters.rows import ExportedAnswer, ExportedPair
from evaluation.exporters.xml_file import as_xml

Writer = Callable[[Iterable[ExportedPair]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A format with its file extension, content type and writer."""

    name: str
    extension: str
    content_type: str
    write: Writer


FORMATS: dict[str, ExportFormat] = {
    form.name: form
    for form in (
        ExportFormat("csv", "csv", "text/csv; charset=utf-8", as_csv),
        ExportFormat("tsv", "tsv", "text/tab-separated-values; charset=utf-8", as_tsv),
        ExportFormat("jsonl", "jsonl", "application/jsonl; charset=utf-8", as_jsonl),
        ExportFormat("xml", "xml", "application/xml; charset=utf-8", as_xml),
        ExportFormat("spreadsheet", "spreadsheet.csv", "text/csv; charset=utf-8", as_spreadsheet),
    )
}

__all__ = ["FORMATS", "ExportFormat", "ExportedAnswer", "ExportedPair", "Writer"]
