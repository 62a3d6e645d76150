"""Stored rankings as a study: one pass over the database, then columns.

The current version of each answer counts; withdrawn answers and the votes of machines do not. Agreement reads
first presentations of ordinary pairs; repeats feed intra-annotator agreement, attention checks the filters.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import BigIntegerField, Case, F, IntegerField, QuerySet, Value, When
from django.db.models.functions import Cast, Coalesce
from numpy.typing import NDArray

from evaluation.agreement import Judgements
from evaluation.blinding import canonical
from evaluation.models import Annotator, Occurrence, PhrasePair, Ranking, Task
from evaluation.problems import InputError, Problem
from evaluation.reports.columns import integer_columns
from evaluation.schemes import Choice
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME, Study, StudyTask, latest

WITHDRAWN = 7


def task_judgements(slug: str) -> Judgements:
    return study(find_tasks("slug", slug), named=True).judgements()


def campaign_judgements(slug: str) -> Judgements:
    """Tasks with different schemes are read over the four-way collapse that they have in common."""
    return study(find_tasks("campaign__slug", slug), named=True).judgements()


def repeat_judgements(task: str = "", campaign: str = "") -> Judgements:
    """Everything said by those who saw a pair more than once, every presentation of it."""
    tasks = find_tasks("slug", task) if task else find_tasks("campaign__slug", campaign)
    return study(tasks, named=True).repeats()


def find_tasks(field: str, slug: str) -> list[Task]:
    tasks = Task.objects.filter(**{field: slug}).exclude(state=Task.State.IMPORTING)
    found = list(tasks.select_related("campaign").order_by("pk"))
    if not found:
        kind = "task" if field == "slug" else "campaign"
        raise InputError(Problem(f"unknown_{kind}", f"there is no {kind} {slug!r}"))
    return found


def pseudonym(campaign_key: str, annotator_key: str) -> str:
    """The name of an annotator outside the site: the same in one campaign, unlinkable between two.

    >>> pseudonym("k", "a") == pseudonym("k", "a") != pseudonym("other", "a")
    True
    """
    return "a-" + hmac.digest(campaign_key.encode(), annotator_key.encode(), hashlib.sha256).hex()[:10]


def study(tasks: Sequence[Task], *, named: bool = False) -> Study:
    """The tasks of one campaign as columns; annotators go by their pseudonyms, or by their user names."""
    asked = _asked_pairs(tasks)
    annotators, pairs, packed = integer_columns(_rankings(tasks, len(asked.ids)), 3)
    rows = _current(annotators, pairs, packed, asked.ids)
    people = _people(tasks, np.unique(annotators[rows]), named=named)
    rows = rows[np.isin(annotators[rows], np.fromiter(people, np.int64, len(people)))]
    return _study(tasks, annotators[rows], pairs[rows], packed[rows], people, asked)


def _current(
    annotators: NDArray[np.int64], pairs: NDArray[np.int64], packed: NDArray[np.int64], ids: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The rows that count: about pairs with these ids, of several versions the last, nothing withdrawn."""
    rows = np.flatnonzero(_known(pairs, ids))
    changed = packed[rows] >= 2 << 43
    if changed.any():
        cells = (pairs[rows] * (annotators.max() + 1) + annotators[rows]) * 32 + (packed[rows] >> 5 & 31)
        touched = np.isin(cells, cells[changed])  # answers with a second version: few
        some = np.flatnonzero(touched)
        rows = rows[np.union1d(np.flatnonzero(~touched), some[latest([cells[some]])])]
    return np.asarray(rows[packed[rows] >> 2 & 7 != WITHDRAWN])


