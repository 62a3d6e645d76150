"""Backup and restore of a whole site: its database, its uploads, its trained models and its key.

A backup is a folder that gets its name only when it is complete. ``manifest.json`` lists every file with its
SHA-256 and every table with its rows and fingerprint, and ``manifest.sha256`` holds the digest of
``manifest.json``, so that a lost or changed byte is detected before anything is restored.

A restore checks every byte first, replaces the database in one transaction, migrates it to this version, and
erases again everybody who was erased since, because a backup must not bring people back.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from appraise.lib.digests import bytes_digest, file_digest, find_version
from appraise.lib.problems import InputError, Problem
from appraise.operations import database_dumps
from appraise.operations.database_dumps import Tables
from evaluation.models import Campaign, User
from evaluation.people.erasure import replay_erasures

FORMAT = "appraise-backup"
VERSION = 1
MANIFEST = "manifest.json"
DIGEST = "manifest.sha256"
PREFIX = "appraise-"
SQLITE_FILE = "database.sqlite3"
HOME = "home"
# The files of a site besides its database. Static files are collected again; the ledger of erasures is never
# restored, because an old one would not know everybody.
SITE_FILES = ("secret_key", "uploads", "models")

Note = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a backup: its files and tables, the version and the migrations."""

    made_at: str
    appraise: str
    database: str
    migrations: list[list[str]]
    tables: Tables
    key_check: str  # proves that a key belongs to this backup without revealing it
    files: dict[str, dict[str, object]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return database_dumps.count_rows(self.tables)


@dataclass(frozen=True, slots=True)
class RestoreSummary:
    manifest: Manifest
    erased_again: int
    key_matches: bool


def make_backup(destination: Path, *, now: datetime, keep: int = 0, note: Note = lambda _: None) -> Path:
    """Write a backup below ``destination`` and return its folder; ``keep`` is the number to keep (0: all)."""
    folder = destination / f"{PREFIX}{now:%Y%m%dT%H%M%S.%fZ}"
    if folder.exists():
        message = "a backup with this time already exists"
        raise InputError.of("backup_exists", message, "try again", str(folder))
    partial = destination / f".{folder.name}.partial"
    destination.mkdir(parents=True, exist_ok=True)
    partial.mkdir(mode=0o700)
    try:
        write_manifest(partial, _collect(partial, now, note))
        os.rename(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    backups = sorted(path for path in destination.glob(f"{PREFIX}*Z") if (path / MANIFEST).is_file())
    for old in backups[:-keep] if keep else []:
        note(f"removing {old.name}, older than the last {keep}")
        shutil.rmtree(old)
    return folder


def check_backup(folder: Path, note: Note = lambda _: None) -> Manifest:
    """Check every byte and the database inside; raises ``InputError`` for any damage."""
    note("checking the SHA-256 of every file")
    manifest = read_manifest(folder)
    if manifest.database == "sqlite":
        note("checking the database inside")
        tables = database_dumps.check_sqlite(folder / SQLITE_FILE)
        if tables != manifest.tables:
            differing = sorted(
                name for name in manifest.tables | tables if manifest.tables.get(name) != tables.get(name)
            )
            message = f"tables differ: {differing}"
            raise InputError.of("damaged_backup", message, "use another backup", str(folder))
    return manifest


def restore_backup(folder: Path, *, replace: bool = False, note: Note = lambda _: None) -> RestoreSummary:
    """Replace this site's data by a backup; refuses to overwrite anything without ``replace``."""
    manifest = check_backup(folder, note)
    _check_kind(manifest, folder)
    if not replace and _holds_data():
        remedy = "restore into an empty one, or use --replace"
        raise InputError.of("not_empty", "this site's database holds campaigns or people", remedy)
    note(f"loading {manifest.rows} rows of {len(manifest.tables)} tables")
    if manifest.database == "sqlite":
        connection.close()
        database_dumps.load_sqlite(folder / SQLITE_FILE, _sqlite_file())
    else:
        database_dumps.load_postgres(connection, folder, manifest.migrations, manifest.tables)
    _restore_files(folder)
    call_command("migrate", verbosity=0)
    return RestoreSummary(manifest, replay_erasures(), manifest.key_check == _key_check(_next_key()))


def _collect(folder: Path, now: datetime, note: Note) -> Manifest:
    """Copy the database first: the files that it refers to exist already and are not deleted meanwhile."""
    note("copying the database")
    if connection.vendor == "sqlite":
        database_dumps.dump_sqlite(_sqlite_file(), folder / SQLITE_FILE)
        (folder / SQLITE_FILE).chmod(0o600)
        note("checking the copy")
        tables = database_dumps.check_sqlite(folder / SQLITE_FILE)
    else:
        tables = database_dumps.dump_postgres(connection, folder)
    note("copying files")
    (folder / HOME).mkdir()
    for name in SITE_FILES:
        _copy(settings.HOME / name, folder / HOME / name)
    return Manifest(
        made_at=now.isoformat(timespec="seconds"),
        appraise=find_version(),
        database=connection.vendor,
        migrations=sorted([app, name] for app, name in MigrationRecorder(connection).applied_migrations()),
        tables=tables,
        key_check=_key_check(settings.SECRET_KEY),
    )


def _copy(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copy2(source, target)


def _restore_files(folder: Path) -> None:
    """Restore uploads, models and the secret key, which decides which candidate is shown as A."""
    for name in SITE_FILES:
        if (settings.HOME / name).is_dir():
            shutil.rmtree(settings.HOME / name)
        _copy(folder / HOME / name, settings.HOME / name)


def _check_kind(manifest: Manifest, folder: Path) -> None:
    if manifest.database != connection.vendor:
        message = f"a backup of {manifest.database}, but this site runs on {connection.vendor}"
        remedy = "restore it with the DATABASE_URL of its kind; copy_to_postgres moves SQLite to PostgreSQL"
        raise InputError.of("other_database", message, remedy, str(folder))


def _sqlite_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _holds_data() -> bool:
    known = set(connection.introspection.table_names())
    return any(model._meta.db_table in known and model.objects.exists() for model in (User, Campaign))


def _next_key() -> str:
    """The secret key that the next start of the site will use."""
    key = os.environ.get("SECRET_KEY", "")
    path = settings.HOME / "secret_key"
    return key or (path.read_text("ascii").strip() if path.is_file() else settings.SECRET_KEY)


def _key_check(key: str) -> str:
    return hmac.new(key.encode(), b"appraise-backup", hashlib.sha256).hexdigest()[:16]


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a folder and its digest, and sync every file to disk."""
    files = {str(path.relative_to(folder)): _state(path) for path in _files(folder)}
    document = {
        "format": FORMAT,
        "version": VERSION,
        **{name: getattr(manifest, name) for name in Manifest.__slots__ if name != "files"},
        "files": files,
    }
    data = json.dumps(document, indent=1, sort_keys=True).encode() + b"\n"
    (folder / MANIFEST).write_bytes(data)
    (folder / DIGEST).write_bytes(_digest_line(data))
    for path in _files(folder):
        _sync(path)
    _sync(folder)


def read_manifest(folder: Path) -> Manifest:
    """Check a folder against its manifest; raises ``InputError`` with every file that differs."""
    document = _read_document(folder)
    listed: Mapping[str, Any] = document["files"]
    present = {str(path.relative_to(folder)): path for path in _files(folder)}
    problems = [
        _damage(folder, name, "is missing" if name not in present else "differs from what was written")
        for name, state in listed.items()
        if name not in present or _state(present[name]) != state
    ]
    problems += [
        _damage(folder, name, "was not written by the backup")
        for name in present
        if name not in listed and name not in {MANIFEST, DIGEST}
    ]
    if problems:
        raise InputError(problems)
    return Manifest(**{name: document[name] for name in Manifest.__slots__})


def _read_document(folder: Path) -> dict[str, Any]:
    path = folder / MANIFEST
    try:
        data = path.read_bytes()
        digest = (folder / DIGEST).read_bytes()
    except OSError as error:
        message, remedy = f"no readable manifest: {error}", "name a folder that the command backup made"
        raise InputError.of("no_backup", message, remedy, str(folder)) from error
    if digest != _digest_line(data):
        raise InputError(_damage(folder, MANIFEST, "differs from its own SHA-256"))
    document: dict[str, Any] = json.loads(data)
    if document.get("format") != FORMAT or document.get("version") != VERSION:
        message = f"format {document.get('format')!r} version {document.get('version')!r}"
        remedy = f"this Appraise reads {FORMAT} {VERSION}"
        raise InputError.of("unknown_backup", message, remedy, str(path))
    return document


def _digest_line(data: bytes) -> bytes:
    """In the format of the program ``sha256sum``, so that it can check the file too."""
    return f"{bytes_digest(data)}  {MANIFEST}\n".encode("ascii")


def _damage(folder: Path, name: str, what: str) -> Problem:
    return Problem("damaged_backup", f"{name} {what}", "use another backup", str(folder / name))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _state(path: Path) -> dict[str, object]:
    return {"bytes": path.stat().st_size, "sha256": file_digest(path)}


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
