"""SHA-256 digests of texts, files and arrays, and the version of Appraise, as recorded with results."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # commands that hash texts start without NumPy
    from numpy.typing import NDArray

PROJECT_FILE = Path(__file__).resolve().parents[2] / "pyproject.toml"  # present in a checkout only


def text_digest(*parts: str) -> str:
    """The first half of the digest of one or more texts.

    The separator cannot occur in a text, because the importers refuse control characters.

    >>> text_digest("a", "b") == text_digest("ab")
    False
    """
    return bytes_digest("\x1f".join(parts).encode())[:32]


def bytes_digest(*pieces: bytes | memoryview) -> str:
    """The digest of the pieces one after another, as hexadecimal digits.

    >>> bytes_digest(b"a", b"b") == bytes_digest(b"ab")
    True
    """
    return pieces_digest(pieces)


def pieces_digest(pieces: Iterable[bytes | memoryview]) -> str:
    """The same for pieces that need not fit into memory together."""
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    return total.hexdigest()


def file_digest(path: Path) -> str:
    """The digest of a file, which is read in blocks."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def array_digest(*arrays: NDArray[Any]) -> str:  # Any: numbers of every type
    """The digest of the numbers of arrays, row by row, in their own type."""
    return pieces_digest(array.tobytes() for array in arrays)


@cache
def find_version() -> str:
    """Return the version of Appraise, of the checkout or of the installed package.

    >>> find_version().count(".") >= 1
    True
    """
    if PROJECT_FILE.is_file():
        return str(tomllib.loads(PROJECT_FILE.read_text("utf-8"))["project"]["version"])
    try:
        return version("appraise-mt")
    except PackageNotFoundError:  # files copied by hand
        return "unknown"
