"""The files that are offered for import, and how much of them we are willing to read.

A name from outside is never trusted: what is shown is the bare name if it is harmless, else a generated one.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import IO, cast

from evaluation.problems import InputError
from evaluation.streams import GZIP, hindrance

MEBIBYTE = 1024 * 1024


class Role(StrEnum):
    """What a file of plain parallel text contains; ``ITEMS`` is any other file."""

    ITEMS = "items"
    SOURCE = "source"
    REFERENCE = "reference"
    SYSTEM = "system"
    DOCUMENTS = "documents"
    ALIGNMENTS = "alignments"


@dataclass(frozen=True, slots=True)
class Limits:
    """The caps; the defaults are those of the browser.

    Sizes are bytes after unpacking. ``max_tokens`` is counted at white space, ``max_characters`` catches
    scripts that are written without it.
    """

    max_bytes: int = 50 * MEBIBYTE
    max_items: int = 200_000
    max_judgements: int = 1_000_000
    max_systems: int = 200
    max_field: int = 128 * 1024
    max_characters: int = 20_000
    max_tokens: int = 2_000
    max_name: int = 200
    max_depth: int = 64
    max_problems: int = 20
    gzip: bool = False


BROWSER = Limits()
COMMAND_LINE = Limits(max_bytes=1024 * MEBIBYTE, gzip=True)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file by name, with a way to open it again and again; ``systems`` names whose text or links it
    carries.

    >>> file = SourceFile.from_bytes("../../etc/passwd", b"hello")
    >>> file.name, safe_name(file.name, 3)
    ('../../etc/passwd', 'file-3')
    """

    name: str
    opener: Callable[[], IO[bytes]]
    role: Role = Role.ITEMS
    systems: tuple[str, ...] = ()

    @classmethod
    def from_bytes(cls, name: str, data: bytes, role: Role = Role.ITEMS, *systems: str) -> SourceFile:
        return cls(name, lambda: io.BytesIO(data), role, systems)

    @classmethod
    def from_path(cls, path: str | Path, role: Role = Role.ITEMS, *systems: str) -> SourceFile:
        return cls(Path(path).name, lambda: Path(path).open("rb"), role, systems)

    @contextmanager
    def open(self, limits: Limits) -> Iterator[IO[bytes]]:
        """The bytes of the file, unpacked where ``limits`` allow gzip."""
        try:
            opened = self.opener()
        except OSError as error:
            raise InputError(hindrance(error, self.name)) from error
        with opened as raw:
            packed = limits.gzip and raw.read(2) == GZIP
            raw.seek(0)
            if not packed:
                yield raw
                return
            with gzip.GzipFile(fileobj=raw) as unpacked:
                yield cast(IO[bytes], unpacked)  # GzipFile reads like one but is not declared as one


_HARMLESS = re.compile(r"[\w][\w .,+=@()\[\]~-]{0,119}")
_EXTENSION = re.compile(r"\.[A-Za-z0-9]{1,8}$")


def safe_name(name: str, number: int) -> str:
    r"""The name to show for the ``number``-th file: its own if it is harmless, else a generated one.

    >>> safe_name("news test.de.txt", 1), safe_name("x\n<b>.xml", 2), safe_name("a" * 300, 4)
    ('news test.de.txt', 'file-2.xml', 'file-4')
    """
    if _HARMLESS.fullmatch(name):
        return name
    extension = _EXTENSION.search(name)
    return f"file-{number}" + (extension.group().lower() if extension else "")


def with_safe_names(files: Sequence[SourceFile]) -> list[SourceFile]:
    """The same files under names that may be shown, no two alike."""
    named: list[SourceFile] = []
    for number, file in enumerate(files, 1):
        name = safe_name(file.name, number)
        if any(name == other.name for other in named):
            name = f"file-{number}-{name}"
        named.append(replace(file, name=name))
    return named
