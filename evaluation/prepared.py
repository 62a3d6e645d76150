"""Queries that are compiled once and run many times.

Django builds the SQL of a queryset anew on each use, which costs more than running it. For the few queries
of the annotation page a ``Prepared`` keeps the SQL and puts new parameters in. It is still the ORM's
language: what it returns are ordinary model instances or tuples, converted as Django converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class _Compiled:
    sql: str
    parameters: tuple[Any, ...]  # the constants of the query, and a _Hole where an argument goes
    converters: dict[int, tuple[list[Callable[..., Any]], Any]]
    compiler: Any  # Django's SQLCompiler: knows which columns make which model


@dataclass(frozen=True, slots=True)
class _Hole:
    number: int


class Prepared(Generic[M]):
    """``build(*arguments)`` is the queryset; ``examples`` are arguments of the right types, all different.

    The examples are found again among the parameters of the compiled query, so an argument must reach the
    database unchanged: integers and strings do. Integers must fit the column (a small one holds 32,767).
    """

    def __init__(self, build: Callable[..., QuerySet[M, Any]], *examples: int | str) -> None:
        self.build = build
        self.examples = examples
        self._compiled: dict[str, _Compiled] = {}

    def rows(self, *arguments: int | str) -> list[tuple[Any, ...]]:
        """The result of a ``values_list`` queryset."""
        compiled = self._compile()
        return self._run(compiled, arguments)

    def objects(self, *arguments: int | str) -> list[M]:
        """The result of a queryset of instances, with what ``select_related`` names."""
        compiled = self._compile()
        compiler = compiled.compiler
        info = compiler.klass_info
        start, end = info["select_fields"][0], info["select_fields"][-1] + 1
        names = [column[0].target.attname for column in compiler.select[start:end]]
        # The stubs describe Django 6, which asks for one more argument
        populators = get_related_populators(info, compiler.select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]
        found = []
        for row in self._run(compiled, arguments):
            instance = info["model"].from_db(DEFAULT_DB_ALIAS, names, row[start:end])
            for populator in populators:
                populator.populate(row, instance)
            found.append(instance)
        return found

    def _run(self, compiled: _Compiled, arguments: Sequence[int | str]) -> list[tuple[Any, ...]]:
        values = [arguments[p.number] if isinstance(p, _Hole) else p for p in compiled.parameters]
        with connection.cursor() as cursor:
            cursor.execute(compiled.sql, values)
            rows = cursor.fetchall()
        if not compiled.converters:
            return list(rows)
        converted = []
        for row in map(list, rows):
            for position, (steps, expression) in compiled.converters.items():
                for step in steps:
                    row[position] = step(row[position], expression, connection)
            converted.append(tuple(row))
        return converted

    def _compile(self) -> _Compiled:
        """Once per kind of database, not per connection: the SQL is the same for all threads."""
        compiled = self._compiled.get(connection.vendor)
        if compiled is None:
            compiler = self.build(*self.examples).query.get_compiler(DEFAULT_DB_ALIAS)
            sql, parameters = compiler.as_sql()
            holes = {example: _Hole(n) for n, example in enumerate(self.examples)}
            found = tuple(holes.get(p, p) if isinstance(p, int | str) else p for p in parameters)
            missing = set(holes.values()) - {p for p in found if isinstance(p, _Hole)}
            if missing:
                raise ValueError(f"arguments {sorted(h.number for h in missing)} do not reach the query")
            columns = [column[0] for column in compiler.select[: compiler.col_count]]
            compiled = _Compiled(sql, found, compiler.get_converters(columns), compiler)
            self._compiled[connection.vendor] = compiled
        return compiled


class PreparedInsert(Generic[M]):
    """Appends a row without building its SQL anew; constraints hold as ever, signals are not sent."""

    def __init__(self, model: type[M], *names: str) -> None:
        found = {field.name: field for field in model._meta.concrete_fields}
        self.table = model._meta.db_table
        self.fields = [found[name] for name in names]

    def __call__(self, **values: object) -> None:
        quote = connection.ops.quote_name
        columns = ", ".join(quote(field.column) for field in self.fields if field.column)
        places = ", ".join(["%s"] * len(self.fields))
        prepared = [field.get_db_prep_save(values[field.name], connection) for field in self.fields]
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {quote(self.table)} ({columns}) VALUES ({places})", prepared)
