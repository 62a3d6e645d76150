"""Plain parallel text: one file per source, reference and system, one sentence per line.

Lines end with LF or CR LF. A lone CR ends a line only if the files have equal numbers of lines only then, or
if a file has no LF at all: so a stray CR can never shift one file against the others. A line
that is blank in every file separates paragraphs and is skipped; the ids keep the line numbers. Blank lines
that only some files have at their end are skipped as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from statistics import mode
from typing import NamedTuple, NoReturn

from evaluation.importers.decode import head, lines
from evaluation.importers.model import FileRole, ImportedCandidate, ImportedItem, SourceFile, SourcePosition
from evaluation.importers.rows import looks_like_rows
from evaluation.importers.state import ImportState

TEXT_ROLES = (FileRole.SOURCE, FileRole.REFERENCE, FileRole.SYSTEM, FileRole.DOCUMENTS)
_NAME_PARTS = {
    FileRole.SOURCE: "(?:src|source|input)",
    FileRole.REFERENCE: "(?:ref|reference)[A-D0-9]?",
    FileRole.DOCUMENTS: "(?:docs?|docids?|documents)",
}
_EXTENSIONS = "txt|text|tok|gz|xlf|xliff|tmx|mxliff|sdlxliff"


def guess_role(name: str) -> tuple[FileRole, str]:
    """Guess by its name what a text file contains; return the system's name if it is an output.

    >>> [(str(role), system) for role, system in map(guess_role, ["a.src.de", "ref.txt", "online-B.en.txt"])]
    [('source', ''), ('reference', ''), ('system', 'online-B')]
    """
    for role, part in _NAME_PARTS.items():
        if re.search(rf"(?:^|[._-]){part}(?:[._-]|$)", name, re.IGNORECASE):
            return role, ""
    return FileRole.SYSTEM, re.sub(rf"(\.[a-z]{{2,3}})?(\.({_EXTENSIONS}))*$", "", name) or name


def read(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield one item per line that is not blank in all files."""
    files = assign_roles(files)
    _check_roles(files, state)
    cr_ends = _find_line_ends(files, state)
    sides = [lines(file, state, cr_ends=ends) for file, ends in zip(files, cr_ends, strict=True)]
    for number, row in enumerate(zip_longest(*sides), 1):
        texts = [cell[1].replace("\r", " ") if cell else "" for cell in row]  # a lone CR is white space
        pairs = list(zip(files, texts, strict=True))
        has_text = any(text.strip() for file, text in pairs if file.role is not FileRole.DOCUMENTS)
        if has_text and not _has_empty_side(pairs, number, state):
            yield _build_item(pairs, number)


def assign_roles(files: Sequence[SourceFile]) -> list[SourceFile]:
    """Return the texts with the roles and systems that their names suggest, unless they are given."""
    guesses = [guess_role(file.name) for file in files]
    roles = [
        role if file.role is FileRole.ITEMS else file.role
        for file, (role, _) in zip(files, guesses, strict=True)
    ]
    is_guessed = [
        role is FileRole.SYSTEM and not file.systems for file, role in zip(files, roles, strict=True)
    ]
    names = iter(
        strip_shared_parts(
            [
                system or file.name
                for file, (_, system), guessed in zip(files, guesses, is_guessed, strict=True)
                if guessed
            ]
        )
    )
    assigned = [
        SourceFile(file.name, file.opener, role, (next(names),) if guessed else file.systems)
        for file, role, guessed in zip(files, roles, is_guessed, strict=True)
    ]
    return [file for file in assigned if file.role in TEXT_ROLES]


def strip_shared_parts(names: Sequence[str]) -> list[str]:
    """Return the names without the parts that all of them share at the beginning and at the end.

    >>> strip_shared_parts(["newstest2012.de-en.uedin.0", "newstest2012.de-en.online-B.0"])
    ['uedin', 'online-B']
    >>> strip_shared_parts(["online-A", "online-B"]), strip_shared_parts(["news.uedin"])
    (['online-A', 'online-B'], ['news.uedin'])
    """
    if len(set(names)) < 2:
        return list(names)
    parts = [name.split(".") for name in names]
    shortest = min(map(len, parts))
    start = next((n for n in range(shortest) if len({part[n] for part in parts}) > 1), shortest - 1)
    rest = shortest - start - 1
    tail = next((n for n in range(rest) if len({part[-1 - n] for part in parts}) > 1), rest)
    return [".".join(part[start : len(part) - tail]) for part in parts]


