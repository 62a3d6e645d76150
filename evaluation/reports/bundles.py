"""The bundle of a task or campaign: an archive with everything needed to recompute its tables."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Mapping
from typing import IO, Any

import django
import numpy as np
from django.conf import settings
from django.db.models import Prefetch, QuerySet

from appraise.lib.digests import find_version
from evaluation import models
from evaluation.exporters import ExportedAnswer
from evaluation.exporters.bundle import open_bundle
from evaluation.reports import sentence_query, study_query
from evaluation.reports.cache import snapshot
from evaluation.reports.evidence_query import list_protocols, load_assessment_set
from evaluation.reports.exports import DisplayNames, load_display_names, read_answered_pairs
from evaluation.reports.scope import Scope
from evaluation.schemes import SIX_WAY
from evaluation.study import Study, SystemPairs
from evaluation.study.rating_tables import build_rating_tables
from evaluation.study.tables import build_sentence_tables, build_study_tables
from evaluation.study.values import NO_CHECK

CHUNK = 1_000
Row = dict[str, Any]


def write_bundle(scope: Scope, stream: IO[bytes]) -> str:
    """Write the archive and return its signature. Always with pseudonyms and without free comments.

    Everything is read from one snapshot, because tables would not verify beside a later answer.
    """
    bundle = open_bundle(stream)
    with snapshot(), bundle.archive:
        names = load_display_names(scope, identify=False)
        study = study_query.load_study(scope.tasks)
        items = bundle.write_rows("data/items.jsonl", _items(scope))
        bundle.write_rows("data/comparisons.jsonl", _comparisons(scope))
        pairs = bundle.write_rows("data/pairs.jsonl", _pairs(scope, study))
        rankings = bundle.write_rows("data/rankings.jsonl", _rankings(scope, names))
        bundle.write_rows("data/assignments.jsonl", _assignments(scope, names))
        bundle.write_rows("data/sentence_answers.jsonl", _sentence_answers(scope, names))
        bundle.write_rows("data/adjudications.jsonl", _adjudications(scope))
        bundle.write_tables(build_study_tables(study, study_query.load_system_pairs(scope.tasks, study)))
        bundle.write_tables(build_sentence_tables(*_read_sentence_study(scope)))
        if protocols := list_protocols(scope.tasks):
            bundle.write_rows("data/assessments.jsonl", _assessments(scope, names))
            bundle.write_rows("data/score_sets.jsonl", _score_sets(scope))
            sets = {name: load_assessment_set(scope, name) for name in protocols}
            bundle.write_tables(build_rating_tables(sets))
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


def _read_sentence_study(scope: Scope) -> tuple[Study, SystemPairs]:
    stored = sentence_query.read_sentence_answers(scope.tasks)
    study = study_query.make_study(scope.tasks, stored.asked, stored.answers)
    outputs = study_query.load_system_outputs(scope.tasks)
    return study, study_query.join_system_pairs(study, stored.occurrences, outputs)


def code_version() -> dict[str, str]:
    """Return the versions of the code that computed the tables."""
    return {
        "appraise": find_version(),
        "commit": _commit(),
        "python": platform.python_version(),
        "django": django.get_version(),
        "numpy": np.__version__,
    }


def _commit() -> str:
    """Return the commit of a git checkout, read from its files; empty elsewhere."""
    folder = settings.BASE_DIR / ".git"
    try:
        head = (folder / "HEAD").read_text("ascii").strip()
        return (folder / head[5:]).read_text("ascii").strip() if head.startswith("ref: ") else head
    except OSError:
        return ""


_SETTINGS = (
    "source_language", "target_language", "shows", "overlap", "dedup", "order", "moved", "judging",
    "question_size", "ask_all",
    "seed", "checks", "practice", "ask_sentence", "ask_rating", "ask_comment", "ask_reasons",
    "tap_answers", "lease_minutes", "digest",
    "size", "state", "instructions", "protocols", "reference_names",
)  # fmt: skip


def _task(task: models.Task) -> Row:
    return {
        "slug": task.slug,
        "name": task.name,
        "scheme": task.scheme_name,
        "systems": list(task.systems.order_by("name").values_list("name", flat=True)),
        **{name: getattr(task, name) for name in _SETTINGS},
    }


def _items(scope: Scope) -> Iterator[Row]:
    slugs = _slugs(scope)
    candidates = models.Candidate.objects.order_by("pk").prefetch_related("systems")
    rows = models.Item.objects.filter(task__in=slugs).order_by("pk")
    for item in rows.prefetch_related(Prefetch("candidates", candidates)).iterator(chunk_size=CHUNK):
        yield {
            "task": slugs[item.task_id],
            "item": item.key,
            "position": item.position,
            "document": item.document,
            "domain": item.domain,
            "source": item.source,
            "references": item.references,
            "candidates": [
                {"text": candidate.text, "systems": sorted(system.name for system in candidate.systems.all())}
                for candidate in item.candidates.all()
            ],
        }


def _comparisons(scope: Scope) -> Iterator[Row]:
    """Yield comparisons with every version of the alignment and the pairs that occur in it."""
    slugs = _slugs(scope)
    occurrences = models.Occurrence.objects.order_by("index").select_related("pair")
    occurrences = occurrences.only("index", "flipped", "alignment", "pair__key")
    rows = (
        models.Comparison.objects.filter(item__task__in=slugs)
        .select_related("item", "first", "second")
        .prefetch_related("alignments", Prefetch("alignments__occurrences", occurrences))
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
                    "groups": alignment.groups,
                    "occurrences": [
                        [occurrence.index, occurrence.pair.key, occurrence.flipped]
                        for occurrence in alignment.occurrences.all()
                    ],
                }
                for alignment in sorted(row.alignments.all(), key=lambda alignment: alignment.pk)
            ],
        }


def _pairs(scope: Scope, study: Study) -> Iterator[Row]:
    """Yield pairs in the order of the study; ``expected`` is relative to the pair's own two texts."""
    pairs = models.PhrasePair.objects.filter(task__in=scope.task_ids).order_by("pk")
    columns = {
        "task": "task__slug", "pair": "key", "item": "owner__item__key", "kind": "kind", "first": "first",
        "second": "second",
    }  # fmt: skip
    for row, code in zip(_read_rows(pairs, columns), study.expected.tolist(), strict=True):
        yield {**row, "expected": None if code == NO_CHECK else SIX_WAY.labels[code]}


