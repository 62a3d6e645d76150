"""How an external tool identifies itself, and where the optional tools are installed.

Every adapter in this package reports a ``Tool``: name, version, digest of the model, and the *mode* of its
answers, so that scores from a real parser and from a rule of thumb are never mixed without a label. The tools
live in an environment of their own (``make tools``), in the folder ``APPRAISE_TOOLS`` (default ``.tools``
beside ``manage.py``). They run only as separate processes: no module of the project imports them.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from appraise.lib import digests

if TYPE_CHECKING:
    from evaluation.alignment.wordnet import WordNet

PROJECT = Path(__file__).resolve().parent.parent.parent
DIGEST_CHARACTERS = 16


class ToolMode(StrEnum):
    """Where an answer comes from."""

    REAL = "real"  # a trained tool of the field
    LEARNED = "learned"  # trained here on gold annotation
    HEURISTIC = "heuristic"  # rules of thumb
    IMPORTED = "imported"  # uploaded by the user
    ABSENT = "absent"  # nothing answered


@dataclass(frozen=True, slots=True)
class Tool:
    """Identity of a tool; answers are comparable only if their tools are equal.

    >>> print(Tool("stanford-pcfg", "3.3.1", "0123456789abcdef", ToolMode.REAL))
    stanford-pcfg 3.3.1 (real, model 0123456789abcdef)
    >>> print(Tool("rst", "", None, ToolMode.ABSENT))
    rst (absent)
    """

    name: str
    version: str
    model_hash: str | None
    mode: ToolMode

    def __str__(self) -> str:
        inside = self.mode.value + (f", model {self.model_hash}" if self.model_hash else "")
        return " ".join(part for part in (self.name, self.version, f"({inside})") if part)

    def as_dict(self) -> dict[str, str | None]:
        return asdict(self)


class ToolAbsent(Exception):
    """A tool is not installed; the message is one sentence for the user."""

    def __init__(self, name: str, remedy: str = "run `make tools` to install it") -> None:
        super().__init__(f"{name} is not installed; {remedy}")
        self.name = name


def find_tools_folder() -> Path:
    """Return the folder of the optional tools, which need not exist."""
    return Path(os.environ.get("APPRAISE_TOOLS") or PROJECT / ".tools")


def find_python() -> Path:
    """Return the Python interpreter of the tools; ``ToolAbsent`` if their environment does not exist."""
    path = find_tools_folder() / "env" / "bin" / "python"
    if not path.exists():
        raise ToolAbsent("The environment of the linguistic tools")
    return path


def find_java() -> str:
    """Return the path of a Java runtime; ``ToolAbsent`` if there is none."""
    path = shutil.which("java")
    if path is None:
        raise ToolAbsent("Java", "on Debian: apt install default-jre-headless")
    return path


def find_package(import_name: str) -> Path | None:
    """Return the folder of a package in the environment of the tools; None if it is not installed."""
    return min(
        (find_tools_folder() / "env" / "lib").glob(f"python3.*/site-packages/{import_name}"), default=None
    )


def find_distribution_version(name: str) -> str | None:
    """Return the version of a distribution in the environment of the tools; None if it is not installed."""
    normalized = name.lower().replace("-", "_")
    for folder in (find_tools_folder() / "env" / "lib").glob("python3.*/site-packages/*.dist-info"):
        distribution, _, version = folder.name.removesuffix(".dist-info").partition("-")
        if distribution.lower() == normalized:
            return version
    return None


def find_nltk_folder() -> Path:
    """Return the folder for ``nltk.data.path``, which has ``corpora/wordnet`` after ``make tools``."""
    return find_tools_folder() / "nltk_data"


@cache
def load_wordnet() -> WordNet:
    """Return WordNet; ``ToolAbsent`` if it is not installed.

    It is searched in ``WNSEARCHDIR`` (WordNet's own variable), among the tools, and in Debian's folder.
    """
    from evaluation.alignment.wordnet import WordNet  # here, because its package loads every aligner

    for folder in _wordnet_folders():
        if (folder / "index.noun").is_file():
            return WordNet(folder)
    raise ToolAbsent("WordNet", "run `make tools`, or on Debian: apt install wordnet-base")


def wordnet_tool(wordnet: WordNet) -> Tool:
    """Return the identity of a WordNet database, for tables and signatures."""
    return Tool("wordnet", "3.0", file_digest(wordnet.folder / "index.noun"), ToolMode.REAL)


def _wordnet_folders() -> Iterator[Path]:
    if folder := os.environ.get("WNSEARCHDIR"):
        yield Path(folder)
    yield find_nltk_folder() / "corpora" / "wordnet"
    yield Path("/usr/share/wordnet")


def file_digest(path: Path) -> str:
    """Return the first characters of a file's SHA-256, cached until the file changes."""
    state = path.stat()
    return _digest(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=256)
def _digest(path: Path, _changed: int, _size: int) -> str:
    return digests.file_digest(path)[:DIGEST_CHARACTERS]
