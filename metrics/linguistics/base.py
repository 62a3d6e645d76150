"""How a linguistic tool identifies itself, and where the optional tools are found.

Parsers and taggers are other people's programs. Every adapter in this package therefore reports a ``Tool``:
name, version, digest of the model, and the *mode* of its answers, so that scores from a real parser and from
a rule of thumb are never mixed unlabelled. The tools live in an environment of their own (``make tools``),
found through ``APPRAISE_TOOLS`` (default ``.tools`` beside ``manage.py``), and only ever run as separate
processes: nothing here imports them, and everything else works without them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent
DIGEST_CHARACTERS = 16


class Mode(StrEnum):
    """Where an answer comes from."""

    REAL = "real"  # a trained tool of the field
    LEARNED = "learned"  # trained here on gold annotation
    SILVER = "silver"  # trained here on another tool's output
    HEURISTIC = "heuristic"  # rules of thumb
    IMPORTED = "imported"  # uploaded by the user
    ABSENT = "absent"  # nothing answered


@dataclass(frozen=True, slots=True)
class Tool:
    """Identity of a tool; two answers are comparable only when it is equal.

    >>> print(Tool("stanford-pcfg", "3.3.1", "0123456789abcdef", Mode.REAL))
    stanford-pcfg 3.3.1 (real, model 0123456789abcdef)
    >>> print(Tool("rst", "", None, Mode.ABSENT))
    rst (absent)
    """

    name: str
    version: str
    model_hash: str | None
    mode: Mode

    def __str__(self) -> str:
        inside = self.mode.value + (f", model {self.model_hash}" if self.model_hash else "")
        return " ".join(part for part in (self.name, self.version, f"({inside})") if part)

    def as_dict(self) -> dict[str, str | None]:
        return asdict(self)


class ToolAbsent(Exception):
    """A tool that is needed is not installed; the message is one sentence for the user."""

    def __init__(self, name: str, remedy: str = "run `make tools` to install it") -> None:
        super().__init__(f"{name} is not installed; {remedy}")
        self.name = name


def root() -> Path:
    """Folder of the optional tools; it need not exist."""
    return Path(os.environ.get("APPRAISE_TOOLS") or PROJECT / ".tools")


def python() -> Path:
    """The interpreter of the tools' own environment.

    Raises ToolAbsent when the environment was never made.
    """
    path = root() / "env" / "bin" / "python"
    if not path.exists():
        raise ToolAbsent("The environment of the linguistic tools")
    return path


def java() -> str:
    """Path of a Java runtime; raises ToolAbsent when there is none."""
    path = shutil.which("java")
    if path is None:
        raise ToolAbsent("Java", "on Debian: apt install default-jre-headless")
    return path


def package(import_name: str) -> Path | None:
    """Folder of an installed package of the tools' environment, None when it is not there."""
    found = sorted((root() / "env" / "lib").glob(f"python3.*/site-packages/{import_name}"))
    return found[0] if found else None


def distribution_version(name: str) -> str | None:
    """Version of an installed distribution of the tools' environment, None when it is not there."""
    wanted = name.lower().replace("-", "_")
    for folder in (root() / "env" / "lib").glob("python3.*/site-packages/*.dist-info"):
        found, _, version = folder.name.removesuffix(".dist-info").partition("-")
        if found.lower() == wanted:
            return version
    return None


def nltk_root() -> Path:
    """Folder to register with ``nltk.data.path``; holds ``corpora/wordnet`` after ``make tools``."""
    return root() / "nltk_data"


def file_digest(path: Path) -> str:
    """Start of a file's SHA-256, read once while the file stays the same; names the model of an answer."""
    state = path.stat()
    return _digest(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=256)
def _digest(path: Path, _changed: int, _size: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGEST_CHARACTERS]
