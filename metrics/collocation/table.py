"""The collocation table: word and co-occurrence counts of one corpus, and its file.

A site may have several tables. Each names its corpus, so that every score can be traced to its source.

The file is an ordinary uncompressed ``.npz`` (``numpy.load`` opens it), except that every array starts at a
multiple of 64 bytes: it is mapped into memory, 8 bytes a pair, and shared by all processes. It is written
under a temporary name and renamed when it is complete and on disk, so that a reader never sees half a file.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from appraise.lib.digests import bytes_digest
from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import explain_read_error
from metrics.kernels.compiler import Ints, Longs

FORMAT = "collocations-1"
ALIGNMENT = 64
PADDING_FIELD = 0xD935  # the extra field that other programs also use to align zip archives
LOCAL_HEADER = 30
Array = NDArray[Any]  # Any: arrays of every type are stored alike
ARRAYS = ("words", "frequency", "rows", "partners", "counts")


@dataclass(frozen=True, slots=True)
class Corpus:
    """The corpus of a table: its name and description, the digest of its text, and the tools."""

    name: str
    description: str
    digest: str
    sentences: int
    language: str = "en"
    reader: str = "en"
    tools: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({self.description}), {self.sentences:,} sentences"


@dataclass(frozen=True)
class CollocationTable:
    """Counts over sentences. Row x of (rows, partners, counts) lists the smaller partners of word x."""

    corpus: Corpus
    words: tuple[str, ...]
    frequency: Ints
    rows: Longs
    partners: Ints
    counts: Ints

    def __post_init__(self) -> None:
        # Kernels are compiled once for one kind of array, whether counted now or mapped from a file.
        for name in ARRAYS[1:]:
            array = getattr(self, name).view(np.ndarray)
            array.flags.writeable = False
            object.__setattr__(self, name, array)

    @property
    def pairs(self) -> int:
        """The number of distinct collocations."""
        return int(self.partners.size)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each word."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def digest(self) -> str:
        """Identifies the content of the table in signatures."""
        arrays = (self.frequency, self.rows, self.partners, self.counts)
        return bytes_digest(
            json.dumps(asdict(self.corpus), sort_keys=True).encode(),
            "\n".join(self.words).encode("utf-8", "surrogatepass"),
            *(np.ascontiguousarray(array).view(np.uint8).data for array in arrays),
        )[:12]


def save_table(table: CollocationTable, path: Path) -> None:
    """Write a table, all or nothing."""
    head = {"format": FORMAT, "corpus": asdict(table.corpus), "digest": table.digest}
    arrays: dict[str, Array] = {
        "head": np.frombuffer(json.dumps(head, ensure_ascii=False).encode(), np.uint8),
        "words": np.frombuffer("\n".join(table.words).encode("utf-8", "surrogatepass"), np.uint8),
    }
    save_arrays(path, arrays | {name: getattr(table, name) for name in ARRAYS[1:]})


def load_table(path: Path) -> CollocationTable:
    """Open a table; raises ``InputError`` for any other file."""
    arrays = map_arrays(path)
    try:
        head = json.loads(arrays["head"].tobytes())
        if head["format"] != FORMAT:
            raise ValueError(f"format {head['format']!r}, expected {FORMAT!r}")
        text = arrays["words"].tobytes().decode("utf-8", "surrogatepass")
        words = tuple(text.split("\n")) if text else ()
        table = CollocationTable(Corpus(**head["corpus"]), words, *(arrays[name] for name in ARRAYS[1:]))
        _check(table)
    except (KeyError, TypeError, ValueError) as error:
        problem = Problem("not_a_table", f"not a collocation table ({error})", "train it", str(path))
        raise InputError(problem) from error
    table.__dict__["digest"] = head["digest"]  # as recorded, because hashing again would read all pages
    return table


def _check(table: CollocationTable) -> None:
    if not (len(table.words) == table.frequency.size == table.rows.size - 1):
        raise ValueError(f"{len(table.words)} words, {table.frequency.size} counts, {table.rows.size} rows")
    if not (table.rows[-1] == table.partners.size == table.counts.size):
        raise ValueError(f"{table.partners.size} partners, {table.counts.size} counts")


def save_arrays(path: Path, arrays: Mapping[str, Array]) -> None:
    """Write the arrays, all or nothing."""
    with (
        write_atomically(path) as partial,
        zipfile.ZipFile(partial, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        for name, array in arrays.items():
            _add_array(archive, f"{name}.npy", np.ascontiguousarray(array))


def map_arrays(path: Path) -> dict[str, Array]:
    """The arrays of a file, mapped read-only; raises ``InputError`` for anything but a complete file."""
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as file:
            members = archive.infolist()
            return {
                member.filename.removesuffix(".npy"): _map_array(path, file, member) for member in members
            }
    except FileNotFoundError as error:
        raise InputError(explain_read_error(error, path)) from error
    except (zipfile.BadZipFile, ValueError, OSError, struct.error) as error:
        problem = Problem("not_a_table", f"not a complete table ({error})", "train it again", str(path))
        raise InputError(problem) from error


@contextmanager
def write_atomically(path: Path) -> Iterator[Path]:
    """Yield a temporary path, which is renamed to ``path`` if the block succeeds and deleted otherwise."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        yield partial
        with partial.open("rb+") as file:
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def _add_array(archive: zipfile.ZipFile, name: str, array: Array) -> None:
    """Append one array, aligned by an extra field of zeros in its header."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    info = zipfile.ZipInfo(name)  # with a fixed date, so that equal tables are equal files
    zip64 = 20  # size of the extra field that zipfile writes because of force_zip64
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


def _map_array(path: Path, file: io.BufferedReader, member: zipfile.ZipInfo) -> Array:
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
