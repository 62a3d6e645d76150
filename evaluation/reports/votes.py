"""Where the pairs of a study stand, and which systems meet there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Aggregate, BigIntegerField, Case, Max, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from numpy.typing import NDArray

from evaluation.models import Alignment, Occurrence, System, Task
from evaluation.reports.columns import integer_columns
from evaluation.study import Meetings, Study
from evaluation.study.systems import meet


class Places(NamedTuple):
    """Where pairs stand: in which item, and which candidates hold their first and their second text."""

    pairs: NDArray[np.int64]
    items: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


class Writers(NamedTuple):
    """(candidate, code of a system that wrote it) × outputs, and the names of the systems."""

    outputs: NDArray[np.int64]
    names: tuple[str, ...]


def meetings(tasks: Sequence[Task], study: Study) -> Meetings:
    """Systems of one name are one system."""
    return met(study, places(tasks), writers_of(tasks))


def met(study: Study, where: Places, written: Writers) -> Meetings:
    return meet(
        np.searchsorted(np.asarray(study.pair_keys), where.pairs),
        np.unique(where.items, return_inverse=True)[1],
        where.first,
        where.second,
        *written,
    )


def places(tasks: Sequence[Task]) -> Places:
    """Occurrences in the newest alignment of each comparison."""
    rows = _occurrences([task.pk for task in tasks])
    pairs, items, first, second, flipped = integer_columns(rows, (40, 40, 40, 40, 20))
    turned = flipped.astype(bool)
    return Places(pairs, items, np.where(turned, second, first), np.where(turned, first, second))


def _occurrences(keys: list[int]) -> QuerySet[Occurrence, tuple[int, ...]]:
    newest = (
        Alignment.objects.filter(comparison__item__task__in=keys, comparison__check_kind="")
        .values("comparison")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    flipped = Case(When(flipped=True, then=Value(1)), default=Value(0))
    place = "alignment__comparison"
    return (
        Occurrence.objects.filter(alignment__in=newest)
        .order_by()
        .values_list(
            "pair_id",
            f"{place}__item_id",
            f"{place}__first_id",
            f"{place}__second_id",
            Cast(flipped, BigIntegerField()),
        )
    )


def writers_of(tasks: Sequence[Task]) -> Writers:
    """One query: the outputs of each system are aggregated into one text."""
    systems = System.objects.filter(task__in=[task.pk for task in tasks]).order_by("name")
    rows = list(systems.values_list("name", Listed("outputs__candidate_id")))
    return writers(
        [(name, np.array(listed.split(",") if listed else [], dtype=np.int64)) for name, listed in rows]
    )


def writers(written: Sequence[tuple[str, NDArray[np.int64]]]) -> Writers:
    """From the candidates that each system wrote."""
    names = tuple(sorted({name for name, _ in written}))
    none = np.zeros(0, dtype=np.int64)
    codes = [np.full(len(candidates), names.index(name)) for name, candidates in written]
    outputs = np.stack(
        [np.concatenate([none, *(each for _, each in written)]), np.concatenate([none, *codes])]
    )
    return Writers(outputs, names)


class Listed(Aggregate):
    """Whole numbers as one text, with commas between them."""

    output_field = TextField()
    template = "GROUP_CONCAT(%(expressions)s)"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # Any: as Django's
        return self.as_sql(compiler, connection, template="STRING_AGG(%(expressions)s::text, ',')", **extra)
