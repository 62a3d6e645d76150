"""Plain parallel text: one file per source, reference and system, one sentence per line.

Lines end with LF or CR LF. A lone CR is a character like any other unless only that reading makes the files
equally long (or the file has no LF at all): so a stray CR can never shift one file against the others. A line
that is blank in every file separates paragraphs and is skipped; the ids keep the line numbers. Blank lines
that only some files have at their end are skipped as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from statistics import mode
from typing import NamedTuple

from evaluation.importers.decode import head, lines
from evaluation.importers.model import Candidate, ImportedItem, Place
from evaluation.importers.reading import Reading
from evaluation.importers.rows import looks_like_rows
from evaluation.importers.source import Role, SourceFile

_TEXT = (Role.SOURCE, Role.REFERENCE, Role.SYSTEM, Role.DOCUMENTS)
_SOURCE_NAME = re.compile(r"(?:^|[._-])(?:src|source|input)(?:[._-]|$)", re.IGNORECASE)
_REFERENCE_NAME = re.compile(r"(?:^|[._-])(?:ref|reference)[A-D0-9]?(?:[._-]|$)", re.IGNORECASE)
_DOCUMENTS_NAME = re.compile(r"(?:^|[._-])(?:docs?|docids?|documents)(?:[._-]|$)", re.IGNORECASE)


def guess_role(name: str) -> tuple[Role, str]:
    """What a text file probably contains, by its name, and the system's name if it is an output.

    >>> [(str(role), system) for role, system in map(guess_role, ["a.src.de", "ref.txt", "online-B.en.txt"])]
    [('source', ''), ('reference', ''), ('system', 'online-B')]
    """
    for pattern, role in (
        (_SOURCE_NAME, Role.SOURCE),
        (_REFERENCE_NAME, Role.REFERENCE),
        (_DOCUMENTS_NAME, Role.DOCUMENTS),
    ):
        if pattern.search(name):
            return role, ""
    return Role.SYSTEM, re.sub(r"(\.[a-z]{2,3})?(\.(txt|text|tok|gz))*$", "", name) or name


def read(files: Sequence[SourceFile], reading: Reading) -> Iterator[ImportedItem]:
    """One item per line that is not blank everywhere."""
    files = [file for file in _assigned(files) if file.role in _TEXT]
    _check_roles(files, reading)
    cr_ends = _line_ends(files, reading)
    sides = [lines(file, reading, cr_ends=ends) for file, ends in zip(files, cr_ends, strict=True)]
    for number, row in enumerate(zip_longest(*sides), 1):
        texts = [_cleaned(cell[1]) if cell else "" for cell in row]
        contents = [t for t, file in zip(texts, files, strict=True) if file.role is not Role.DOCUMENTS]
        if any(text.strip() for text in contents) and not _is_refused(files, texts, number, reading):
            yield _item(files, texts, number)


def _assigned(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The files with their roles; those that nobody gave a role get the one that their name suggests."""
    assigned = []
    for file in files:
        role, system = (file.role, "") if file.role is not Role.ITEMS else guess_role(file.name)
        names = file.systems or (
            (system or guess_role(file.name)[1] or file.name,) if role is Role.SYSTEM else ()
        )
        assigned.append(SourceFile(file.name, file.opener, role, names))
    return assigned


def _check_roles(files: list[SourceFile], reading: Reading) -> None:
    roles = [file.role for file in files]
    place = Place(files[0].name if files else "")
    for role in (Role.SOURCE, Role.DOCUMENTS):
        if roles.count(role) > 1:
            reading.refuse("bad_files", f"there are {roles.count(role)} {role} files", "choose one", place)
    if len(files) == 1 and looks_like_rows(head(files[0], reading)):
        reading.refuse(
            "bad_header",
            "the file looks like a table, but its first line does not name the columns",
            "begin with a line such as: id, source, reference, and a column per system",
            Place(files[0].name, 1),
        )
    if roles.count(Role.SYSTEM) < 2:
        reading.refuse(
            "too_few_systems",
            "plain text needs the outputs of at least two systems",
            "add a file per system, one sentence per line, or a table whose first line names its columns, "
            "with tabs, commas or semicolons between them",
            place,
        )
    if Role.SOURCE not in roles and Role.REFERENCE not in roles:
        reading.refuse(
            "bad_files",
            "there is neither a source nor a reference",
            "add the source text, say which of the files it is, or call it source.txt",
            place,
        )
    names = [file.systems[0] for file in files if file.role is Role.SYSTEM]
    for name, times in Counter(names).items():
        if times > 1:
            reading.fault(
                "duplicate_system", f"two files are by {name!r}", "give each system its own name", place
            )
    reading.stop_if_faulty()


