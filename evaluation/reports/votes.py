"""Where the pairs of a study stand, and which systems meet there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from django.db.models import BigIntegerField, Case, Max, Value, When
from django.db.models.functions import Cast
from numpy.typing import NDArray

from evaluation.models import Alignment, Occurrence, Output, System, Task
from evaluation.reports.columns import integer_columns
from evaluation.study import Meetings, Study
from evaluation.study.systems import meet


def meetings(tasks: Sequence[Task], study: Study) -> Meetings:
    """Occurrences in the newest alignment of each comparison; systems of one name are one system."""
    keys = [task.pk for task in tasks]
    pairs, items, first, second, flipped = integer_columns(_occurrences(keys), 5)
    writers, names = _writers(keys)
    turned = flipped.astype(bool)
    return meet(
        np.searchsorted(np.asarray(study.pair_keys), pairs),
        np.unique(items, return_inverse=True)[1],
        np.where(turned, second, first),
        np.where(turned, first, second),
        writers,
        names,
    )


def _occurrences(keys: list[int]):  # type: ignore[no-untyped-def]  # a values_list() has no nameable type
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


def _writers(keys: list[int]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """(candidate, code of a system that wrote it) × outputs, and the names of the systems."""
    systems = dict(System.objects.filter(task__in=keys).values_list("pk", "name"))
    names = tuple(sorted(set(systems.values())))
    rows = Output.objects.filter(item__task__in=keys).order_by().values_list("candidate_id", "system_id")
    candidates, written_by = integer_columns(rows, 2)
    codes = {system: names.index(name) for system, name in systems.items()}
    coded = np.fromiter((codes[system] for system in written_by.tolist()), np.int64, len(written_by))
    return np.stack([candidates, coded]), names
