"""Stored rankings as the table that agreement reads.

The current version of each annotator's first presentation counts; withdrawn answers and attention checks do
not. Repeated presentations feed intra-annotator agreement only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db import connection
from django.db.models import Case, IntegerField, QuerySet, Value, When
from numpy.typing import NDArray

from evaluation.agreement import Judgements
from evaluation.models import Annotator, Ranking, Task
from evaluation.problems import InputError, Problem
from evaluation.schemes import Scheme


class Columns(NamedTuple):
    """Current rankings, one row each, as integers."""

    annotators: NDArray[np.int64]
    pairs: NDArray[np.int64]
    presentations: NDArray[np.int64]
    labels: NDArray[np.int64]
    items: NDArray[np.int64]

    def where(self, mask: NDArray[np.bool_]) -> Columns:
        return Columns(*(column[mask] for column in self))


def task_judgements(slug: str) -> Judgements:
    return judgements(_tasks("slug", slug))


def campaign_judgements(slug: str) -> Judgements:
    return judgements(_tasks("campaign__slug", slug))


def repeat_judgements(task: str = "", campaign: str = "") -> Judgements:
    """Everything said by those who saw a pair more than once, every presentation of it."""
    tasks = _tasks("slug", task) if task else _tasks("campaign__slug", campaign)
    return repeats(tasks)


def judgements(tasks: Sequence[Task]) -> Judgements:
    rows = current(tasks)
    return _coded(rows.where(rows.presentations == 0), _scheme(tasks))


def repeats(tasks: Sequence[Task]) -> Judgements:
    rows = current(tasks)
    cell = rows.annotators * (rows.pairs.max(initial=0) + 1) + rows.pairs
    return _coded(rows.where(np.isin(cell, cell[rows.presentations > 0])), _scheme(tasks))


def current(tasks: Sequence[Task]) -> Columns:
    """One pass over the rankings of these tasks; later versions replace earlier ones."""
    table = np.array(_fetch(_rankings(tasks)), dtype=np.int64).reshape(-1, 6)
    # Rows come oldest first, so the last row of each cell is the one that counts.
    cells = table[:, :3][::-1]
    _, last = np.unique(cells, axis=0, return_index=True)
    kept = table[::-1][np.sort(last)][::-1]
    kept = kept[kept[:, 3] >= 0]
    return Columns(*(kept[:, column] for column in range(5)))


def _rankings(tasks: Sequence[Task]) -> QuerySet[Ranking, tuple[int, ...]]:
    labels = _scheme(tasks).labels
    code = Case(
        *(When(choice=label, then=Value(n)) for n, label in enumerate(labels)),
        default=Value(-1),  # a withdrawn answer
        output_field=IntegerField(),
    )
    return (
        Ranking.objects.filter(pair__task__in=[task.pk for task in tasks], pair__owner__check_kind="")
        .order_by("pk")
        .values_list("annotator_id", "pair_id", "presentation", code, "pair__owner__item_id", "pk")
    )


def _fetch(rows: QuerySet[Ranking, tuple[int, ...]]) -> Sequence[tuple[int, ...]]:
    """Straight from the cursor: building a million rows through the ORM costs seconds."""
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _coded(rows: Columns, scheme: Scheme) -> Judgements:
    people, annotators = np.unique(rows.annotators, return_inverse=True)
    names = {a.pk: str(a) for a in Annotator.objects.select_related("user").filter(pk__in=people.tolist())}
    return Judgements(
        annotators=annotators,
        items=np.unique(rows.pairs, return_inverse=True)[1],
        labels=rows.labels.astype(np.int8),
        sentences=np.unique(rows.items, return_inverse=True)[1],
        label_names=scheme.labels,
        annotator_names=tuple(names[person] for person in people.tolist()),
    )


def _scheme(tasks: Sequence[Task]) -> Scheme:
    """The one scheme of all tasks; a four-way and a six-way table cannot be pooled."""
    schemes = {task.scheme_name: task.scheme for task in tasks}
    if len(schemes) != 1:
        raise InputError(
            Problem(
                "mixed_schemes",
                f"tasks with different schemes ({', '.join(sorted(schemes))}) have no common agreement",
                "report each task by itself",
            )
        )
    return next(iter(schemes.values()))


def _tasks(field: str, slug: str) -> list[Task]:
    found = list(Task.objects.filter(**{field: slug}).exclude(state=Task.State.IMPORTING))
    if not found:
        kind = "task" if field == "slug" else "campaign"
        raise InputError(Problem(f"unknown_{kind}", f"there is no {kind} {slug!r}"))
    return found