class _Length(NamedTuple):
    lines: int
    written: int  # up to the last line that is not blank


def _line_ends(files: list[SourceFile], reading: Reading) -> list[bool]:
    """Whether a lone CR ends a line, file by file; refuses files of different length."""
    strict = [b"\n" not in head(file, reading) for file in files]
    loose = [True] * len(files)
    as_strict = _lengths(files, strict, reading)
    if _are_equal(as_strict):
        return strict
    as_loose = _lengths(files, loose, reading)
    if _are_equal(as_loose):
        return loose
    for ends, lengths in ((strict, as_strict), (loose, as_loose)):
        if max(length.written for length in lengths) <= min(length.lines for length in lengths):
            return ends
    counts = [length.lines for length in as_strict]
    said = ", ".join(f"{file.name} {count:,}" for file, count in zip(files, counts, strict=True))
    usual = mode(counts)
    odd = min((n for n, count in enumerate(counts) if count != usual), key=counts.__getitem__)
    reading.refuse(
        "line_count",
        f"the files have different numbers of lines: {said}",
        "every file needs one line per sentence",
        Place(files[odd].name, counts[odd]),
    )


def _are_equal(lengths: list[_Length]) -> bool:
    return len({length.lines for length in lengths}) == 1


def _lengths(files: list[SourceFile], cr_ends: list[bool], reading: Reading) -> list[_Length]:
    return [_length(file, reading, cr_ends=ends) for file, ends in zip(files, cr_ends, strict=True)]


def _length(file: SourceFile, reading: Reading, *, cr_ends: bool) -> _Length:
    total = written = 0
    for total, line in lines(file, reading, cr_ends=cr_ends):
        if line and not line.isspace():
            written = total
    if total > 4 * reading.limits.max_items:
        reading.refuse(
            "too_many_items",
            f"there are more than {reading.limits.max_items:,} lines",
            "split",
            Place(file.name),
        )
    return _Length(total, written)


def _cleaned(line: str) -> str:
    """A lone CR inside a line is white space."""
    return line.replace("\r", " ")


def _is_refused(files: list[SourceFile], texts: list[str], number: int, reading: Reading) -> bool:
    """Whether a side is blank that must not be: told here, with the file in which the line is."""
    if reading.options.empty != "refuse":
        return False
    blank = [
        file
        for file, text in zip(files, texts, strict=True)
        if not text.strip() and file.role is not Role.DOCUMENTS
    ]
    for file in blank:
        reading.fault(
            "empty_segment",
            "the line is blank here but not in the other files",
            "fill it, remove it everywhere, or choose to keep or skip empty items",
            Place(file.name, number),
        )
    return bool(blank)


def _item(files: list[SourceFile], texts: list[str], number: int) -> ImportedItem:
    found: dict[Role, list[str]] = {role: [] for role in _TEXT}
    for file, text in zip(files, texts, strict=True):
        found[file.role].append(text)
    systems = [file for file in files if file.role is Role.SYSTEM]
    return ImportedItem(
        id=str(number),
        source="".join(found[Role.SOURCE]),
        candidates=tuple(
            Candidate(file.systems[0], text) for file, text in zip(systems, found[Role.SYSTEM], strict=True)
        ),
        place=Place(files[0].name, number),
        document="".join(found[Role.DOCUMENTS]).strip(),
        references=tuple(found[Role.REFERENCE]),
    )
