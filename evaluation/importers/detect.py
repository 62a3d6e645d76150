"""The formats by name, and which of them a file is, from its content alone: names and endings lie."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evaluation.importers import (
    appraise_json,
    appraise_xml,
    json_format,
    parallel,
    phrases,
    tables,
    wmt_xml,
)
from evaluation.importers.decode import head
from evaluation.importers.model import Place, Record
from evaluation.importers.reading import Reading
from evaluation.importers.rows import first_line, separator
from evaluation.importers.source import Role


@dataclass(frozen=True, slots=True)
class Format:
    """A way to read files; ``recognises`` sees the beginning of the first one."""

    name: str
    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Reading], Iterator[Record]]


_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)")
_BATCH_KEY = re.compile(rb'"(?:itemID|sourceText|targetText|targets|batchNo|requiredAnnotations)"\s*:')
_TASK_KEY = re.compile(rb'"(?:items|format|source_language|candidates)"\s*:')


def detect(reading: Reading) -> Format:
    """The format of the files; refuses what can be none."""
    if any(file.role in (Role.SOURCE, Role.SYSTEM, Role.REFERENCE) for file in reading.files):
        return FORMATS["text"]
    if not reading.files:
        reading.refuse("empty_file", "there is no file", "choose a file", Place(""))
    starts = [head(file, reading) for file in reading.of(Role.ITEMS)]
    for form in FORMATS.values():
        if form.recognises(starts[0]):
            return form
    if not first_line(starts[0]).strip():
        reading.refuse(
            "no_items", "the file is blank", "choose a file with sentences", Place(reading.files[0].name)
        )
    return FORMATS["text"]


def _first(start: bytes) -> bytes:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:1]


def _root(start: bytes) -> str:
    """The first tag of an XML file, '' if it is none."""
    if _first(start) != b"<":
        return ""
    found = _TAG.search(re.sub(rb"<!--.*?-->", b"", start, flags=re.DOTALL))
    return found[1].decode("ascii", "replace") if found else "?"


def _is_wmt_xml(start: bytes) -> bool:
    return _root(start) in wmt_xml.ROOTS


def _is_xml(start: bytes) -> bool:
    return _first(start) == b"<"


def _is_batch(start: bytes) -> bool:
    return _first(start) in (b"[", b"{") and bool(_BATCH_KEY.search(start)) and not _is_lines(start)


def _is_lines(start: bytes) -> bool:
    """Whether the first line is a whole object that is not a whole document."""
    try:
        value = json.loads(first_line(start)) if _first(start) == b"{" else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "items" not in value


def _is_json(start: bytes) -> bool:
    return _first(start) in (b"[", b"{")


def _is_phrases(start: bytes) -> bool:
    return phrases.is_phrase_header(first_line(start).split("\t"))


def _is_tsv(start: bytes) -> bool:
    return "\t" in first_line(start)


def _is_csv(start: bytes) -> bool:
    header = first_line(start)
    return tables.is_item_header([name.strip(' "') for name in header.split(separator(header))])


# In the order in which they are tried: the narrow before the wide.
FORMATS: dict[str, Format] = {
    form.name: form
    for form in (
        Format("wmt-xml", "WMT XML", _is_wmt_xml, wmt_xml.read),
        Format("appraise-xml", "Appraise XML", _is_xml, appraise_xml.read),
        Format("appraise-json", "Appraise batches (JSON)", _is_batch, appraise_json.read),
        Format("jsonl", "JSON lines", _is_lines, json_format.read_lines),
        Format("json", "JSON", _is_json, json_format.read_document),
        Format("phrases", "aligned phrase pairs (TSV)", _is_phrases, phrases.read),
        Format("tsv", "TSV with a header", _is_tsv, tables.read_tsv),
        Format("csv", "CSV with a header", _is_csv, tables.read_csv),
        Format("text", "plain parallel text", lambda start: False, parallel.read),
    )
}
