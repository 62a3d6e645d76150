"""Exports: every answer with the phrase pair that it belongs to, streamed; and the bundle.

Annotators are pseudonyms unless an administrator asks for names. A few thousand pairs are in memory at a
time, however many there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
from django.db import connection
from django.db.models import BigIntegerField, F, Q, Value
from django.db.models.functions import Cast, Coalesce
from numpy.typing import NDArray

from evaluation.agreement.judgements import Ints
from evaluation.exporters import AskedPair
from evaluation.exporters.model import AnswerRow
from evaluation.models import (
    Alignment,
    Annotator,
    Assignment,
    Occurrence,
    Output,
    PhrasePair,
    Ranking,
    SentenceAnswer,
)
from evaluation.reports.columns import integer_columns, no_collection
from evaluation.reports.judgements import FEW, MANY, pseudonym, said
from evaluation.reports.scope import Scope
from evaluation.schemes import SIX_WAY
from evaluation.study.values import latest

CHUNK = 2_000  # pairs


def _and_one(name: str) -> Cast:
    return Cast(Coalesce(F(name), Value(-1)) + 1, BigIntegerField())


_COLUMNS = (
    "annotator_id", said(), _and_one("alignment"), _and_one("active_ms"), _and_one("elapsed_ms"), "pk",
)  # fmt: skip
_BITS = (MANY, FEW, FEW, MANY, MANY, MANY, MANY)


@dataclass(frozen=True, slots=True)
class Voices:
    """Annotator id → what an export calls them."""

    names: Mapping[int, str]
    identified: bool


def voices(scope: Scope, *, identify: bool) -> Voices:
    """Pseudonyms, or user names; machines always go by their names."""
    people = Annotator.objects.select_related("user")
    if Ranking.objects.count() <= 50_000:  # with more, all names are cheaper
        tasks = _keys(scope)
        people = people.filter(
            Q(pk__in=Assignment.objects.filter(task__in=tasks).values("annotator"))
            | Q(pk__in=Ranking.objects.filter(pair__task__in=tasks).values("annotator"))
            | Q(pk__in=SentenceAnswer.objects.filter(comparison__item__task__in=tasks).values("annotator"))
        )

    def called(person: Annotator) -> str:
        if person.machine:
            return f"machine {person.machine}"
        return str(person) if identify else pseudonym(scope.campaign.key, person.key)

    return Voices(_Names(called, people), identify)


class _Names(dict[int, str]):
    """Looks up, by id, people who give their first answer while an export is running."""

    def __init__(self, called: Callable[[Annotator], str], people: Iterable[Annotator]) -> None:
        super().__init__((person.pk, called(person)) for person in people)
        self.called = called

    def __missing__(self, number: int) -> str:
        self[number] = self.called(Annotator.objects.select_related("user").get(pk=number))
        return self[number]


def asked_pairs(scope: Scope, who: Voices) -> Iterator[AskedPair]:
    """Every pair that was answered, with every version of every answer, in the order of pairs."""
    asked = PhrasePair.objects.filter(task__in=_keys(scope))
    first = (
        Ranking.objects.filter(pair__in=asked.values("pk"))
        .order_by("pk")
        .values_list("pk", flat=True)
        .first()
    )
    slugs = {task.pk: task.slug for task in scope.tasks}
    last = 0
    # Each chunk is its own query: no cursor stays open while a slow reader reads.
    while rows := _fetched(asked.filter(pk__gt=last).order_by("pk").values_list(*_PAIR_COLUMNS)[:CHUNK]):
        yield from _chunk(rows, slugs, who, first or 0)
        last = rows[-1][0]


_PAIR_COLUMNS = (
    "pk", "task_id", "owner__item__key", "owner__item__document", "key", "kind", "first", "second",
    "owner__first_id", "owner__second_id", "owner__check_kind",
)  # fmt: skip


def _chunk(rows: list[tuple[Any, ...]], slugs: dict[int, str], who: Voices, first_id: int) -> list[AskedPair]:
    ids = [row[0] for row in rows]
    with no_collection():
        systems = _systems({side for row in rows for side in row[8:10]})
        flipped = _flipped(ids)
        answers = _answers(ids, who, first_id)
        found = []
        for pair, task, item, document, key, kind, first, second, one, other, check in rows:
            if given := answers.get(pair):
                sides = (other, one) if flipped.get(pair) else (one, other)
                written = (systems.get(sides[0], ()), systems.get(sides[1], ()))
                found.append(
                    AskedPair(slugs[task], item, document, key, kind, first, second, *written, check, given)
                )
        return found


def _systems(candidates: set[int]) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    rows = Output.objects.filter(candidate__in=candidates).order_by("system__name")
    for candidate, name in _fetched(rows.values_list("candidate_id", "system__name")):
        found[candidate] = (*found.get(candidate, ()), name)
    return found


def _flipped(pairs: Sequence[int]) -> dict[int, bool]:
    """Whether the pair's first text belongs to the second candidate, where the pair is asked."""
    rows = Occurrence.objects.filter(
        pair__gte=pairs[0], pair__lte=pairs[-1], pair__owner=F("alignment__comparison")
    ).order_by("alignment_id")
    return {pair: bool(turned) for pair, turned in _fetched(rows.values_list("pair_id", "flipped"))}


