"""Backup and restore of a whole site: its database, its uploads, its trained models and its key.

A backup is a folder that proves itself (``manifest``); it appears under its name only when it is complete. A
restore checks every byte first, replaces the database in one transaction, migrates it to this version, and
finally erases again everybody who was erased since: a backup must not bring people back.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from appraise.operations import manifest as manifests
from appraise.operations import postgres, sqlite
from appraise.operations.manifest import Manifest
from evaluation.models import Campaign, User
from evaluation.problems import InputError, Problem
from evaluation.release import version
from evaluation.services.privacy import replay_erasures

PREFIX = "appraise-"
SQLITE_FILE = "database.sqlite3"
HOME = "home"
# What a site keeps beside its database. Static files are collected again; the ledger of erasures is never
# restored, because an old one would forget people.
KEPT = ("secret_key", "uploads", "models")

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Restored:
    manifest: Manifest
    erased_again: int
    key_matches: bool


def make_backup(destination: Path, *, now: datetime, keep: int = 0, say: Say = lambda _: None) -> Path:
    """Write a backup below ``destination`` and return its folder; ``keep``: how many to keep (0: all)."""
    folder = destination / f"{PREFIX}{now:%Y%m%dT%H%M%S.%fZ}"
    if folder.exists():
        raise InputError(Problem("backup_exists", "there is one of this moment", "try again", str(folder)))
    partial = destination / f".{folder.name}.partial"
    destination.mkdir(parents=True, exist_ok=True)
    partial.mkdir(mode=0o700)
    try:
        manifests.write(partial, _collect(partial, now, say))
        os.rename(partial, folder)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    for old in _finished(destination)[:-keep] if keep else []:
        say(f"removing {old.name}, older than the last {keep}")
        shutil.rmtree(old)
    return folder


def check_backup(folder: Path, say: Say = lambda _: None) -> Manifest:
    """Check every byte and the database inside; raises ``InputError`` if anything is damaged."""
    say("checking the SHA-256 of every file")
    manifest = manifests.read(folder)
    if manifest.database == "sqlite":
        say("checking the database inside")
        found = sqlite.check(folder / SQLITE_FILE)
        if found != manifest.tables:
            differing = sorted(
                name for name in manifest.tables | found if manifest.tables.get(name) != found.get(name)
            )
            raise InputError(
                Problem("damaged_backup", f"tables differ: {differing}", "use another backup", str(folder))
            )
    return manifest


def restore_backup(folder: Path, *, replace: bool = False, say: Say = lambda _: None) -> Restored:
    """Replace this site's data by a backup; refuses to overwrite anything without ``replace``."""
    manifest = check_backup(folder, say)
    _check_kind(manifest, folder)
    if not replace and _holds_data():
        remedy = "restore into an empty one, or say --replace"
        raise InputError(Problem("not_empty", "this site's database holds campaigns or people", remedy))
    say(f"loading {manifest.rows} rows of {len(manifest.tables)} tables")
    if manifest.database == "sqlite":
        connection.close()
        sqlite.load(folder / SQLITE_FILE, _sqlite_file())
    else:
        postgres.load(connection, folder, manifest)
    _restore_files(folder)
    call_command("migrate", verbosity=0)
    return Restored(manifest, replay_erasures(), manifest.key_check == _key_check(_key_now()))


def _collect(folder: Path, now: datetime, say: Say) -> Manifest:
    """The database first: the files that it names already exist, and stay while they are copied."""
    say("copying the database")
    if connection.vendor == "sqlite":
        sqlite.snapshot(_sqlite_file(), folder / SQLITE_FILE)
        (folder / SQLITE_FILE).chmod(0o600)
        say("checking the copy")
        tables = sqlite.check(folder / SQLITE_FILE)
    else:
        tables = postgres.dump(connection, folder)
    say("copying files")
    (folder / HOME).mkdir()
    for name in KEPT:
        _copy(settings.HOME / name, folder / HOME / name)
    return Manifest(
        made_at=now.isoformat(timespec="seconds"),
        appraise=version(),
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
    """Uploads, models and the secret key, which decides which candidate is shown as A."""
    for name in KEPT:
        if (settings.HOME / name).is_dir():
            shutil.rmtree(settings.HOME / name)
        _copy(folder / HOME / name, settings.HOME / name)


def _check_kind(manifest: Manifest, folder: Path) -> None:
    if manifest.database != connection.vendor:
        message = f"a backup of {manifest.database}, but this site runs on {connection.vendor}"
        remedy = "restore it with the DATABASE_URL of its kind; copy_to_postgres moves SQLite to PostgreSQL"
        raise InputError(Problem("other_database", message, remedy, str(folder)))


def _sqlite_file() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def _holds_data() -> bool:
    known = set(connection.introspection.table_names())
    return any(model._meta.db_table in known and model.objects.exists() for model in (User, Campaign))


def _finished(destination: Path) -> list[Path]:
    """The backups below a folder, oldest first."""
    return sorted(path for path in destination.glob(f"{PREFIX}*Z") if (path / manifests.NAME).is_file())


def _key_now() -> str:
    """The secret key as the next start of the site will read it."""
    given = os.environ.get("SECRET_KEY", "")
    path = settings.HOME / "secret_key"
    return given or (path.read_text("ascii").strip() if path.is_file() else settings.SECRET_KEY)


def _key_check(key: str) -> str:
    return hmac.new(key.encode(), b"appraise-backup", hashlib.sha256).hexdigest()[:16]
