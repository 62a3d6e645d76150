"""Queries that are compiled once and run many times.

Django builds the SQL of a queryset again on each use, which costs more than running it. For the few queries
of the annotation page a ``Prepared`` keeps the SQL and puts new parameters in. Queries are still written with
the ORM, and results are ordinary model instances or tuples, converted as Django does it.

PostgreSQL, too, reads and plans a statement anew on each use; of these it keeps the plans (``planned``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators
from django.db.models.sql import UpdateQuery

M = TypeVar("M", bound=Model)
Argument = int | str | datetime


def planned(database: BaseDatabaseWrapper) -> CursorWrapper:
    """A cursor whose statements PostgreSQL plans once for each connection; elsewhere, an ordinary one.

    Also an ordinary one where statements are logged, because the log of a planned one would lack its values.
    """
    keeps_plans = bool(database.settings_dict["OPTIONS"].get("prepare_threshold"))
    if database.vendor != "postgresql" or not keeps_plans or database.queries_logged:
        return database.cursor()
    database.ensure_connection()
    return database.make_cursor(_planning_cursor()(database.connection))


@cache
def _planning_cursor() -> Callable[..., Any]:
    from django.db.backends.postgresql.base import ServerBindingCursor  # needs psycopg: not for every site

    class PlanningCursor(ServerBindingCursor):
        def execute(self, query: str, params: Any = None) -> Any:  # Any: as in Django's own
            return super().execute(query, params, prepare=True)  # type: ignore[misc]  # the stubs lack it

    return PlanningCursor


@dataclass(frozen=True, slots=True)
class _Compiled:
    sql: str
    parameters: tuple[Any, ...]  # the constants of the query, and a _Hole where an argument goes
    converters: list[tuple[int, list[Callable[..., Any]], Any]]
    model: Any  # what follows says which columns make which model, as Django's compiler has it
    names: list[str]
    columns: slice
    populators: list[Any]
    annotations: list[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class _Hole:
    number: int


class Prepared(Generic[M]):
    """``build(*arguments)`` is the queryset; ``examples`` are arguments of the right types, all different.

    The examples are found again among the parameters of the compiled query, so an argument must reach the
    database unchanged: integers and strings do, and moments as each database writes them. Integers must fit
    the column (a small one holds 32,767).
    """

    def __init__(self, build: Callable[..., QuerySet[M, Any]], *examples: Argument) -> None:
        self.build = build
        self.examples = examples
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, *arguments: Argument) -> list[tuple[Any, ...]]:
        """The result of a ``values_list`` queryset."""
        return self._run(arguments)[1]

    def objects(self, *arguments: Argument) -> list[M]:
        """The result of a queryset of instances, with annotations and with what ``select_related`` names."""
        compiled, rows = self._run(arguments)
        found = []
        for row in rows:
            instance = compiled.model.from_db(DEFAULT_DB_ALIAS, compiled.names, row[compiled.columns])
            for populator in compiled.populators:
                populator.populate(row, instance)
            for name, place in compiled.annotations:
                setattr(instance, name, row[place])
            found.append(instance)
        return found

    def _run(self, arguments: Sequence[Argument]) -> tuple[_Compiled, list[Any]]:
        database = connections[DEFAULT_DB_ALIAS]
        # Once per kind of database, not per connection: the SQL is the same for all threads.
        compiled = self._compiled.get(database.vendor)
        if compiled is None:
            compiled = self._compiled[database.vendor] = self._compile(database)
        values = _filled(compiled.parameters, arguments, database)
        with planned(database) as cursor:
            cursor.execute(compiled.sql, values)
            rows = cursor.fetchall()
        if compiled.converters:
            rows = list(map(list, rows))
            for position, steps, expression in compiled.converters:
                for step in steps:
                    for row in rows:
                        row[position] = step(row[position], expression, database)
        return compiled, rows

    def _compile(self, database: BaseDatabaseWrapper) -> _Compiled:
        compiler = self.build(*self.examples).query.get_compiler(DEFAULT_DB_ALIAS)
        sql, parameters = compiler.as_sql()
        found = _with_holes(parameters, self.examples, database)
        columns = [column[0] for column in compiler.select[: compiler.col_count]]
        converters = [(place, *rest) for place, rest in compiler.get_converters(columns).items()]
        info = compiler.klass_info
        if info is None:  # plain tuples
            return _Compiled(sql, found, converters, None, [], slice(0), [], [])
        own = slice(info["select_fields"][0], info["select_fields"][-1] + 1)
        names = [column[0].target.attname for column in compiler.select[own]]
        # The stubs describe Django 6, which asks for one more argument
        populators = get_related_populators(info, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
        annotations = list(compiler.annotation_col_map.items())
        return _Compiled(sql, found, converters, info["model"], names, own, populators, annotations)


def _with_holes(
    parameters: Sequence[Any], examples: Sequence[Argument], database: BaseDatabaseWrapper
) -> tuple[Any, ...]:
    holes = {_written(example, database): _Hole(n) for n, example in enumerate(examples)}
    found = tuple(holes.get(p, p) if isinstance(p, Argument) else p for p in parameters)
    missing = set(holes.values()) - {p for p in found if isinstance(p, _Hole)}
    if missing:
        raise ValueError(f"arguments {sorted(h.number for h in missing)} do not reach the query")
    return found


def _filled(
    parameters: Sequence[Any], arguments: Sequence[Argument], database: BaseDatabaseWrapper
) -> list[Any]:
    return [_written(arguments[p.number], database) if isinstance(p, _Hole) else p for p in parameters]


def _written(argument: Argument, database: BaseDatabaseWrapper) -> Any:  # Any: each database has its own
    if isinstance(argument, datetime):
        return database.ops.adapt_datetimefield_value(argument)
    return argument


class PreparedUpdate:
    """``build(*arguments)`` is the rows and what they become; like ``update``, it sends no signals."""

    def __init__(
        self, build: Callable[..., tuple[QuerySet[Any], dict[str, Any]]], *examples: Argument
    ) -> None:
        self.build = build
        self.examples = examples
        self._compiled: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def __call__(self, *arguments: Argument) -> int:
        """How many rows were changed."""
        database = connections[DEFAULT_DB_ALIAS]
        found = self._compiled.get(database.vendor)
        if found is None:
            found = self._compiled[database.vendor] = self._compile(database)
        sql, parameters = found
        with planned(database) as cursor:
            cursor.execute(sql, _filled(parameters, arguments, database))
            return int(cursor.rowcount)

    def _compile(self, database: BaseDatabaseWrapper) -> tuple[str, tuple[Any, ...]]:
        rows, become = self.build(*self.examples)
        query: Any = rows.query.chain(UpdateQuery)  # Any: the stubs take it for what it was before
        query.add_update_values(become)
        sql, parameters = query.get_compiler(DEFAULT_DB_ALIAS).as_sql()
        return sql, _with_holes(parameters, self.examples, database)


class PreparedInsert(Generic[M]):
    """Appends a row without building its SQL again; constraints hold as usual, signals are not sent."""

    def __init__(self, model: type[M], *names: str) -> None:
        found = {field.name: field for field in model._meta.concrete_fields}
        self.table = model._meta.db_table
        self.fields = [found[name] for name in names]
        self._sql: dict[str, str] = {}

    def __call__(self, **values: object) -> None:
        database = connections[DEFAULT_DB_ALIAS]
        sql = self._sql.get(database.vendor)
        if sql is None:
            sql = self._sql[database.vendor] = self._compile(database.ops.quote_name)
        prepared = [field.get_db_prep_save(values[field.name], database) for field in self.fields]
        with planned(database) as cursor:
            cursor.execute(sql, prepared)

    def _compile(self, quote: Callable[[str], str]) -> str:
        columns = ", ".join(quote(field.column) for field in self.fields if field.column)
        places = ", ".join(["%s"] * len(self.fields))
        return f"INSERT INTO {quote(self.table)} ({columns}) VALUES ({places})"
