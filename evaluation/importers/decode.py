"""Decoding of bytes, the same for every format: UTF-8 only.

A byte order mark is removed; UTF-16 and UTF-32 are refused by name; a byte that is not UTF-8 is reported with
its offset. Control characters are refused (not every database can store a NUL), or replaced by spaces if the
options say so, except tab, line ends and form feed. Lines end with LF or CR LF; ``str.splitlines`` would also
split at U+2028, U+0085 and form feed and so shift one side of a parallel text against the other.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO, NoReturn

from appraise.lib.streams import READ_ERRORS, explain_read_error
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState

CHUNK = 64 * 1024
CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_WIDE = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_BINARY = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"PK\x03\x04": "a ZIP archive (an .ods or .docx file is one too)",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"SQLite format 3": "a database",
}
_AS_TEXT = "unpack it, or save it as text; a spreadsheet can be saved as .xlsx or “CSV UTF-8”"


def head(file: SourceFile, state: ImportState, size: int = CHUNK) -> bytes:
    """Return the first bytes; refuse an empty file, a binary file and another encoding."""
    start, position = read_start(file, state, size), SourcePosition(file.name)
    for magic, encoding in _WIDE.items():
        if start.startswith(magic):
            state.refuse("encoding_unsupported", f"the file is {encoding}", "save it as UTF-8", position)
    for magic, kind in _BINARY.items():
        if start.startswith(magic):
            state.refuse("type_mismatch", f"the file is {kind}", _AS_TEXT, position)
    return start


def read_start(file: SourceFile, state: ImportState, size: int = CHUNK) -> bytes:
    """Return the first bytes of any file; refuse an empty one."""
    position = SourcePosition(file.name)
    with file.open(state.limits) as stream:
        start = _read(stream, size, state, position)
    if not start:
        state.refuse("empty_file", "the file is empty", "choose another file", position)
    return start


def chunks(file: SourceFile, state: ImportState) -> Iterator[str]:
    """Yield the checked text of a file in pieces, without its byte order mark."""
    head(file, state, 16)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    offset, line, column = 0, 1, 1
    with file.open(state.limits) as stream:
        while True:
            data = _read(stream, CHUNK, state, SourcePosition(file.name))
            pending = len(decoder.getstate()[0])
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                _refuse_bytes(file, state, error, offset - pending, line, column)
            offset += len(data)
            if offset > state.limits.max_bytes:
                _refuse_size(state, SourcePosition(file.name))
            text = _check_controls(file, state, text, line, column)
            line, column = _advance(line, column, text)
            if text:
                yield text
            if not data:
                return


def lines(file: SourceFile, state: ImportState, *, cr_ends: bool) -> Iterator[tuple[int, str]]:
    """Yield numbered lines without their ends; with ``cr_ends`` a lone CR ends a line as well.

    Tables and JSON lines use it, because a wrong split is noticed there (a row has too few cells). In plain
    text it is not noticed, so the caller decides.
    """
    number, rest, cap = 0, "", 16 * state.limits.max_field
    for text in chunks(file, state):
        text = rest + text
        ends_in_cr = text.endswith("\r")  # its LF may be the next character
        text = _unify_ends(text[:-1] if ends_in_cr else text, cr_ends)
        *complete, rest = text.split("\n")
        rest += "\r" if ends_in_cr else ""
        for line in complete:
            number += 1
            yield number, line
        if len(rest) > cap:
            message = f"the line has more than {cap:,} characters"
            position = SourcePosition(file.name, number + 1)
            state.refuse("field_too_long", message, "check the line ends of the file", position, rest)
    rest = _unify_ends(rest, cr_ends)
    for line in rest.removesuffix("\n").split("\n") if rest else ():
        number += 1
        yield number, line.removesuffix("\r")


def _unify_ends(text: str, cr_ends: bool) -> str:
    text = text.replace("\r\n", "\n")
    return text.replace("\r", "\n") if cr_ends else text


def _read(stream: IO[bytes], size: int, state: ImportState, position: SourcePosition) -> bytes:
    try:
        return stream.read(size)
    except READ_ERRORS as error:
        problem = explain_read_error(error, position.file)
        state.refuse(problem.code, problem.message, problem.remedy, position)


def _advance(line: int, column: int, text: str) -> tuple[int, int]:
    breaks = text.count("\n")
    return line + breaks, (len(text) - text.rfind("\n") if breaks else column + len(text))


def _refuse_size(state: ImportState, position: SourcePosition) -> NoReturn:
    cap = state.limits.max_bytes
    remedy = f"split it into files of at most {cap / 1024 / 1024:.4g} MB"
    state.refuse("too_large", f"the file has more than {cap:,} bytes", remedy, position)


def _refuse_bytes(
    file: SourceFile, state: ImportState, error: UnicodeDecodeError, start: int, line: int, column: int
) -> NoReturn:
    before = error.object[: error.start].decode("utf-8", "replace")
    position = SourcePosition(file.name, *_advance(line, column, before))
    message = f"byte 0x{error.object[error.start]:02x} at offset {start + error.start} is not UTF-8"
    remedy = "convert the file to UTF-8 (it may be Latin-1 or Windows-1252), or download it again"
    state.refuse("bad_utf8", message, remedy, position, before[before.rfind("\n") + 1 :][-60:])


def _check_controls(file: SourceFile, state: ImportState, text: str, line: int, column: int) -> str:
    """Return the text without control characters: replaced by spaces if the options say so, else refused."""
    match = CONTROL.search(text)
    if match is None:
        return text
    position = SourcePosition(file.name, *_advance(line, column, text[: match.start()]))
    name = f"the control character U+{ord(match.group()):04X}"
    if state.options.controls == "replace":
        state.warn("control_char", f"{name} is replaced by a space", "", position)
        return CONTROL.sub(" ", text)
    excerpt = text[max(0, match.start() - 30) : match.start() + 30].replace("\n", " ")
    remedy = "remove it, or choose to replace control characters by spaces"
    state.refuse("control_char", f"{name} is not allowed", remedy, position, excerpt)
