"""The bundle of a task or a campaign: the study with all that is needed to compute its tables again."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from typing import IO, Any

import django
import numpy as np
import scipy
from django.conf import settings
from django.db.models import Prefetch

from evaluation import release
from evaluation.exporters import Answer
from evaluation.exporters.bundle import writer
from evaluation.exporters.questions import MEMBER
from evaluation.exporters.verify import study_tables
from evaluation.models import (
    Adjudication,
    Assignment,
    Candidate,
    Comparison,
    Item,
    Occurrence,
    PhrasePair,
    SentenceAnswer,
    Task,
)
from evaluation.reports import judgements, votes
from evaluation.reports.export import Voices, asked_pairs, voices
from evaluation.reports.moment import one_moment
from evaluation.reports.scope import Scope
from evaluation.reports.selection import Weighted, pair_weights, was_selected, weights_of_pairs
from evaluation.schemes import SIX_WAY
from evaluation.study import Study
from evaluation.study.values import NO_CHECK

CHUNK = 1_000
Row = dict[str, Any]


def write_bundle(scope: Scope, stream: IO[bytes]) -> str:
    """Write the archive; returns its signature. Always under pseudonyms and without free comments.

    Everything is read at one moment: tables would not verify beside a later answer.
    """
    bundle = writer(stream)
    with one_moment(), bundle.archive:
        who = voices(scope, identify=False)
        study = judgements.study(scope.tasks)
        items = bundle.lines("data/items.jsonl", _items(scope))
        bundle.lines("data/comparisons.jsonl", _comparisons(scope))
        pairs = bundle.lines("data/pairs.jsonl", _pairs(scope, study))
        rankings = bundle.lines("data/rankings.jsonl", _rankings(scope, who))
        bundle.lines("data/assignments.jsonl", _assignments(scope, who))
        bundle.lines("data/sentence_answers.jsonl", _sentence_answers(scope, who))
        bundle.lines("data/adjudications.jsonl", _adjudications(scope))
        weighted = pair_weights(scope.tasks) if was_selected(scope.tasks) else None
        weights = None if weighted is None else weights_of_pairs(weighted, study)
        if weighted is not None:
            bundle.lines(f"data/{MEMBER}.jsonl", _questions(scope, weighted))
        bundle.tables(study_tables(study, votes.meetings(scope.tasks, study), weights))
        about = {
            "code": code_version(),
            "campaign": {
                "slug": scope.campaign.slug,
                "name": scope.campaign.name,
                "invented": scope.campaign.invented,
            },
            "tasks": [_task(task) for task in scope.tasks],
            "annotators": list(study.annotator_names),
            "resampling": {"resamples": 1000, "seed": 1, "unit": "sentence"},
        }
        parts = [
            ("campaign", scope.campaign.slug),
            ("tasks", len(scope.tasks)),
            ("scheme", "+".join(sorted({task.scheme_name for task in scope.tasks}))),
            ("items", items),
            ("pairs", pairs),
            ("rankings", rankings),
            ("annotators", len(study.annotator_names)),
            ("seed", "+".join(sorted({str(task.seed) for task in scope.tasks}))),
            ("version", code_version()["appraise"]),
        ]
        return bundle.finish(about, parts)


def code_version() -> dict[str, str]:
    """What computed the tables."""
    return {
        "appraise": release.version(),
        "commit": _commit(),
        "python": platform.python_version(),
        "django": django.get_version(),
        "numpy": np.__version__,
        "scipy": str(scipy.__version__),
    }


def _commit() -> str:
    """The commit of a checkout, read from its files; empty elsewhere."""
    folder = settings.BASE_DIR / ".git"
    try:
        head = (folder / "HEAD").read_text("ascii").strip()
        return (folder / head[5:]).read_text("ascii").strip() if head.startswith("ref: ") else head
    except OSError:
        return ""


_SETTINGS = (
    "source_language", "target_language", "shows", "overlap", "dedup", "order", "moved", "judging",
    "selection", "seed", "checks", "practice", "ask_sentence", "ask_rating", "ask_comment", "lease_minutes",
    "digest", "size", "state", "instructions",
)  # fmt: skip


def _task(task: Task) -> Row:
    return {
        "slug": task.slug,
        "name": task.name,
        "scheme": task.scheme_name,
        "systems": list(task.systems.order_by("name").values_list("name", flat=True)),
        **{name: getattr(task, name) for name in _SETTINGS},
    }


def _items(scope: Scope) -> Iterator[Row]:
    slugs = _slugs(scope)
    candidates = Candidate.objects.order_by("pk").prefetch_related("systems")
    rows = Item.objects.filter(task__in=slugs).order_by("pk")
    for item in rows.prefetch_related(Prefetch("candidates", candidates)).iterator(chunk_size=CHUNK):
        yield {
            "task": slugs[item.task_id],
            "item": item.key,
            "position": item.position,
            "document": item.document,
            "source": item.source,
            "references": item.references,
            "candidates": [
                {"text": candidate.text, "systems": sorted(system.name for system in candidate.systems.all())}
                for candidate in item.candidates.all()
            ],
        }


def _comparisons(scope: Scope) -> Iterator[Row]:
    """With every version of the alignment, and which pair stands at which phrase of it."""
    slugs = _slugs(scope)
    places = (
        Occurrence.objects.order_by("index")
        .select_related("pair")
        .only("index", "flipped", "alignment", "pair__key")
    )
    rows = (
        Comparison.objects.filter(item__task__in=slugs)
        .select_related("item", "first", "second")
        .prefetch_related("alignments", Prefetch("alignments__occurrences", places))
        .order_by("pk")
    )
    for row in rows.iterator(chunk_size=CHUNK):
        yield {
            "task": slugs[row.item.task_id],
            "item": row.item.key,
            "first": row.first.text,
            "second": row.second.text,
            "check": row.check_kind,
            "expected": row.expected or None,
            "alignments": [
                {
                    "version": alignment.version,
                    "aligner": alignment.aligner,
                    "links": alignment.links,
                    "phrases": alignment.phrases,
                    "occurrences": [
                        [place.index, place.pair.key, place.flipped] for place in alignment.occurrences.all()
                    ],
                }
                for alignment in sorted(row.alignments.all(), key=lambda alignment: alignment.pk)
            ],
        }


def _pairs(scope: Scope, study: Study) -> Iterator[Row]:
    """In the order of the study's pairs; ``expected`` is about the pair's own two texts."""
    slugs = _slugs(scope)
    rows = PhrasePair.objects.filter(task__in=slugs).order_by("pk")
    columns = ("task_id", "key", "kind", "first", "second", "owner__item__key")
    codes = iter(study.expected.tolist())
    for task, key, kind, first, second, item in rows.values_list(*columns).iterator(chunk_size=20_000):
        code = next(codes)
        yield {
            "task": slugs[task],
            "pair": key,
            "item": item,
            "kind": kind,
            "first": first,
            "second": second,
            "expected": None if code == NO_CHECK else SIX_WAY.labels[code],
        }


def _rankings(scope: Scope, who: Voices) -> Iterator[Row]:
    for pair in asked_pairs(scope, who):
        for answer in pair.answers:
            row = Answer(*answer)._asdict()
            del row["received_at"]
            yield {"task": pair.task, "pair": pair.pair, **row}


def _assignments(scope: Scope, who: Voices) -> Iterator[Row]:
    """Who was given which comparison, in which order, and which text stood on the left."""
    slugs = _slugs(scope)
    rows = Assignment.objects.filter(task__in=slugs).order_by("task_id", "annotator_id", "number", "pk")
    columns = ("task_id", "annotator_id", "number", "presentation", "comparison__item__key",
               "comparison__first__text", "comparison__second__text", "swapped", "alignment__version",
               "active_ms", "skip_reason", "finished_at")  # fmt: skip
    for (
        task,
        person,
        number,
        time,
        item,
        first,
        second,
        swapped,
        version,
        active,
        skipped,
        ended,
    ) in rows.values_list(*columns).iterator(chunk_size=20_000):
        yield {
            "task": slugs[task],
            "annotator": who.names[person],
            "number": number,
            "presentation": time,
            "item": item,
            "left": second if swapped else first,
            "right": first if swapped else second,
            "alignment": version,
            "active_ms": active,
            "finished": ended is not None,
            "skipped": bool(skipped),
        }


def _sentence_answers(scope: Scope, who: Voices) -> Iterator[Row]:
    """Verdicts and ratings, but no free comments, because people write names into them."""
    slugs = _slugs(scope)
    rows = (
        SentenceAnswer.objects.filter(comparison__item__task__in=slugs)
        .exclude(question=SentenceAnswer.Question.COMMENT)
        .order_by("pk")
    )
    columns = (
        "comparison__item__task_id", "comparison__item__key", "comparison__first__text",
        "comparison__second__text", "annotator_id", "presentation", "version", "question", "value",
    )  # fmt: skip
    for task, item, first, second, person, time, version, question, value in rows.values_list(
        *columns
    ).iterator(chunk_size=20_000):
        yield {
            "task": slugs[task],
            "item": item,
            "first": first,
            "second": second,
            "annotator": who.names[person],
            "presentation": time,
            "version": version,
            "question": question,
            "value": value or None,
        }


def _adjudications(scope: Scope) -> Iterator[Row]:
    slugs = _slugs(scope)
    rows = Adjudication.objects.filter(pair__task__in=slugs).order_by("pk")
    for task, pair, choice, reason in rows.values_list("pair__task_id", "pair__key", "choice", "reason"):
        yield {"task": slugs[task], "pair": pair, "choice": choice, "reason": reason}


def _questions(scope: Scope, weighted: Sequence[Weighted]) -> Iterator[Row]:
    """Every ordinary comparison with the number and probability of its draw, and its weight.

    ``rest``: its place among those that waited in random order, if it stood there.
    """
    slugs = _slugs(scope)
    keys = dict(PhrasePair.objects.filter(task__in=slugs).values_list("pk", "key"))
    for start in range(0, len(weighted), CHUNK):
        some = weighted[start : start + CHUNK]
        comparisons = Comparison.objects.select_related("item", "first", "second")
        known = comparisons.in_bulk([one.comparison for one in some])
        for one in some:
            row = known[one.comparison]
            yield {
                "task": slugs[one.task],
                "item": row.item.key,
                "first": row.first.text,
                "second": row.second.text,
                "pairs": [keys[pair] for pair in one.pairs],
                "asked": one.question.begun,
                "draw": one.question.number,
                "probability": one.question.probability,
                "rest": one.question.rest,
                "weight": one.weight,
            }


def _slugs(scope: Scope) -> dict[int, str]:
    return {task.pk: task.slug for task in scope.tasks}
