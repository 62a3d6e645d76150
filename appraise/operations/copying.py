"""Copies a site from SQLite to PostgreSQL and compares every table afterwards.

Both databases are read through the models, so that a value is the same Python value on both sides, although
SQLite stores a date as text and a boolean as 0 or 1. Rows are written by ``COPY``, read back, and their
number and fingerprint compared, all inside one transaction of the target: the copy is complete or nothing is
kept.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connections, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Field, JSONField, Model

from appraise.lib.problems import InputError
from appraise.operations.database_dumps import Fingerprint, Tables, reset_sequences

# Filled by the migrations of the target; replaced by the rows of the source.
FILLED_BY_MIGRATIONS = {"django_content_type", "auth_permission"}
_CHUNK = 5000

Note = Callable[[str], None]


def copy_all(source: str, target: str, note: Note = lambda _: None) -> Tables:
    """Copy every table from the database ``source`` to the empty one ``target`` (Django's aliases)."""
    models = list_models()
    _check(source, target, models)
    copied: Tables = {}
    with transaction.atomic(source), transaction.atomic(target):
        tables = ", ".join(map(connections[target].ops.quote_name, sorted(FILLED_BY_MIGRATIONS)))
        with connections[target].cursor() as cursor:
            cursor.execute(f"TRUNCATE {tables} CASCADE")
        for model in models:
            written = _copy(model, source, target)
            stored = compute_fingerprint(model, target)
            name = model._meta.db_table
            if written != stored:
                message = f"{name}: {written.as_dict()} became {stored.as_dict()}"
                raise InputError.of("copy_differs", message, "nothing was copied; please report this problem")
            note(f"{name}: {stored.rows} rows")
            copied[name] = stored.as_dict()
        reset_sequences(connections[target])
    return copied


def list_models() -> list[type[Model]]:
    """Every model with a table, many-to-many tables included, sorted by table name."""
    models = (model for model in apps.get_models(include_auto_created=True) if model._meta.managed)
    return sorted((m for m in models if not m._meta.proxy), key=lambda model: model._meta.db_table)


def compute_fingerprint(model: type[Model], database: str) -> Fingerprint:
    return Fingerprint.of(encode_row(model, row) for row in _rows(model, database))


def encode_row(model: type[Model], row: tuple[Any, ...]) -> bytes:
    """One row as bytes, equal for equal values of both databases."""
    values = [
        _json(value) if isinstance(field, JSONField) else value
        for field, value in zip(_fields(model), row, strict=True)
    ]
    return json.dumps(values, ensure_ascii=False, sort_keys=True, default=_text).encode()


def _copy(model: type[Model], source: str, target: str) -> Fingerprint:
    connection = connections[target]
    fields = _fields(model)
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    statement = f"COPY {connection.ops.quote_name(model._meta.db_table)} ({columns}) FROM STDIN"
    written = Fingerprint()
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in _rows(model, source):
            written.add(encode_row(model, row))
            copy.write_row(
                [field.get_db_prep_save(value, connection) for field, value in zip(fields, row, strict=True)]
            )
    return written


def _rows(model: type[Model], database: str) -> Iterator[tuple[Any, ...]]:
    names = [field.attname for field in _fields(model)]
    rows = model._base_manager.using(database).order_by().values_list(*names)
    return iter(rows.iterator(chunk_size=_CHUNK))


def _fields(model: type[Model]) -> list[Field[Any, Any]]:
    return list(model._meta.concrete_fields)


def _check(source: str, target: str, models: list[type[Model]]) -> None:
    """Raise ``InputError`` unless both have the same schema and the target has no rows to lose."""
    applied = [set(MigrationRecorder(connections[alias]).applied_migrations()) for alias in (source, target)]
    if differing := sorted(applied[0] ^ applied[1]):
        names = ", ".join(f"{app} {name}" for app, name in differing)
        raise InputError.of("schemas_differ", f"applied on one side only: {names}", "run migrate first")
    filled = [
        model._meta.db_table
        for model in models
        if model._meta.db_table not in FILLED_BY_MIGRATIONS and model._base_manager.using(target).exists()
    ]
    if filled:
        remedy = "name a new, empty database"
        raise InputError.of("target_not_empty", f"rows in {', '.join(filled)}", remedy)


def _json(value: object) -> object:
    """PostgreSQL stores JSON numbers as decimals, so that 1e16 comes back as an integer of equal value."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_json(part) for part in value]
    if isinstance(value, dict):
        return {key: _json(part) for key, part in value.items()}
    return value


def _text(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, UUID):
        return value.hex
    raise TypeError(f"a {type(value).__name__} in a table: define how it is compared")
