"""The formats by name, and how to recognise one from a file's content; file names are not trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
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
from evaluation.importers.decode import CHUNK, head
from evaluation.importers.model import Place, Record
from evaluation.importers.reading import Reading
from evaluation.importers.rows import first_line, separator
from evaluation.importers.source import Role, SourceFile


@dataclass(frozen=True, slots=True)
class Format:
    """A way to read files; ``recognises`` sees the beginning of the first one."""

    name: str
    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Sequence[SourceFile], Reading], Iterator[Record]]


TEXT_ROLES = (Role.SOURCE, Role.REFERENCE, Role.SYSTEM, Role.DOCUMENTS)
_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)")
_COMMENT = re.compile(rb"<!--(?:.*?-->|.*)", re.DOTALL)  # its end may lie behind the bytes that we see
_BATCH_KEY = re.compile(rb'"(?:itemID|sourceText|targetText|targets|batchNo|requiredAnnotations)"\s*:')
_JSON = re.compile(rb"""(?:\{\s*["}]|\[\s*[\[{"\]0-9])""")


def plan(reading: Reading) -> list[tuple[Format, list[SourceFile]]]:
    """Which files are read as what: the items in one format, tables of judgements beside them."""
    if not reading.of(Role.ITEMS, *TEXT_ROLES):
        reading.refuse("empty_file", "there is no file", "choose a file", Place(""))
    texts = reading.of(*TEXT_ROLES)
    found: dict[str, list[SourceFile]] = {"text": texts} if texts else {}
    judged: dict[str, list[SourceFile]] = {}
    for file in reading.of(Role.ITEMS):
        start = head(file, reading)
        name = _recognised(start)
        table = name in ("tsv", "csv") and tables.is_judgement_header(_names(start))
        (judged if table else found).setdefault(name, []).append(file)
    if len(found) > 1:
        said = ", ".join(f"{files[0].name} is {FORMATS[name].title}" for name, files in found.items())
        place = Place(next(reversed(found.values()))[0].name)
        reading.refuse("mixed_formats", f"the files are of different kinds: {said}", "import one kind", place)
    return [(FORMATS[name], files) for name, files in (*found.items(), *judged.items())]


def _recognised(start: bytes) -> str:
    return next((form.name for form in FORMATS.values() if form.recognises(start)), "text")


def refuse_blank(reading: Reading) -> None:
    """A file with nothing but white space has no items, whatever its format would have been."""
    for file in reading.of(Role.ITEMS):
        start = head(file, reading)
        if len(start) < CHUNK and not start.removeprefix(b"\xef\xbb\xbf").strip():
            reading.refuse("no_items", "the file is blank", "choose a file with sentences", Place(file.name))


def _first(start: bytes) -> bytes:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")[:1]


def _root(start: bytes) -> str:
    """The first tag of an XML file, '' if it is none."""
    if _first(start) != b"<":
        return ""
    found = _TAG.search(_COMMENT.sub(b"", start))
    return found[1].decode("ascii", "replace") if found else "?"


def _is_wmt_xml(start: bytes) -> bool:
    return _root(start) in wmt_xml.ROOTS


def _is_xml(start: bytes) -> bool:
    return _first(start) == b"<"


def _is_batch(start: bytes) -> bool:
    return _is_json(start) and bool(_BATCH_KEY.search(start)) and not _is_lines(start)


def _is_lines(start: bytes) -> bool:
    """Whether the first line is a whole object that is not a whole document; a comma after it is a fault."""
    try:
        value = json.loads(first_line(start).rstrip().removesuffix(",")) if _first(start) == b"{" else None
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "items" not in value


def _is_json(start: bytes) -> bool:
    """A brace or bracket, and what JSON allows after it: a sentence may begin with [Laughter]."""
    return _JSON.match(start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")) is not None


def _is_phrases(start: bytes) -> bool:
    return phrases.is_phrase_header(first_line(start).split("\t"))


def _is_tsv(start: bytes) -> bool:
    return "\t" in first_line(start)


def _is_csv(start: bytes) -> bool:
    return tables.is_item_header(_names(start))


def _names(start: bytes) -> list[str]:
    """The columns that a table's first line would name."""
    header = first_line(start)
    return [name.strip(' "') for name in header.split("\t" if "\t" in header else separator(header))]


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