def _known(pairs: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs are among the ids, by a table instead of by sorting."""
    table = np.zeros(max(ids.max(initial=0), pairs.max(initial=0)) + 1, dtype=bool)
    table[ids] = True
    return table[pairs]


def _study(
    tasks: Sequence[Task],
    annotators: NDArray[np.int64],
    pairs: NDArray[np.int64],
    packed: NDArray[np.int64],
    people: dict[int, str],
    asked: _Pairs,
) -> Study:
    codes = np.full(max(people, default=-1) + 1, -1, dtype=np.int16)
    codes[list(people)] = np.arange(len(people))  # people come in the order of their names
    return Study(
        tasks=tuple(StudyTask(task.slug, task.name, task.scheme_name) for task in tasks),
        annotator_names=tuple(people.values()),
        annotators=codes[annotators],
        pairs=_places(asked.ids)[pairs],
        presentations=(packed >> 5 & 31).astype(np.int8),
        labels=(packed >> 2 & 7).astype(np.int8),
        swapped=(packed & 1).astype(bool),
        surplus=(packed >> 1 & 1).astype(bool),
        active_ms=((packed >> 10 & (2**33 - 1)) - 1).astype(np.int32),
        pair_keys=asked.ids,
        pair_tasks=np.searchsorted(_keys(tasks), asked.tasks).astype(np.int16),
        pair_sentences=np.unique(asked.items, return_inverse=True)[1].astype(np.int32),
        expected=_expected(tasks, asked.ids),
    )


def _places(ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """Id → its place among the ids: a table is faster than a search for a million rows."""
    table = np.zeros(ids.max(initial=0) + 1, dtype=np.int32)
    table[ids] = np.arange(len(ids))
    return table


def _people(tasks: Sequence[Task], ids: NDArray[np.int64], *, named: bool) -> dict[int, str]:
    """Id → name of those who are people, in the order of their names."""
    found = Annotator.objects.filter(pk__in=ids.tolist(), machine="").select_related("user")
    key = tasks[0].campaign.key
    names = {person.pk: str(person) if named else pseudonym(key, person.key) for person in found}
    return dict(sorted(names.items(), key=lambda item: (item[1], item[0])))


def _rankings(tasks: Sequence[Task], pairs: int) -> QuerySet[Ranking, tuple[int, ...]]:
    """(annotator, pair, packed), oldest first; what is small shares one number, which halves the time.

    Bits from the lowest: swapped, surplus, label (3), presentation (5), active time and one (33), version.
    """
    label = Case(
        *(When(choice=name, then=Value(CODE_OF[name] * 4)) for name in _OFTEN_FIRST),
        default=Value(WITHDRAWN * 4),
    )
    surplus = Case(When(slot=None, then=Value(2)), default=Value(0))
    active = Cast(Coalesce(F("active_ms"), Value(NO_TIME)) + 1, BigIntegerField())
    version = Cast(F("version"), BigIntegerField())
    packed = version * 2**43 + active * 2**10 + F("presentation") * 32 + label + surplus
    rankings = Ranking.objects.order_by("pk")
    # Where much of the table is wanted, all of it is read: faster than row by row through the index.
    # Strangers are left out afterwards.
    if pairs * 4 < PhrasePair.objects.count():
        rankings = rankings.filter(pair__in=PhrasePair.objects.filter(task__in=_keys(tasks)).values("pk"))
    swapped = Cast("swapped", IntegerField())
    return rankings.values_list("annotator_id", "pair_id", Cast(packed + swapped, BigIntegerField()))


_OFTEN_FIRST = ("A=B", "A>B", "A<B", "A>>B", "A<<B", "N/A")  # the fewer comparisons, the faster


class _Pairs(NamedTuple):
    """The pairs of some tasks in the order of their ids."""

    ids: NDArray[np.int64]
    tasks: NDArray[np.int64]
    items: NDArray[np.int64]


def _asked_pairs(tasks: Sequence[Task]) -> _Pairs:
    rows = PhrasePair.objects.filter(task__in=_keys(tasks)).order_by()
    columns = integer_columns(rows.values_list("pk", "task_id", "owner__item_id"), 3)
    order = np.argsort(columns[0])
    return _Pairs(*(column[order] for column in columns))


def _expected(tasks: Sequence[Task], pair_ids: NDArray[np.int64]) -> NDArray[np.int8]:
    """What checks expect is about their two candidates; where the pair is flipped, it is turned around."""
    found = np.full(len(pair_ids), NO_CHECK, dtype=np.int8)
    checks = Occurrence.objects.filter(
        pair__task__in=_keys(tasks), pair__owner=F("alignment__comparison"), pair__owner__check_kind__gt=""
    ).values_list("pair_id", "pair__owner__expected", "flipped")
    for pair, wanted, flipped in checks:
        choice = canonical(Choice(wanted), swapped=False, flipped=flipped)
        found[np.searchsorted(pair_ids, pair)] = CODE_OF[choice.value]
    return found


def _keys(tasks: Sequence[Task]) -> list[int]:
    return [task.pk for task in tasks]
