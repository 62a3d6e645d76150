"""Bytes to text, the same for every format: UTF-8 or nothing.

A byte order mark is stripped; UTF-16 and UTF-32 are refused by name; a byte that is not UTF-8 is reported
with its offset. Control characters are refused (a NUL is storable in one database and not in another); tab,
line ends and form feed are not. Lines end with LF or CR LF; ``str.splitlines`` would also break at U+2028,
U+0085 and form feed and so shift one side of a parallel text against the other.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import IO, NoReturn

from evaluation.importers.model import Place
from evaluation.importers.reading import Reading
from evaluation.importers.source import SourceFile
from evaluation.streams import HINDRANCES, hindrance

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
    b"PK\x03\x04": "a ZIP archive (an .xlsx, .ods or .docx file is one too)",
    b"%PDF": "a PDF document",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"SQLite format 3": "a database",
}
_AS_TEXT = "unpack it, or save it as text first; a spreadsheet can be saved as “CSV UTF-8”"


def head(file: SourceFile, reading: Reading, size: int = CHUNK) -> bytes:
    """The first bytes; refuses an empty file, a foreign kind of file and a foreign encoding."""
    place = Place(file.name)
    with file.open(reading.limits) as stream:
        start = _read(stream, size, reading, place)
    if not start:
        reading.refuse("empty_file", "the file is empty", "choose another file", place)
    for magic, encoding in _WIDE.items():
        if start.startswith(magic):
            reading.refuse("encoding_unsupported", f"the file is {encoding}", "save it as UTF-8", place)
    for magic, kind in _BINARY.items():
        if start.startswith(magic):
            reading.refuse("type_mismatch", f"the file is {kind}", _AS_TEXT, place)
    return start


def chunks(file: SourceFile, reading: Reading) -> Iterator[str]:
    """The checked text of a file, piece by piece, without its byte order mark."""
    head(file, reading, 16)
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    offset, line, column = 0, 1, 1
    with file.open(reading.limits) as stream:
        while True:
            data = _read(stream, CHUNK, reading, Place(file.name))
            pending = len(decoder.getstate()[0])
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                _refuse_bytes(file, reading, error, offset - pending, line, column)
            offset += len(data)
            if offset > reading.limits.max_bytes:
                _refuse_size(reading, Place(file.name))
            _refuse_control(file, reading, text, line, column)
            line, column = _advance(line, column, text)
            if text:
                yield text
            if not data:
                return


def lines(file: SourceFile, reading: Reading, *, cr_ends: bool) -> Iterator[tuple[int, str]]:
    """Numbered lines without their ends. With ``cr_ends`` a lone CR ends a line as well.

    Tables and JSON lines may say so, for there a wrong guess is noticed (a row gets too few cells). In plain
    text it would not be, so there the caller decides.
    """
    number, rest, cap = 0, "", 16 * reading.limits.max_field
    for text in chunks(file, reading):
        text = rest + text
        held = text.endswith("\r")  # its LF may be the next character
        text = _unified(text[:-1] if held else text, cr_ends)
        *whole, rest = text.split("\n")
        rest += "\r" if held else ""
        for line in whole:
            number += 1
            yield number, line
        if len(rest) > cap:
            reading.refuse(
                "field_too_long",
                f"the line has more than {cap:,} characters",
                "check the line ends of the file",
                Place(file.name, number + 1),
                rest,
            )
    rest = _unified(rest, cr_ends)
    for line in rest.removesuffix("\n").split("\n") if rest else ():
        number += 1
        yield number, line.removesuffix("\r")


def count_lines(file: SourceFile, reading: Reading, *, cr_ends: bool) -> int:
    return sum(1 for _ in lines(file, reading, cr_ends=cr_ends))


def _unified(text: str, cr_ends: bool) -> str:
    text = text.replace("\r\n", "\n")
    return text.replace("\r", "\n") if cr_ends else text


def _read(stream: IO[bytes], size: int, reading: Reading, place: Place) -> bytes:
    try:
        return stream.read(size)
    except HINDRANCES as error:
        told = hindrance(error, place.file)
        reading.refuse(told.code, told.message, told.remedy, place)


def _advance(line: int, column: int, text: str) -> tuple[int, int]:
    breaks = text.count("\n")
    return line + breaks, (len(text) - text.rfind("\n") if breaks else column + len(text))


def _refuse_size(reading: Reading, place: Place) -> NoReturn:
    cap = reading.limits.max_bytes
    reading.refuse(
        "too_large",
        f"the file has more than {cap:,} bytes",
        f"split it into files of at most {cap / 1024 / 1024:.4g} MB",
        place,
    )


def _refuse_bytes(
    file: SourceFile, reading: Reading, error: UnicodeDecodeError, start: int, line: int, column: int
) -> NoReturn:
    before = error.object[: error.start].decode("utf-8", "replace")
    line, column = _advance(line, column, before)
    byte = error.object[error.start]
    reading.refuse(
        "bad_utf8",
        f"byte 0x{byte:02x} at offset {start + error.start} is not UTF-8",
        "convert the file to UTF-8 (it may be Latin-1 or Windows-1252), or fetch it again if it was cut off",
        Place(file.name, line, column),
        before[before.rfind("\n") + 1 :][-60:],
    )


def _refuse_control(file: SourceFile, reading: Reading, text: str, line: int, column: int) -> None:
    found = CONTROL.search(text)
    if found is None:
        return
    line, column = _advance(line, column, text[: found.start()])
    reading.refuse(
        "control_char",
        f"the control character U+{ord(found.group()):04X} stands in the text",
        "remove it",
        Place(file.name, line, column),
        text[max(0, found.start() - 30) : found.start() + 30].replace("\n", " "),
    )
