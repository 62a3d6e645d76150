"""A zip archive of an mt-metrics-eval directory, as a browser uploads it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import IO

from appraise.lib.problems import InputError
from evaluation.importers.evidence.mtme_files import find_layout_path
from evaluation.importers.model import Limits, SourceFile

MAGIC = b"PK\x03\x04"
MOST_MEMBERS = 5_000
MOST_UNPACKED = 4  # times the limit of one file
_DAMAGED = (
    *(OSError, EOFError, NotImplementedError, RuntimeError, ValueError, LookupError),
    *(zipfile.BadZipFile, zlib.error, struct.error),
)


def unpack_directory(file: SourceFile, limits: Limits) -> list[SourceFile]:
    """Return the members of an archive that belong to the layout; any other file is returned as it is."""
    with file.open(limits) as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            return [file]
        try:
            with zipfile.ZipFile(stream) as archive:
                members = [info for info in archive.infolist() if find_layout_path(info.filename)]
        except _DAMAGED:  # refused as no text
            return [file]
    if not members:
        return [file]
    size = sum(info.file_size for info in members)
    if len(members) > MOST_MEMBERS or size > MOST_UNPACKED * limits.max_bytes:
        message = f"the archive has {len(members):,} files with {size:,} bytes"
        remedy = "leave out what you do not need, or import the directory from the command line"
        raise InputError.of("too_large", message, remedy, file.name)
    return [SourceFile(info.filename, _Member(file, info.filename)) for info in members]


class _Member:
    """Opens one member; the whole of it is in memory, within the limits of ``unpack_directory``."""

    def __init__(self, file: SourceFile, name: str) -> None:
        self.file, self.name = file, name

    def __call__(self) -> IO[bytes]:
        with self.file.opener() as stream, zipfile.ZipFile(stream) as archive:
            try:
                return io.BytesIO(archive.read(self.name))
            except _DAMAGED as error:
                message, remedy = f"{self.name} cannot be unpacked: {error}", "make the archive again"
                raise InputError.of("damaged_archive", message, remedy, self.file.name) from error
