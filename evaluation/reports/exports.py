"""Exports of a task or campaign: every answer with its phrase pair, and the sentences of a task.

Annotators are pseudonyms unless an administrator asks for names. Rows are streamed: a few thousand pairs are
in memory at a time, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db import connection
from django.db.models import F, Prefetch, Q

from evaluation import importers
from evaluation.alignment.link_files import parse_links
from evaluation.blinding import pseudonym
from evaluation.exporters import ExportedPair
from evaluation.exporters.rows import AnswerRow
from evaluation.models import (
    Alignment,
    Annotator,
    Assignment,
    Campaign,
    Item,
    Occurrence,
    Output,
    PhrasePair,
    Ranking,
    SentenceAnswer,
    Task,
)
from evaluation.reports.scope import Scope

PAIRS_AT_ONCE = 2_000
ITEMS_AT_ONCE = 200
LINKS, PHRASES = "given links", "given phrases"

_PAIR_COLUMNS = (
    "pk", "task_id", "owner__item__key", "owner__item__document", "key", "kind", "first", "second",
    "owner__first_id", "owner__second_id", "owner__check_kind",
)  # fmt: skip
_RANKING_COLUMNS = (
    "pair_id", "annotator_id", "presentation", "version", "choice", "reason", "swapped", "slot_id",
    "alignment_id", "active_ms", "elapsed_ms", "pk",
)  # fmt: skip


class DisplayNames(dict[int, str]):
    """Annotator id → name in an export: pseudonyms, or user names; machines always have their names.

    Annotators who give their first answer while an export is running are looked up.
    """

    def __init__(self, campaign: Campaign, people: Iterable[Annotator], *, identified: bool) -> None:
        self.campaign, self.identified = campaign, identified
        super().__init__((person.pk, self._display_name(person)) for person in people)

    def __missing__(self, pk: int) -> str:
        self[pk] = self._display_name(Annotator.objects.select_related("user").get(pk=pk))
        return self[pk]

    def _display_name(self, person: Annotator) -> str:
        if person.machine:
            return f"machine {person.machine}"
        return str(person) if self.identified else pseudonym(self.campaign.key, person.key)


def load_display_names(scope: Scope, *, identify: bool) -> DisplayNames:
    """Return the names of everybody who took part."""
    people = Annotator.objects.select_related("user")
    if Ranking.objects.count() <= 50_000:  # with more, loading all names is cheaper
        tasks = scope.task_ids
        people = people.filter(
            Q(pk__in=Assignment.objects.filter(task__in=tasks).values("annotator"))
            | Q(pk__in=Ranking.objects.filter(pair__task__in=tasks).values("annotator"))
            | Q(pk__in=SentenceAnswer.objects.filter(comparison__item__task__in=tasks).values("annotator"))
        )
    return DisplayNames(scope.campaign, people, identified=identify)


def read_answered_pairs(scope: Scope, names: DisplayNames) -> Iterator[ExportedPair]:
    """Yield every answered pair with every version of every answer, in the order of pairs."""
    pairs = PhrasePair.objects.filter(task__in=scope.task_ids)
    rankings = Ranking.objects.filter(pair__in=pairs.values("pk")).order_by("pk")
    first_ranking = rankings.values_list("pk", flat=True).first() or 0
    slugs = {task.pk: task.slug for task in scope.tasks}
    last = 0
    # Each chunk is its own query: no cursor stays open while a slow client downloads.
    while rows := _fetch(
        pairs.filter(pk__gt=last).order_by("pk").values_list(*_PAIR_COLUMNS)[:PAIRS_AT_ONCE]
    ):
        yield from _make_pairs(rows, slugs, names, first_ranking)
        last = rows[-1][0]


def _make_pairs(
    rows: list[tuple[Any, ...]], slugs: dict[int, str], names: DisplayNames, first_ranking: int
) -> Iterator[ExportedPair]:
    ids = [row[0] for row in rows]
    systems = _read_systems({candidate for row in rows for candidate in row[8:10]})
    questions = _read_questions(ids)
    answers = _read_answers(ids, names, first_ranking)
    for pk, task, item, document, key, kind, first, second, candidate_a, candidate_b, check in rows:
        if answers[pk]:
            question, flipped = questions.get(pk, (None, False))
            sides = (candidate_b, candidate_a) if flipped else (candidate_a, candidate_b)
            both = (systems.get(sides[0], ()), systems.get(sides[1], ()))
            yield ExportedPair(
                slugs[task], item, document, key, kind, first, second, *both, check, question, answers[pk]
            )


def _read_systems(candidates: set[int]) -> dict[int, tuple[str, ...]]:
    systems: dict[int, tuple[str, ...]] = {}
    rows = Output.objects.filter(candidate__in=candidates).order_by("system__name")
    for candidate, name in _fetch(rows.values_list("candidate_id", "system__name")):
        systems[candidate] = (*systems.get(candidate, ()), name)
    return systems


def _read_questions(pairs: Sequence[int]) -> dict[int, tuple[int, bool]]:
    """Return the first phrase of each pair at its owner, and whether the pair is flipped there."""
    rows = Occurrence.objects.filter(
        pair__gte=pairs[0], pair__lte=pairs[-1], pair__owner=F("alignment__comparison")
    ).order_by("alignment_id", "-index")
    columns = _fetch(rows.values_list("pair_id", "index", "flipped"))
    return {pair: (index, bool(flipped)) for pair, index, flipped in columns}


def _read_answers(pairs: Sequence[int], names: DisplayNames, first: int) -> dict[int, list[AnswerRow]]:
    """Return pair id → its answers, oldest first."""
    # A range rather than a list: ids of a task are consecutive, except for pairs that a realignment added.
    rankings = Ranking.objects.filter(pair__gte=pairs[0], pair__lte=pairs[-1]).order_by("pair_id", "pk")
    versions: dict[int, int] = dict(
        Alignment.objects.filter(
            comparison__owned_pairs__gte=pairs[0], comparison__owned_pairs__lte=pairs[-1]
        )
        .values_list("pk", "version")
        .distinct()
    )
    rows = _fetch(rankings.values_list(*_RANKING_COLUMNS))
    times: dict[int, str] = {}
    if names.identified:
        times = {pk: str(at) for pk, at in _fetch(rankings.values_list("pk", "received_at"))}
    newest = {(pair, annotator, presentation): pk for pair, annotator, presentation, *_rest, pk in rows}
    answers: dict[int, list[AnswerRow]] = {pair: [] for pair in pairs}
    for pair, annotator, presentation, *answer in rows:
        version, choice, reason, swapped, slot, alignment, active, elapsed, pk = answer
        if pair in answers:  # the range may include other tasks
            answers[pair].append(
                (
                    names[annotator],
                    presentation,
                    version,
                    newest[pair, annotator, presentation] == pk,
                    choice,
                    reason,
                    "second" if swapped else "first",
                    slot is None,
                    versions.get(alignment),
                    active,
                    elapsed,
                    pk - (first - 1),
                    times.get(pk),
                )
            )
    return answers


def _fetch(rows: Any) -> list[tuple[Any, ...]]:
    """Read straight from the cursor: a row through the ORM costs four times as much."""
    sql, parameters = rows.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def read_sentences(task: Task) -> importers.ImportedSet:
    """Return the sentences of a task in our own import format, read a few at a time.

    They are what the imported file contained: ids, documents, texts, systems, given links and phrases. With
    the same settings, importing them again gives the same task.
    """
    systems = tuple(task.systems.order_by("pk").values_list("name", flat=True))
    outputs = Output.objects.filter(item__task=task).count()
    count = task.items.count()
    return importers.ImportedSet(
        format="jsonl",
        items=importers.Items(count, lambda: _read_items(task)),
        systems=systems,
        digest=task.digest,
        source_language=task.source_language,
        target_language=task.target_language,
        name=task.name,
        incomplete=outputs < count * len(systems),
    )


def _read_items(task: Task) -> Iterator[importers.ImportedItem]:
    outputs = Output.objects.order_by("pk").select_related("system", "candidate")
    given = Alignment.objects.filter(version=1, aligner__in=(LINKS, PHRASES)).order_by("pk")
    items = task.items.order_by("position").prefetch_related(
        Prefetch("outputs", outputs), "comparisons", Prefetch("comparisons__alignments", given)
    )
    for item in items.iterator(chunk_size=ITEMS_AT_ONCE):
        yield _make_item(item)


def _make_item(item: Item) -> importers.ImportedItem:
    outputs = list(item.outputs.all())
    system_of = {output.candidate_id: output.system.name for output in reversed(outputs)}
    sizes = {output.candidate_id: len(output.candidate.offsets) // 2 for output in outputs}
    links, phrases = [], []
    for comparison in item.comparisons.all():
        if comparison.check_kind:
            continue
        systems = system_of[comparison.first_id], system_of[comparison.second_id]
        for alignment in comparison.alignments.all():
            if alignment.aligner == LINKS:
                lengths = sizes[comparison.first_id], sizes[comparison.second_id]
                links.append(importers.PairLinks(*systems, parse_links(alignment.links, *lengths)))
            else:
                phrases.append(importers.PairPhrases(*systems, tuple(map(_make_phrase, alignment.phrases))))
    return importers.ImportedItem(
        id=item.key,
        source=item.source,
        candidates=tuple(
            importers.ImportedCandidate(output.system.name, output.candidate.text) for output in outputs
        ),
        position=importers.SourcePosition(""),
        document=item.document,
        references=tuple(item.references),
        before=item.context_before,
        after=item.context_after,
        links=tuple(links),
        phrases=tuple(phrases),
    )


def _make_phrase(row: list[int | None]) -> importers.GivenPhrase:
    a, a_end, b, b_end = row[:4]
    return importers.GivenPhrase(
        None if a is None or a_end is None else (a, a_end), None if b is None or b_end is None else (b, b_end)
    )
