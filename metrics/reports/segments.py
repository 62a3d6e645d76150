"""The sentences of a task and the phrase pairs that stand in them, read in a constant number of queries."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.db.models import F, Max

from evaluation.models import Alignment, Candidate, Comparison, Item, Occurrence, Output, Task
from evaluation.presentation import Phrase, Stave
from metrics.phrase_votes import Standing
from metrics.testset import ItemText, TestSet, Written


def task_segments(task: Task) -> TestSet:
    """Systems × items with their texts; candidates that no system wrote (checks) are no part of it."""
    items = {
        pk: ItemText(key, source, tuple(references))
        for pk, key, source, references in Item.objects.filter(task=task)
        .order_by("position")
        .values_list("pk", "key", "source", "references")
    }
    outputs: dict[str, dict[int, Written]] = {}
    rows = Output.objects.filter(item__task=task).order_by("system__name", "item__position")
    for pk, system, item, text in rows.values_list("pk", "system__name", "item_id", "candidate__text"):
        outputs.setdefault(system, {})[item] = Written(pk, text)
    return TestSet(items, outputs)


def content_digest(task: Task, tests: TestSet) -> str:
    """Of all that scores and votes depend on: the texts, and how they are aligned now."""
    newest = Alignment.objects.filter(comparison__item__task=task).aggregate(newest=Max("pk"))["newest"]
    return hashlib.sha256(f"{tests.digest} {newest}".encode()).hexdigest()


def standings(task: Task) -> Iterator[Standing]:
    """Every ordinary pair where its owner asks it, in the newest alignment that still has it."""
    staves = {
        pk: Stave(text, tuple(zip(offsets[::2], offsets[1::2], strict=True)))
        for pk, text, offsets in Candidate.objects.filter(item__task=task).values_list(
            "pk", "text", "offsets"
        )
    }
    places: dict[int, tuple[int, int, bool]] = {}
    asked = Occurrence.objects.filter(
        pair__task=task, pair__owner=F("alignment__comparison"), pair__owner__check_kind=""
    ).order_by("alignment_id", "-index")
    # Later alignments overwrite earlier ones; of a phrase that stands twice, the first place counts.
    for pair, alignment, index, flipped in asked.values_list("pair_id", "alignment_id", "index", "flipped"):
        places[pair] = (alignment, index, flipped)
    of_alignment = _comparisons(task, {alignment for alignment, _, _ in places.values()})
    for pair, (alignment, index, flipped) in places.items():
        item, first, second, phrases = of_alignment[alignment]
        yield Standing(pair, item, staves[first], staves[second], phrases, index, flipped)


def _comparisons(task: Task, wanted: set[int]) -> dict[int, tuple[int, int, int, tuple[Phrase, ...]]]:
    rows = Alignment.objects.filter(comparison__item__task=task, comparison__check_kind=Comparison.Check.NONE)
    columns = ("pk", "comparison__item_id", "comparison__first_id", "comparison__second_id", "phrases")
    return {
        pk: (item, first, second, tuple(map(_phrase, phrases)))
        for pk, item, first, second, phrases in rows.values_list(*columns)
        if pk in wanted
    }


def _phrase(row: list[int | str | bool | None]) -> Phrase:
    """From ``[a_start, a_end, b_start, b_end, kind, moved]``, as alignments are stored."""
    a_start, a_end, b_start, b_end, kind, moved = row
    first = (int(a_start), int(a_end)) if a_start is not None and a_end is not None else None
    second = (int(b_start), int(b_end)) if b_start is not None and b_end is not None else None
    return Phrase(first, second, kind == "shared", bool(moved))
