"""The registry of formats, and their detection by content; file names are not trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from evaluation.importers import (
    appraise_json,
    appraise_xml,
    json_format,
    parallel,
    phrases,
    sgml,
    spreadsheets,
    tables,
    translation_memories,
    wmt_xml,
)
from evaluation.importers.decode import CHUNK, head, read_start
from evaluation.importers.model import FileRole, Record, SourceFile, SourcePosition
from evaluation.importers.parallel import TEXT_ROLES, guess_role
from evaluation.importers.rows import find_separator, first_line, read_plain, read_quoted
from evaluation.importers.state import ImportState


@dataclass(frozen=True, slots=True)
class ImportFormat:
    """A format with its reader; ``recognises`` gets the beginning of a file."""

    name: str
    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[[Sequence[SourceFile], ImportState], Iterator[Record]]


_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)")
_COMMENT = re.compile(rb"<!--(?:.*?-->|.*)", re.DOTALL)  # its end may be beyond the first chunk
_BATCH_KEY = re.compile(rb'"(?:itemID|sourceText|targetText|targets|batchNo|requiredAnnotations)"\s*:')
_PEARMUT = re.compile(rb'"campaign_id"\s*:')
_JSON = re.compile(rb"""(?:\{\s*["}]|\[\s*[\[{"\]0-9])""")


def assign_formats(state: ImportState) -> list[tuple[ImportFormat, list[SourceFile]]]:
    """Return the files by format: items of one format first, then tables of judgements."""
    if not state.select_files(FileRole.ITEMS, *TEXT_ROLES):
        state.refuse("empty_file", "there is no file", "choose a file", SourcePosition(""))
    items: dict[str, list[SourceFile]] = {}
    judgements: dict[str, list[SourceFile]] = {}
    for file in state.select_files(FileRole.ITEMS, *TEXT_ROLES):
        start = _read_start(file, state)
        name = next((form.name for form in FORMATS.values() if form.recognises(start)), "text")
        is_text = file.role is not FileRole.ITEMS and name not in _JOINED
        if is_text or (name == "tsv" and guess_role(file.name)[0] is FileRole.DOCUMENTS):
            name = "text"  # a domain and a document in a line look like a table
        is_judged = name in ("tsv", "csv") and tables.is_judgement_header(_column_names(start))
        (judgements if is_judged else items).setdefault(name, []).append(file)
    if len(items) > 1:
        kinds = ", ".join(f"{files[0].name} is {FORMATS[name].title}" for name, files in items.items())
        position = SourcePosition(next(reversed(items.values()))[0].name)
        message = f"the files have different formats: {kinds}"
        state.refuse("mixed_formats", message, "import files of one format", position)
    return [(FORMATS[name], files) for name, files in (*items.items(), *judgements.items())]


def refuse_blank(state: ImportState) -> None:
    """Refuse files that contain only white space."""
    for file in state.select_files(FileRole.ITEMS):
        start = _read_start(file, state)
        if len(start) < CHUNK and not start.removeprefix(b"\xef\xbb\xbf").strip():
            position = SourcePosition(file.name)
            state.refuse("no_items", "the file is blank", "choose a file with sentences", position)


def _read_start(file: SourceFile, state: ImportState) -> bytes:
    """Return the first bytes; refuse what no importer reads."""
    start = read_start(file, state)
    if spreadsheets.is_spreadsheet(start):
        return start
    if _is_json(start) and _PEARMUT.search(start):
        message = "the file is a campaign of Pearmut"
        remedy = "write its outputs as a table with the columns id, source and one per system (TSV or CSV)"
        state.refuse("unknown_schema", message, remedy, SourcePosition(file.name))
    return head(file, state)


def _strip_start(start: bytes) -> bytes:
    return start.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")


def _is_xml(start: bytes) -> bool:
    return _strip_start(start).startswith(b"<")


def _has_root(*roots: str) -> Callable[[bytes], bool]:
    """Return a function that says whether a file begins with one of these elements, in any case."""

    def recognises(start: bytes) -> bool:
        tag = _TAG.search(_COMMENT.sub(b"", start)) if _is_xml(start) else None
        return tag is not None and tag[1].decode("ascii", "replace").lower() in roots

    return recognises


def _is_json(start: bytes) -> bool:
    """Whether a brace or bracket is followed by what JSON allows: a sentence may begin with [Laughter]."""
    return _JSON.match(_strip_start(start)) is not None


def _is_batch(start: bytes) -> bool:
    return _is_json(start) and bool(_BATCH_KEY.search(start)) and not _is_json_lines(start)


def _is_json_lines(start: bytes) -> bool:
    """Whether the first line is a complete object but not a complete document; a comma may follow it."""
    if not _strip_start(start).startswith(b"{"):
        return False
    try:
        value = json.loads(first_line(start).rstrip().removesuffix(","))
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "items" not in value


def _is_phrases(start: bytes) -> bool:
    return set(phrases.NEEDED) <= set(first_line(start).split("\t"))


def _column_names(start: bytes) -> list[str]:
    """Return the column names that the first line of a table would contain."""
    header = first_line(start)
    return [name.strip(' "') for name in header.split("\t" if "\t" in header else find_separator(header))]


_JOINED = ("xliff", "tmx", "sgml")
"""Formats with a file per system, whose files can be given with a role like those of plain text."""
# In the order of detection: the specific before the general.
FORMATS: dict[str, ImportFormat] = {
    form.name: form
    for form in (
        ImportFormat(
            "xlsx",
            "spreadsheet (.xlsx)",
            spreadsheets.is_spreadsheet,
            partial(tables.read, read_cells=spreadsheets.read_cells),
        ),
        ImportFormat("wmt-xml", "WMT XML", _has_root(*wmt_xml.SCHEMA.roots), wmt_xml.read),
        ImportFormat("xliff", "XLIFF", _has_root("xliff"), translation_memories.read_xliff),
        ImportFormat("tmx", "TMX", _has_root("tmx"), translation_memories.read_tmx),
        ImportFormat("sgml", "WMT SGML", _has_root(*sgml.ROOTS), sgml.read),
        ImportFormat("appraise-xml", "Appraise XML", _is_xml, appraise_xml.read),
        ImportFormat("appraise-json", "Appraise batches (JSON)", _is_batch, appraise_json.read),
        ImportFormat("jsonl", "JSON lines", _is_json_lines, json_format.read_lines),
        ImportFormat("json", "JSON", _is_json, json_format.read_document),
        ImportFormat("phrases", "aligned phrase pairs (TSV)", _is_phrases, phrases.read),
        ImportFormat(
            "tsv",
            "TSV with a header",
            lambda start: "\t" in first_line(start),
            partial(tables.read, read_cells=read_plain),
        ),
        ImportFormat(
            "csv",
            "CSV with a header",
            lambda start: tables.is_item_header(_column_names(start)),
            partial(tables.read, read_cells=read_quoted),
        ),
        ImportFormat("text", "plain parallel text", lambda start: False, parallel.read),
    )
}
