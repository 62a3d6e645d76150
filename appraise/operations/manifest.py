"""The list of what a backup holds: every file with its SHA-256, every table with its rows and fingerprint.

``manifest.json`` describes the backup and ``manifest.sha256`` describes ``manifest.json``, so that a copy
which lost or changed one byte on its way is found before anything is restored from it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.problems import InputError, Problem

FORMAT = "appraise-backup"
VERSION = 1
NAME = "manifest.json"
DIGEST = "manifest.sha256"
_CHUNK = 1 << 20

Tables = dict[str, dict[str, object]]


@dataclass(frozen=True, slots=True)
class Manifest:
    made_at: str
    appraise: str
    database: str
    migrations: list[list[str]]
    tables: Tables
    # Proves that a key belongs to this backup without revealing it.
    key_check: str
    files: dict[str, dict[str, object]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return sum(int(str(table["rows"])) for table in self.tables.values())


def write(folder: Path, manifest: Manifest) -> None:
    """Seal a folder: list its files, then the list, then make sure that all of it is on the disk."""
    files = {str(path.relative_to(folder)): _state(path) for path in _files(folder)}
    document = {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(manifest, name) for name in Manifest.__slots__ if name != "files"},
        "files": files,
    }
    data = json.dumps(document, indent=1, sort_keys=True).encode() + b"\n"
    (folder / NAME).write_bytes(data)
    (folder / DIGEST).write_bytes(_digest_line(data))
    for path in _files(folder):
        _sync(path)
    _sync(folder)


def read(folder: Path) -> Manifest:
    """Check a folder against its manifest; raises ``InputError`` with every file that differs."""
    document = _document(folder)
    listed: Mapping[str, Any] = document["files"]
    found = {str(path.relative_to(folder)): path for path in _files(folder)}
    problems = [
        _damaged(folder, name, "is missing" if name not in found else "differs from what was written")
        for name, state in listed.items()
        if name not in found or _state(found[name]) != state
    ]
    problems += [
        _damaged(folder, name, "was not written by the backup")
        for name in found
        if name not in listed and name not in {NAME, DIGEST}
    ]
    if problems:
        raise InputError(problems)
    return Manifest(**{name: document[name] for name in Manifest.__slots__})


def _document(folder: Path) -> dict[str, Any]:
    path = folder / NAME
    try:
        data = path.read_bytes()
        digest = (folder / DIGEST).read_bytes()
    except OSError as error:
        remedy = "name a folder that the command backup made"
        raise InputError(
            Problem("no_backup", f"no readable manifest: {error}", remedy, str(folder))
        ) from error
    if digest != _digest_line(data):
        raise InputError(_damaged(folder, NAME, "differs from its own SHA-256"))
    document: dict[str, Any] = json.loads(data)
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        message = f"format {document.get('format')!r} version {document.get('version')!r}"
        raise InputError(
            Problem("unknown_backup", message, f"this Appraise reads {FORMAT} {VERSION}", str(path))
        )
    return document


def _digest_line(data: bytes) -> bytes:
    """In the format of the program ``sha256sum``, so that it can check the file too."""
    return f"{hashlib.sha256(data).hexdigest()}  {NAME}\n".encode("ascii")


def _damaged(folder: Path, name: str, what: str) -> Problem:
    return Problem("damaged_backup", f"{name} {what}", "use another backup", str(folder / name))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _state(path: Path) -> dict[str, object]:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
