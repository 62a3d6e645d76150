"""Answers as files: one module for each format, all of them streams of text.

A format is a function from pairs with their answers to pieces of text; it holds a few pairs at a time.
A new format is one file and one line in ``FORMATS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from evaluation.exporters.delimited import as_csv, as_spreadsheet, as_tsv
from evaluation.exporters.json_lines import as_jsonl
from evaluation.exporters.model import Answer, AskedPair
from evaluation.exporters.xml_file import as_xml

Writer = Callable[[Iterable[AskedPair]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class Format:
    """How a format is called, what it is to a browser, and who writes it."""

    name: str
    extension: str
    content_type: str
    write: Writer


FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("csv", "csv", "text/csv; charset=utf-8", as_csv),
        Format("tsv", "tsv", "text/tab-separated-values; charset=utf-8", as_tsv),
        Format("jsonl", "jsonl", "application/jsonl; charset=utf-8", as_jsonl),
        Format("xml", "xml", "application/xml; charset=utf-8", as_xml),
        Format("spreadsheet", "spreadsheet.csv", "text/csv; charset=utf-8", as_spreadsheet),
    )
}

__all__ = ["FORMATS", "Answer", "AskedPair", "Format", "Writer"]
