"""What leaves the site: every answer with the place it belongs to, streamed; and the bundle.

Annotators are pseudonyms unless an administrator asks for names. A few thousand pairs are in memory at a
time, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import connection
from django.db.models import DateTimeField, F, Q, Value

from evaluation.exporters import AskedPair
from evaluation.exporters.model import AnswerRow
from evaluation.models import Alignment, Annotator, Occurrence, Output, PhrasePair, Ranking
from evaluation.reports.columns import no_collection
from evaluation.reports.judgements import pseudonym
from evaluation.reports.scope import Scope

CHUNK = 2_000  # pairs


@dataclass(frozen=True, slots=True)
class Voices:
    """Annotator id → what an export calls them."""

    names: dict[int, str]
    identified: bool


def voices(scope: Scope, *, identify: bool) -> Voices:
    """Pseudonyms, or user names; machines always go by their names."""
    people = Annotator.objects.select_related("user").filter(
        Q(assignments__task__in=_keys(scope)) | Q(rankings__pair__task__in=_keys(scope))
    )
    if Ranking.objects.count() > 50_000:  # finding out who answered would cost more than naming everybody
        people = Annotator.objects.select_related("user")
    key = scope.campaign.key
    names = {}
    for person in people.distinct():
        if person.machine:
            names[person.pk] = f"machine {person.machine}"
        else:
            names[person.pk] = str(person) if identify else pseudonym(key, person.key)
    return Voices(names, identify)


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


_COLUMNS = ("pair_id", "annotator_id", "presentation", "version", "choice", "swapped", "slot_id",
            "alignment_id", "active_ms", "elapsed_ms", "pk")  # fmt: skip


def _answers(pairs: Sequence[int], who: Voices, first: int) -> dict[int, list[AnswerRow]]:
    """Pair id → its answers, oldest first."""
    when = F("received_at") if who.identified else Value(None, output_field=DateTimeField())
    # A range, not a list: pairs of a task follow each other, and strangers are left out below.
    rows = Ranking.objects.filter(pair__gte=pairs[0], pair__lte=pairs[-1]).order_by("pair_id", "pk")
    versions = dict(
        Alignment.objects.filter(
            comparison__owned_pairs__gte=pairs[0], comparison__owned_pairs__lte=pairs[-1]
        )
        .values_list("pk", "version")
        .distinct()
    )
    wanted = set(pairs)
    return {
        pair: _group(list(group), who, first, versions)
        for pair, group in groupby(_fetched(rows.values_list(*_COLUMNS, when)), key=itemgetter(0))
        if pair in wanted
    }


def _group(rows: list[tuple[Any, ...]], who: Voices, first: int, versions: dict[int, int]) -> list[AnswerRow]:
    newest = {(row[1], row[2]): row[3] for row in rows}
    names = who.names
    return [
        (
            names[person], time, version, newest[person, time] == version, label,
            "second" if swapped else "first", slot is None, versions.get(alignment), active, elapsed,
            number - first + 1, None if received is None else str(received),
        )
        for _, person, time, version, label, swapped, slot, alignment, active, elapsed, number, received
        in rows
    ]  # fmt: skip


def _fetched(rows: Any) -> list[tuple[Any, ...]]:
    """Straight from the cursor: a row through the ORM costs four times as much."""
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _keys(scope: Scope) -> list[int]:
    return [task.pk for task in scope.tasks]
