"""Readers and writers of discourse trees, one file per format, chosen by the end of the file name.

Every reader is given the text and a name for its messages, returns all trees of the file, and raises
``InputError`` with line and column of each fault; every writer returns text that its reader turns back into
equal trees.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from evaluation.problems import InputError, Problem
from evaluation.streams import readable
from metrics.discourse.formats import brackets, dis, json_lines, rs3
from metrics.discourse.trees import Node


@dataclass(frozen=True, slots=True)
class Format:
    title: str
    suffixes: tuple[str, ...]
    read: Callable[[str, str], list[Node]]
    write: Callable[[Iterable[Node]], str]


FORMATS = {
    "dis": Format("RST-DT brackets", (".dis",), dis.read, dis.write),
    "rs3": Format("RS3 XML of RSTTool and rstWeb", (".rs3", ".xml"), rs3.read, rs3.write),
    "json": Format("JSON, one tree per line", (".json", ".jsonl"), json_lines.read, json_lines.write),
    "brackets": Format(
        "compact brackets, one tree per line", (".brackets", ".txt"), brackets.read, brackets.write
    ),
}


def read_file(path: Path) -> list[Node]:
    """All trees of a file, plain or gzipped; raises ``InputError``."""
    name = path.name.removesuffix(".gz")
    found = [kind for kind in FORMATS.values() if name.endswith(kind.suffixes)]
    if not found:
        known = " ".join(suffix for kind in FORMATS.values() for suffix in kind.suffixes)
        raise InputError(
            Problem("unknown_format", f"no tree format ends like {path.name!r}", f"use {known}", str(path))
        )
    return found[0].read(_text(path), str(path))


def _text(path: Path) -> str:
    with readable(path):
        data = path.read_bytes()
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            Problem("encoding", f"not UTF-8: {error}", "save the file as UTF-8", str(path))
        ) from error