def _answers(pairs: Sequence[int], who: Voices, first: int) -> dict[int, list[AnswerRow]]:
    """Pair id → its answers, oldest first."""
    # A range rather than a list: ids of a task are consecutive, except for pairs that a correction added.
    rankings = Ranking.objects.filter(pair__gte=pairs[0], pair__lte=pairs[-1]).order_by("pair_id", "pk")
    versions: dict[int, int] = dict(
        Alignment.objects.filter(
            comparison__owned_pairs__gte=pairs[0], comparison__owned_pairs__lte=pairs[-1]
        )
        .values_list("pk", "version")
        .distinct()
    )
    columns = integer_columns(rankings.values_list("pair_id", *_COLUMNS), _BITS)
    wanted = np.isin(columns[0], pairs)  # the range may include other tasks
    read = _Read(*(column[wanted] for column in columns))
    times: Iterable[str | None] = repeat(None)
    if who.identified:  # by number: an answer may have arrived between the two queries
        when = {number: str(at) for number, at in _fetched(rankings.values_list("pk", "received_at"))}
        times = map(when.get, read.numbers.tolist())
    rows = list(_rows(read, who.names, first, versions, times))
    starts = np.flatnonzero(np.diff(read.pairs, prepend=-1))
    ends = np.append(starts[1:], len(rows))[: len(starts)]
    return {
        pair: rows[start:end]
        for pair, start, end in zip(read.pairs[starts].tolist(), starts.tolist(), ends.tolist(), strict=True)
    }


class _Read(NamedTuple):
    """Rankings as columns, in the order of pairs; a value that may be missing is stored plus 1, or as 0.

    ``how`` holds from its lowest bit: swapped, surplus, label (3 bits), presentation (5), version.
    """

    pairs: Ints
    people: Ints
    how: Ints
    alignments: Ints
    active: Ints
    elapsed: Ints
    numbers: Ints

    @property
    def current(self) -> NDArray[np.bool_]:
        """Which rows are the newest version of their answer."""
        found = np.ones(len(self.how), dtype=bool)
        if (self.how >> 10 > 1).any():
            found[:] = False
            found[latest([self.pairs, self.people, self.how >> 5 & 31])] = True
        return found


def _rows(
    read: _Read, names: Mapping[int, str], first: int, versions: dict[int, int], times: Iterable[str | None]
) -> Iterator[AnswerRow]:
    """Column by column: a row costs a sixth of what it costs field by field."""
    how = read.how
    return zip(
        map(names.__getitem__, read.people.tolist()),
        (how >> 5 & 31).tolist(),
        (how >> 10).tolist(),
        read.current.tolist(),
        map(_LABELS.__getitem__, (how >> 2 & 7).tolist()),
        map(_SIDES.__getitem__, (how & 1).tolist()),
        (how & 2 > 0).tolist(),
        map({number + 1: version for number, version in versions.items()}.get, read.alignments.tolist()),
        _known(read.active),
        _known(read.elapsed),
        (read.numbers - (first - 1)).tolist(),
        times,
        strict=False,  # times may be endless
    )


def _known(numbers: Ints) -> list[int | None]:
    """Undoes that encoding: the value minus 1, or None for 0.

    >>> _known(np.array([8, 0]))
    [7, None]
    """
    found: list[int | None] = (numbers - 1).tolist()
    for place in np.flatnonzero(numbers == 0).tolist():
        found[place] = None
    return found


_LABELS = (*SIX_WAY.labels, None, None)  # the last is an answer that was withdrawn
_SIDES = ("first", "second")


def _fetched(rows: Any) -> list[tuple[Any, ...]]:
    """Straight from the cursor: a row through the ORM costs four times as much."""
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _keys(scope: Scope) -> list[int]:
    return [task.pk for task in scope.tasks]
