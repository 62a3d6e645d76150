"""Queries that read the rankings of some tasks as columns of a ``Study``.

The current version of each answer counts (``find_current``); withdrawn answers and machine votes do not.
Agreement uses first presentations of ordinary pairs; repeats feed intra-annotator agreement, attention checks
feed the filters.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import (
    Aggregate,
    BigIntegerField,
    Case,
    IntegerField,
    Max,
    OuterRef,
    QuerySet,
    Subquery,
    TextField,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce
from numpy.typing import NDArray

from appraise.lib.problems import InputError, Problem
from evaluation.blinding import canonical, pseudonym
from evaluation.models import Alignment, Annotator, Occurrence, PhrasePair, Ranking, System, Task
from evaluation.schemes import Choice
from evaluation.study import SystemPairs
from evaluation.study.systems import pair_systems
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME, Study, StudyTask, find_current

WITHDRAWN = -1  # in place of a label
MAX_SLUGS = 12  # listed in one message


def find_tasks(field: str, slug: str) -> list[Task]:
    """Return the imported tasks with that slug, oldest first; ``InputError`` if there are none."""
    tasks = list(_ready_tasks().filter(**{field: slug}).select_related("campaign").order_by("pk"))
    if not tasks:
        raise InputError(_unknown_slug("task" if field == "slug" else "campaign", field, slug))
    return tasks


def _ready_tasks() -> QuerySet[Task]:
    return Task.objects.exclude(state=Task.State.IMPORTING)


def _unknown_slug(kind: str, field: str, slug: str) -> Problem:
    """List existing slugs in the remedy, the most similar ones first."""
    slugs = sorted(set(_ready_tasks().values_list(field, flat=True)))
    similar = get_close_matches(slug, slugs, MAX_SLUGS)
    listed = [*similar, *(other for other in slugs if other not in similar)][:MAX_SLUGS]
    more = f" and {len(slugs) - len(listed)} more" if len(slugs) > len(listed) else ""
    remedy = (
        f"there are: {', '.join(listed)}{more}" if listed else "there is none yet; `import_task` makes one"
    )
    return Problem(f"unknown_{kind}", f"there is no {kind} {slug!r}", remedy)


def load_study(tasks: Sequence[Task], *, named: bool = False) -> Study:
    """Read the tasks of one campaign, with annotators under pseudonyms or (``named``) user names.

    Three queries, however much is stored.
    """
    asked = _read_pairs(tasks)
    return make_study(tasks, asked, _read_answers(tasks, asked), named=named)


def make_study(
    tasks: Sequence[Task], asked: AskedPairs, answers: StoredAnswers, *, named: bool = False
) -> Study:
    """Return the study of stored answers, without those of machines; one query, for the annotators."""
    people = _read_people(tasks, np.unique(answers.annotators), named=named)
    ids = np.array(list(people), dtype=np.int64)
    answers = answers.at(np.isin(answers.annotators, ids))
    by_id = np.argsort(ids)
    return Study(
        tasks=tuple(StudyTask(task.slug, task.name, task.scheme_name) for task in tasks),
        annotator_names=tuple(people.values()),
        annotators=by_id[np.searchsorted(ids, answers.annotators, sorter=by_id)].astype(np.int16),
        pairs=np.searchsorted(asked.ids, answers.pairs).astype(np.int32),
        presentations=answers.presentations.astype(np.int8),
        labels=answers.labels.astype(np.int8),
        swapped=answers.swapped.astype(bool),
        surplus=answers.surplus.astype(bool),
        active_ms=answers.active_ms.astype(np.int32),
        pair_keys=asked.ids,
        pair_tasks=np.searchsorted(_ids(tasks), asked.tasks).astype(np.int16),
        pair_sentences=np.unique(asked.items, return_inverse=True)[1].astype(np.int32),
        expected=asked.expected,
        comparisons=asked.comparisons,
    )


class StoredAnswers(NamedTuple):
    """Stored answers as columns, oldest first."""

    annotators: NDArray[np.int64]
    pairs: NDArray[np.int64]
    presentations: NDArray[np.int64]
    labels: NDArray[np.int64]
    swapped: NDArray[np.int64]
    surplus: NDArray[np.int64]
    active_ms: NDArray[np.int64]

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_]) -> StoredAnswers:
        return StoredAnswers(*(column[rows] for column in self))

    def current(self) -> StoredAnswers:
        """Return the versions that count, without withdrawn answers."""
        cells = [self.pairs, self.annotators, self.presentations]
        current = self.at(find_current(cells, self.surplus.astype(bool), self.labels == WITHDRAWN))
        return current.at(current.labels != WITHDRAWN)


def _read_answers(tasks: Sequence[Task], asked: AskedPairs) -> StoredAnswers:
    """Read the current version of each answer, unless it was withdrawn."""
    rows = Ranking.objects.order_by("pk")
    # Where much of the table is needed, reading all of it is faster than going through the index.
    if len(asked.ids) * 4 < asked.newest:
        rows = rows.filter(pair__in=PhrasePair.objects.filter(task__in=_ids(tasks)).values("pk"))
    columns = rows.values_list(
        "annotator_id",
        "pair_id",
        "presentation",
        label_code("choice"),
        Cast("swapped", IntegerField()),
        Case(When(slot=None, then=Value(1)), default=Value(0)),
        Coalesce("active_ms", Value(NO_TIME)),
    )
    answers = StoredAnswers(*read_integer_columns(columns, len(StoredAnswers._fields)))
    answers = answers.at(np.isin(answers.pairs, asked.ids))
    return answers.current()


def label_code(field: str) -> Case:
    """Return an expression for the code of a stored choice; ``WITHDRAWN`` where there is none."""
    codes = (When(**{field: name}, then=Value(code)) for name, code in CODE_OF.items())
    return Case(*codes, default=Value(WITHDRAWN))


def _read_people(tasks: Sequence[Task], ids: NDArray[np.int64], *, named: bool) -> dict[int, str]:
    """Return id → name of the human annotators, in the order of their names."""
    people = Annotator.objects.filter(pk__in=ids.tolist(), machine="").select_related("user")
    key = tasks[0].campaign.key
    names = {person.pk: str(person) if named else pseudonym(key, person.key) for person in people}
    return dict(sorted(names.items(), key=lambda item: (item[1], item[0])))


class AskedPairs(NamedTuple):
    """The pairs of some tasks in the order of their ids; ``newest`` is the highest id of any task."""

    ids: NDArray[np.int64]
    tasks: NDArray[np.int64]
    items: NDArray[np.int64]
    comparisons: NDArray[np.int64]
    expected: NDArray[np.int8]
    newest: int


def _read_pairs(tasks: Sequence[Task]) -> AskedPairs:
    here = Occurrence.objects.filter(pair=OuterRef("pk"), alignment__comparison=OuterRef("owner"))
    flipped = Subquery(here.order_by("-pk").values_list(Cast("flipped", IntegerField()))[:1])
    rows = PhrasePair.objects.filter(task__in=_ids(tasks)).order_by("pk")
    columns = rows.values_list(
        "pk",
        "task_id",
        "owner__item_id",
        "owner_id",
        Case(When(owner__check_kind="", then=Value(NO_CHECK)), default=label_code("owner__expected")),
        Case(When(owner__check_kind="", then=Value(0)), default=Coalesce(flipped, Value(0))),
        Subquery(PhrasePair.objects.order_by("-pk").values("pk")[:1]),
    )
    ids, of_task, items, comparisons, expected, is_flipped, newest = read_integer_columns(columns, 7)
    expected = np.where(is_flipped, _FLIPPED[expected], expected)
    return AskedPairs(ids, of_task, items, comparisons, expected.astype(np.int8), int(newest.max(initial=0)))


# A check's expected label is relative to its two candidates; a flipped pair has them in the other order.
_FLIPPED = np.array(
    [*(CODE_OF[canonical(Choice(name), swapped=False, flipped=True).value] for name in CODE_OF), NO_CHECK]
)


class OccurrenceColumns(NamedTuple):
    """Where pairs occur: the item, and the candidates that contain their first and second text."""

    pairs: NDArray[np.int64]
    items: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


class SystemOutputs(NamedTuple):
    """(candidate, code of a system that produced it) × outputs, the systems, and which are references."""

    outputs: NDArray[np.int64]
    names: tuple[str, ...]
    references: frozenset[str] = frozenset()


def load_system_pairs(tasks: Sequence[Task], study: Study) -> SystemPairs:
    """Return which systems are compared at each occurrence; systems of one name are one system."""
    return join_system_pairs(study, load_occurrences(tasks), load_system_outputs(tasks))


def join_system_pairs(study: Study, occurrences: OccurrenceColumns, outputs: SystemOutputs) -> SystemPairs:
    return pair_systems(
        np.searchsorted(np.asarray(study.pair_keys), occurrences.pairs),
        np.unique(occurrences.items, return_inverse=True)[1],
        occurrences.first,
        occurrences.second,
        outputs.outputs,
        outputs.names,
    )


def load_occurrences(tasks: Sequence[Task]) -> OccurrenceColumns:
    """Return the occurrences in the newest alignment of each comparison."""
    newest = (
        Alignment.objects.filter(comparison__item__task__in=_ids(tasks), comparison__check_kind="")
        .values("comparison")
        .annotate(newest=Max("pk"))
        .values("newest")
    )
    comparison = "alignment__comparison"
    rows = Occurrence.objects.filter(alignment__in=newest).order_by()
    columns = rows.values_list(
        "pair_id",
        f"{comparison}__item_id",
        f"{comparison}__first_id",
        f"{comparison}__second_id",
        Cast(Case(When(flipped=True, then=Value(1)), default=Value(0)), BigIntegerField()),
    )
    pairs, items, first, second, flipped = read_integer_columns(columns, 5)
    turned = flipped.astype(bool)
    return OccurrenceColumns(pairs, items, np.where(turned, second, first), np.where(turned, first, second))


def load_system_outputs(tasks: Sequence[Task]) -> SystemOutputs:
    """Return who produced which candidate; one query, which aggregates the outputs of each system."""
    systems = System.objects.filter(task__in=_ids(tasks)).order_by("name")
    rows = list(systems.values_list("name", "is_reference", _ConcatenatedIds("outputs__candidate_id")))
    encoded = encode_system_outputs(
        [(name, np.array(ids.split(",") if ids else [], dtype=np.int64)) for name, _, ids in rows]
    )
    return encoded._replace(references=frozenset(name for name, is_reference, _ in rows if is_reference))


def encode_system_outputs(candidates_of: Sequence[tuple[str, NDArray[np.int64]]]) -> SystemOutputs:
    """Return the columns of ``(system, ids of its candidates)``."""
    names = tuple(sorted({name for name, _ in candidates_of}))
    none = np.zeros(0, dtype=np.int64)
    codes = [np.full(len(candidates), names.index(name)) for name, candidates in candidates_of]
    outputs = np.stack(
        [np.concatenate([none, *(ids for _, ids in candidates_of)]), np.concatenate([none, *codes])]
    )
    return SystemOutputs(outputs, names)


class _ConcatenatedIds(Aggregate):
    """Integers as one text, separated by commas."""

    output_field = TextField()
    template = "GROUP_CONCAT(%(expressions)s)"

    def as_postgresql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # Any: as in Django
        return self.as_sql(compiler, connection, template="STRING_AGG(%(expressions)s::text, ',')", **extra)


def read_integer_columns(rows: QuerySet[Any, tuple[int, ...]], width: int) -> list[NDArray[np.int64]]:
    """Return the ``width`` columns of ``rows.values_list(…)``, which are integers and never null."""
    # From the cursor: iterating the query set would call int() for every value of every expression.
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        table = np.fromiter(chain.from_iterable(cursor), np.int64).reshape(-1, width)
    return [np.ascontiguousarray(column) for column in table.T]


def _ids(tasks: Sequence[Task]) -> list[int]:
    return [task.pk for task in tasks]
