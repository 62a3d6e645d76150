"""What leaves the site: every answer with the place it belongs to, streamed; and the bundle.

Annotators are pseudonyms unless an administrator asks for names. A few thousand pairs are in memory at a
time, however many there are.
"""

from __future__ import annotations

from collections import defaultdict
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
    asked = PhrasePair.objects.filter(task__in=_keys(scope)).values("pk")
    first = Ranking.objects.filter(pair__in=asked).order_by("pk").values_list("pk", flat=True).first() or 0
    slugs = {task.pk: task.slug for task in scope.tasks}
    for pairs in _pair_chunks(scope):
        ids = [pair["pk"] for pair in pairs]
        systems = _systems({pair[side] for pair in pairs for side in ("owner__first", "owner__second")})
        flipped = _flipped(ids)
        answers = _answers(ids, who, first)
        for pair in pairs:
            if given := answers.get(pair["pk"]):
                yield _asked(pair, slugs, systems, flipped.get(pair["pk"], False), given)


def _asked(
    pair: dict[str, Any],
    slugs: dict[int, str],
    systems: dict[int, tuple[str, ...]],
    flipped: bool,
    answers: Sequence[AnswerRow],
) -> AskedPair:
    sides = [systems.get(pair[side], ()) for side in ("owner__first", "owner__second")]
    first, second = reversed(sides) if flipped else sides
    return AskedPair(
        task=slugs[pair["task"]],
        item=pair["owner__item__key"],
        document=pair["owner__item__document"],
        pair=pair["key"],
        kind=pair["kind"],
        first=pair["first"],
        second=pair["second"],
        systems_first=first,
        systems_second=second,
        check=pair["owner__check_kind"],
        answers=answers,
    )


def _pair_chunks(scope: Scope) -> Iterator[list[dict[str, Any]]]:
    """Pairs by their ids, some thousand at a time, each chunk its own query: no cursor stays open."""
    rows = PhrasePair.objects.filter(task__in=_keys(scope)).order_by("pk")
    columns = ("pk", "task", "key", "kind", "first", "second", "owner__first", "owner__second",
               "owner__item__key", "owner__item__document", "owner__check_kind")  # fmt: skip
    last = 0
    while chunk := list(rows.filter(pk__gt=last).values(*columns)[:CHUNK]):
        yield chunk
        last = chunk[-1]["pk"]


def _systems(candidates: set[int]) -> dict[int, tuple[str, ...]]:
    found: dict[int, list[str]] = defaultdict(list)
    rows = Output.objects.filter(candidate__in=candidates).order_by("system__name")
    for candidate, name in rows.values_list("candidate_id", "system__name"):
        found[candidate].append(name)
    return {candidate: tuple(names) for candidate, names in found.items()}


def _flipped(pairs: Sequence[int]) -> dict[int, bool]:
    """Whether the pair's first text belongs to the second candidate, where the pair is asked."""
    rows = Occurrence.objects.filter(pair__gte=pairs[0], pair__lte=pairs[-1]).order_by("alignment_id")
    places = rows.values_list("pair_id", "flipped", "alignment__comparison_id", "pair__owner_id")
    return {pair: turned for pair, turned, where, owner in places if where == owner}


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
    with no_collection():
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