def _rankings(scope: Scope, names: DisplayNames) -> Iterator[Row]:
    for pair in read_answered_pairs(scope, names):
        for answer in pair.answers:
            row = ExportedAnswer(*answer)._asdict()
            del row["received_at"]
            yield {"task": pair.task, "pair": pair.pair, **row}


def _assignments(scope: Scope, names: DisplayNames) -> Iterator[Row]:
    """Yield who got which comparison, in which order, and which text was on the left."""
    assignments = models.Assignment.objects.filter(task__in=scope.task_ids, passage=None)
    columns = {
        "task": "task__slug", "annotator": "annotator_id", "number": "number", "presentation": "presentation",
        "item": "comparison__item__key", "left": "comparison__first__text",
        "right": "comparison__second__text", "alignment": "alignment__version", "active_ms": "active_ms",
        "finished": "finished_at", "skipped": "skip_reason", "unsure": "is_unsure", "swapped": "swapped",
    }  # fmt: skip
    for row in _read_rows(assignments.order_by("task_id", "annotator_id", "number", "pk"), columns):
        if row.pop("swapped"):
            row["left"], row["right"] = row["right"], row["left"]
        row["annotator"] = names[row["annotator"]]
        row["finished"], row["skipped"] = row["finished"] is not None, bool(row["skipped"])
        yield row


def _sentence_answers(scope: Scope, names: DisplayNames) -> Iterator[Row]:
    """Yield verdicts and ratings, but no free comments, because people write names into them."""
    answers = models.SentenceAnswer.objects.filter(comparison__item__task__in=scope.task_ids)
    answers = answers.exclude(question=models.SentenceAnswer.Question.COMMENT).order_by("pk")
    columns = {
        "task": "comparison__item__task__slug", "item": "comparison__item__key",
        "first": "comparison__first__text", "second": "comparison__second__text",
        "annotator": "annotator_id", "presentation": "presentation", "version": "version",
        "question": "question", "value": "value", "source_ranking": "source_ranking", "swapped": "swapped",
        "surplus": "slot", "active_ms": "active_ms",
    }  # fmt: skip
    for row in _read_rows(answers, columns):
        yield {
            **row,
            "annotator": names[row["annotator"]],
            "value": row["value"] or None,
            "surplus": row["surplus"] is None,
        }


def _assessments(scope: Scope, names: DisplayNames) -> Iterator[Row]:
    """Yield every version of every score with its error spans, checks and repeats included."""
    slugs = _slugs(scope)
    protocols = list_protocols(scope.tasks)
    answers = models.Assessment.objects.of_tasks(scope.task_ids).filter(protocol__in=protocols)
    spans = models.ErrorSpan.objects.order_by("number")
    rows = answers.order_by("pk").select_related("output__system", "output__item", "shown")
    for row in rows.prefetch_related(Prefetch("spans", spans)).iterator(chunk_size=CHUNK):
        yield {
            "task": slugs[row.output.item.task_id],
            "item": row.output.item.key,
            "system": row.output.system.name,
            "annotator": names[row.annotator_id],
            "protocol": row.protocol,
            "presentation": row.presentation,
            "version": row.version,
            "score": row.score,
            "withdrawn": row.is_withdrawn,
            "in_time": row.slot_id is not None,
            "shown": row.shown and row.shown.text,
            "spans": [
                [span.side, span.start, span.end, span.severity, span.category, span.details.get("weight")]
                for span in row.spans.all()
            ],
        }


def _score_sets(scope: Scope) -> Iterator[Row]:
    sets = models.ScoreSet.objects.filter(task__in=scope.task_ids).order_by("pk")
    columns = ("task__slug", "name", "reference", "level", "groups", "values")
    return _read_rows(sets, {column.partition("__")[0]: column for column in columns})


def _adjudications(scope: Scope) -> Iterator[Row]:
    adjudications = models.Adjudication.objects.filter(pair__task__in=scope.task_ids).order_by("pk")
    columns = {"task": "pair__task__slug", "pair": "pair__key", "choice": "choice", "reason": "reason"}
    return _read_rows(adjudications, columns)


def _read_rows(rows: QuerySet[Any], columns: Mapping[str, str]) -> Iterator[Row]:
    """Yield each row as an object; ``columns`` maps its names to columns of the database."""
    for values in rows.values_list(*columns.values()).iterator(chunk_size=20_000):
        yield dict(zip(columns, values, strict=True))


def _slugs(scope: Scope) -> dict[int, str]:
    return {task.pk: task.slug for task in scope.tasks}
