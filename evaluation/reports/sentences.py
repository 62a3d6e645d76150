"""Exports the sentences of a task in our own import format.

It contains what the original file contained: ids, documents, texts, systems, given links and phrases. Answers
are in the other exports. Importing it again with the same settings gives the same task.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Prefetch

from evaluation.alignment.formats import parse_links
from evaluation.importers import (
    Candidate,
    GivenPhrase,
    ImportedItem,
    ImportedSet,
    Items,
    PairLinks,
    PairPhrases,
    Place,
)
from evaluation.models import Alignment, Item, Output, Task

AT_ONCE = 200
LINKS, PHRASES = "given links", "given phrases"


def as_set(task: Task) -> ImportedSet:
    """The sentences, read from the database a few at a time."""
    systems = tuple(task.systems.order_by("pk").values_list("name", flat=True))
    outputs = Output.objects.filter(item__task=task).count()
    count = task.items.count()
    return ImportedSet(
        format="jsonl",
        items=Items(count, lambda: _items(task)),
        systems=systems,
        digest=task.digest,
        source_language=task.source_language,
        target_language=task.target_language,
        name=task.name,
        incomplete=outputs < count * len(systems),
    )


def _items(task: Task) -> Iterator[ImportedItem]:
    outputs = Output.objects.order_by("pk").select_related("system", "candidate")
    given = Alignment.objects.filter(version=1, aligner__in=(LINKS, PHRASES)).order_by("pk")
    rows = (
        task.items.order_by("position")
        .prefetch_related(
            Prefetch("outputs", outputs), "comparisons", Prefetch("comparisons__alignments", given)
        )
        .iterator(chunk_size=AT_ONCE)
    )
    for item in rows:
        yield _item(item)


def _item(item: Item) -> ImportedItem:
    written = list(item.outputs.all())
    of = {output.candidate_id: output.system.name for output in reversed(written)}
    sizes = {output.candidate_id: len(output.candidate.offsets) // 2 for output in written}
    links, phrases = [], []
    for comparison in item.comparisons.all():
        if comparison.check_kind:
            continue
        two = of[comparison.first_id], of[comparison.second_id]
        for alignment in comparison.alignments.all():
            if alignment.aligner == LINKS:
                lengths = sizes[comparison.first_id], sizes[comparison.second_id]
                links.append(PairLinks(*two, parse_links(alignment.links, *lengths)))
            else:
                phrases.append(PairPhrases(*two, tuple(map(_phrase, alignment.phrases))))
    return ImportedItem(
        id=item.key,
        source=item.source,
        candidates=tuple(Candidate(output.system.name, output.candidate.text) for output in written),
        place=Place(""),
        document=item.document,
        references=tuple(item.references),
        before=item.context_before,
        after=item.context_after,
        links=tuple(links),
        phrases=tuple(phrases),
    )


def _phrase(row: list[int | None]) -> GivenPhrase:
    a, a_end, b, b_end = row[:4]
    return GivenPhrase(
        None if a is None or a_end is None else (a, a_end), None if b is None or b_end is None else (b, b_end)
    )