def _check_roles(files: list[SourceFile], state: ImportState) -> None:
    roles = [file.role for file in files]
    position = SourcePosition(files[0].name if files else "")
    for role in (FileRole.SOURCE, FileRole.DOCUMENTS):
        if roles.count(role) > 1:
            state.refuse("bad_files", f"there are {roles.count(role)} {role} files", "choose one", position)
    if len(files) == 1 and looks_like_rows(head(files[0], state)):
        message = "the file looks like a table, but its first line does not name the columns"
        remedy = "begin with a line such as: id, source, reference, and a column per system"
        state.refuse("bad_header", message, remedy, SourcePosition(files[0].name, 1))
    if roles.count(FileRole.SYSTEM) < (1 if state.options.one_system else 2):
        state.refuse(
            "too_few_systems",
            "plain text needs the outputs of at least two systems",
            "add a file per system, one sentence per line, or a table whose first line names its columns, "
            "with tabs, commas or semicolons between them",
            position,
        )
    if FileRole.SOURCE not in roles and FileRole.REFERENCE not in roles:
        message = "there is neither a source nor a reference"
        remedy = "add the source text, choose the file that contains it, or name it source.txt"
        state.refuse("bad_files", message, remedy, position)
    names = [file.systems[0] for file in files if file.role is FileRole.SYSTEM]
    for name, times in Counter(names).items():
        if times > 1:
            message = f"two files are by {name!r}"
            state.report("duplicate_system", message, "give each system its own name", position)
    state.raise_problems()


class _Length(NamedTuple):
    lines: int
    written: int  # up to the last line that is not blank


def _find_line_ends(files: list[SourceFile], state: ImportState) -> list[bool]:
    """Return for each file whether a lone CR ends a line; refuse files of different lengths."""
    strict = [b"\n" not in head(file, state) for file in files]
    loose = [True] * len(files)
    measured = []
    for cr_ends in (strict, loose):
        lengths = [_measure(file, state, ends) for file, ends in zip(files, cr_ends, strict=True)]
        if len({length.lines for length in lengths}) == 1:
            return cr_ends
        measured.append((cr_ends, lengths))
    for cr_ends, lengths in measured:
        if max(length.written for length in lengths) <= min(length.lines for length in lengths):
            return cr_ends
    _refuse_lengths(files, [length.lines for length in measured[0][1]], state)


def _refuse_lengths(files: list[SourceFile], counts: list[int], state: ImportState) -> NoReturn:
    """Refuse files of different lengths; name the one that differs from most others, if there is one."""
    numbers = ", ".join(f"{file.name} {count:,}" for file, count in zip(files, counts, strict=True))
    usual = mode(counts)
    unusual = [n for n, count in enumerate(counts) if count != usual]
    has_majority = 2 * len(unusual) < len(counts)
    position = SourcePosition(files[unusual[0]].name, counts[unusual[0]] if has_majority else None)
    message = f"the files have different numbers of lines: {numbers}"
    if not has_majority:
        message += "; it is unclear which of them is wrong"
    state.refuse("line_count", message, "write one line per sentence in every file", position)


def _measure(file: SourceFile, state: ImportState, cr_ends: bool) -> _Length:
    total = written = 0
    for total, line in lines(file, state, cr_ends=cr_ends):
        if line and not line.isspace():
            written = total
    if total > 4 * state.limits.max_items:
        state.refuse_excess("lines", 4 * state.limits.max_items, SourcePosition(file.name))
    return _Length(total, written)


def _has_empty_side(pairs: list[tuple[SourceFile, str]], number: int, state: ImportState) -> bool:
    """Report the files in which the line is blank, unless empty items are accepted."""
    if state.options.empty != "refuse":
        return False
    blank = [file for file, text in pairs if not text.strip() and file.role is not FileRole.DOCUMENTS]
    for file in blank:
        message = "the line is blank here but not in the other files"
        remedy = "fill it, remove it in all files, or choose to keep or skip empty items"
        state.report("empty_segment", message, remedy, SourcePosition(file.name, number))
    return bool(blank)


def _build_item(pairs: list[tuple[SourceFile, str]], number: int) -> ImportedItem:
    texts: dict[FileRole, list[str]] = {role: [] for role in TEXT_ROLES}
    for file, text in pairs:
        texts[file.role].append(text)
    systems = [(file.systems[0], text) for file, text in pairs if file.role is FileRole.SYSTEM]
    return ImportedItem(
        id=str(number),
        source="".join(texts[FileRole.SOURCE]),
        candidates=tuple(ImportedCandidate(*pair) for pair in systems),
        position=SourcePosition(pairs[0][0].name, number),
        document="".join(texts[FileRole.DOCUMENTS]).rpartition("\t")[2].strip(),  # a domain may precede it
        references=tuple(texts[FileRole.REFERENCE]),
    )
