"""Arrays in one file that is mapped into memory instead of read.

The file is an ordinary uncompressed ``.npz`` (``numpy.load`` opens it), except that every array starts at a
multiple of 64 bytes, so it can be used in place. It is written beside its target and moved there when it is
complete and on disk: a reader sees the old file, the new one, or none, never half a file.
"""

from __future__ import annotations

import io
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.problems import InputError, Problem
from evaluation.streams import hindrance

ALIGNMENT = 64
PADDING_FIELD = 0xD935  # the extra field by which zip archives are aligned elsewhere, too
LOCAL_HEADER = 30
Array = NDArray[Any]  # Any: arrays of every type are stored alike


def save_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write the arrays, all or nothing."""
    with (
        written_whole(path) as partial,
        zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        for name, array in arrays.items():
            _add(archive, f"{name}.npy", np.ascontiguousarray(array))


def map_arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file, mapped read-only; raises ``InputError`` for anything but a complete file."""
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            members = archive.infolist()
            return {member.filename.removesuffix(".npy"): _map(path, file, member) for member in members}
    except FileNotFoundError as error:
        raise InputError(hindrance(error, path)) from error
    except (zipfile.BadZipFile, ValueError, OSError, struct.error) as error:
        problem = Problem(
            "not_a_table", f"this is not a complete table ({error})", "train it again", str(path)
        )
        raise InputError(problem) from error


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A path to write to; it becomes ``path`` when the block succeeds and vanishes when it fails."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _add(archive: zipfile.ZipFile, name: str, array: Array) -> None:
    """Append one array, its data aligned by an extra field of zeros before the file header's end."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    info = zipfile.ZipInfo(name)  # its fixed date keeps equal tables equal
    zip64 = 20  # zipfile puts the sizes into an extra field of this size when told to expect large data
    start = _position(archive) + LOCAL_HEADER + len(name) + 4 + zip64 + header.tell()
    padding = -start % ALIGNMENT
    info.extra = struct.pack("<HH", PADDING_FIELD, padding) + bytes(padding)
    with archive.open(info, "w", force_zip64=True) as member:
        member.write(header.getvalue())
        member.write(array.reshape(-1).view(np.uint8).data)


def _position(archive: zipfile.ZipFile) -> int:
    if archive.fp is None:
        raise ValueError("the archive is closed")
    return archive.fp.tell()


def _map(path: Path, file: io.BufferedReader, member: zipfile.ZipInfo) -> Array:
    if member.compress_type != zipfile.ZIP_STORED:
        raise ValueError(f"{member.filename} is compressed")
    file.seek(member.header_offset)
    name, extra = struct.unpack("<26xHH", file.read(LOCAL_HEADER))
    file.seek(member.header_offset + LOCAL_HEADER + name + extra)
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError(f"{member.filename} has an unknown version")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    if 0 in shape:
        return np.zeros(shape, dtype)
    return np.memmap(path, dtype=dtype, mode="r", offset=file.tell(), shape=shape)
