"""Exports of scores and error spans from the rows, in the formats of the files that bring them.

A directory of mt-metrics-eval and an MQM table have the current answers. An Appraise CSV has a line for each
answer of the imported file, and a corrected answer replaces its line.
"""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import IO, Any

from appraise.lib.problems import InputError
from evaluation.assessments import (
    MarkedSpan,
    OutputRating,
    ParallelTexts,
    PublishedScores,
    ScoreLevel,
)
from evaluation.exporters.assessments import appraise_csv_lines, mqm_table_lines, write_mtme
from evaluation.importers.evidence.appraise_csv import BAD, TARGET, AppraiseRow
from evaluation.importers.evidence.mqm_tsv import MqmTable, SegmentPlace
from evaluation.importers.placed_answers import TUTORIAL
from evaluation.models import Assessment, Task
from evaluation.reports.evidence_query import (
    list_protocols,
    load_ratings,
    load_scores,
    load_texts,
    read_spans,
)
from evaluation.reports.exports import DisplayNames

EVIDENCE_EXPORTS = {
    "mtme": ("zip", "application/zip"),
    "appraise-csv": ("csv", "text/csv; charset=utf-8"),
    "mqm-tsv": ("tsv", "text/tab-separated-values; charset=utf-8"),
}
"""Extension and content type of each format; a directory is downloaded as an archive."""


def export_files(task: Task, form: str, names: DisplayNames) -> Iterator[tuple[str, Iterator[str]]]:
    """Yield the files of an export, each with its lines."""
    if form == "mtme":
        return _export_mtme(task, names)
    lines = _export_appraise if form == "appraise-csv" else _export_mqm
    return iter([(f"{task.slug}.{EVIDENCE_EXPORTS[form][0]}", lines(task, names))])


def write_folder(files: Iterator[tuple[str, Iterator[str]]], folder: Path) -> int:
    """Write the files below a folder; returns how many."""
    count = 0
    for path, lines in files:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("w", encoding="utf-8", newline="") as file:
            file.writelines(lines)
        count += 1
    return count


def write_archive(files: Iterator[tuple[str, Iterator[str]]], stream: IO[bytes]) -> None:
    """Write the files as a zip archive; the same rows give the same bytes."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, lines in files:
            info = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as member:
                for line in lines:
                    member.write(line.encode())


def _export_mtme(task: Task, names: DisplayNames) -> Iterator[tuple[str, Iterator[str]]]:
    texts = load_texts(task)
    ratings: dict[str, list[OutputRating]] = {}
    for stored in load_ratings([task], names):
        ratings.setdefault(stored.protocol, []).append(stored.rating)
    published = [each for _, each in load_scores([task])]
    human = [each for each in published if not each.reference]
    known = {each.name for each in human if each.level is ScoreLevel.SEGMENT}
    human += [
        _mean_scores(name, answers, texts)
        for name, answers in ratings.items()
        if _is_scored(task, name) and name not in known
    ]
    yield from write_mtme(texts, ratings, human, [each for each in published if each.reference])


def _mean_scores(name: str, ratings: list[OutputRating], texts: ParallelTexts) -> PublishedScores:
    """Return the mean score of each output over its annotators."""
    cells: dict[tuple[str, int], list[float]] = defaultdict(list)
    for rating in ratings:
        if rating.score is not None:
            cells[rating.system, rating.segment].append(rating.score)
    means = {
        system: tuple(
            fmean(scores) if (scores := cells.get((system, segment))) else None
            for segment in range(len(texts))
        )
        for system in texts.outputs
    }
    return PublishedScores(name, ScoreLevel.SEGMENT, means)


def _export_mqm(task: Task, names: DisplayNames) -> Iterator[str]:
    texts = load_texts(task)
    stored = [each for each in load_ratings([task], names) if not _is_scored(task, each.protocol)]
    if not stored:
        _refuse(task, "error spans without scores")
    numbers = {
        segment: origin["docSegId"]
        for segment, origin in _first_origins(task).items()
        if "docSegId" in origin
    }
    places, counts = [], dict.fromkeys([label.document for label in texts.documents], 0)
    for segment, key in enumerate(task.items.order_by("position").values_list("key", flat=True)):
        document = texts.documents[segment].document if texts.documents else ""
        counts[document] = counts.get(document, 0) + 1
        places.append(SegmentPlace(document, str(numbers.get(segment, counts[document])), key))
    outputs = {system: dict(enumerate(lines)) for system, lines in texts.outputs.items()}
    table = MqmTable(tuple(places), texts.sources, outputs, [each.rating for each in stored])
    yield from mqm_table_lines(table)


def _first_origins(task: Task) -> dict[int, dict[str, Any]]:
    """Return what the file says about one answer to each segment."""
    rows = Assessment.objects.of_tasks([task.pk]).exclude(origin={})
    return dict(rows.order_by("-pk").values_list("output__item__position", "origin"))


def _export_appraise(task: Task, names: DisplayNames) -> Iterator[str]:
    wanted = [name for name in list_protocols([task]) if _is_scored(task, name)]
    if not wanted:
        _refuse(task, "scores of people")
    return appraise_csv_lines(row for name in wanted for row in _read_rows(task, name, names))


def _read_rows(task: Task, protocol: str, names: DisplayNames) -> Iterator[AppraiseRow]:
    """Yield a row for each answer of the file, as it was corrected here."""
    answers = (
        Assessment.objects.of_tasks([task.pk])
        .filter(protocol=protocol)
        .select_related("output__system", "output__item")
    )
    spans = read_spans(answers.values("pk"))
    has_spans = bool(task.protocols[protocol].get("severities"))
    group: list[Assessment] = []
    ordered = answers.order_by(
        "output__item__position", "output_id", "annotator_id", "presentation", "version"
    )
    for answer in ordered.iterator(chunk_size=2_000):
        same = bool(group) and _cell(group[-1]) == _cell(answer)
        if not same or answer.origin:  # a line of its own
            yield from _make_rows(group, task, names, spans, has_spans=has_spans)
            group = []
        group.append(answer)
    yield from _make_rows(group, task, names, spans, has_spans=has_spans)


def _cell(answer: Assessment) -> tuple[int, int, int]:
    return answer.output_id, answer.annotator_id, answer.presentation


def _make_rows(
    versions: list[Assessment],
    task: Task,
    names: DisplayNames,
    spans: dict[int, list[MarkedSpan]],
    *,
    has_spans: bool,
) -> Iterator[AppraiseRow]:
    """Yield the line of an answer in the file and of its corrections, which have no origin."""
    if not versions:
        return
    stood = [answer for answer in versions if answer.slot_id is not None]
    newest = stood[-1] if stood and not stood[-1].is_withdrawn else versions[-1]
    origin = versions[0].origin or _describe(newest, task)
    annotator = names[newest.annotator_id]
    for other in origin.get(TUTORIAL, ()):
        yield _restore_row(annotator, other)
    if not newest.is_withdrawn:
        marked = tuple(spans.get(newest.pk, ())) if has_spans else None
        yield _make_row(annotator, origin, newest.score or 0.0, marked)


def _make_row(
    annotator: str,
    origin: dict[str, Any],
    score: float,
    spans: tuple[MarkedSpan, ...] | None,
    *,
    is_complete: bool = False,
) -> AppraiseRow:
    source, target = origin["languages"]
    start, end = origin["times"]
    return AppraiseRow(
        annotator, origin["target"], origin["item"], origin["kind"], source, target, score,
        origin["document"], is_complete, spans, start, end,
    )  # fmt: skip


def _restore_row(annotator: str, kept: dict[str, Any]) -> AppraiseRow:
    spans = kept["spans"]
    marked = None if spans is None else tuple(MarkedSpan(*span) for span in spans)
    return _make_row(annotator, kept, kept["score"], marked, is_complete=kept["complete"])


def _describe(answer: Assessment, task: Task) -> dict[str, Any]:
    """Return the cells of an answer that was given on this site."""
    item, system = answer.output.item, answer.output.system.name
    at = answer.received_at.timestamp()
    mark = f"#bad{answer.presentation}" if answer.shown_id else ""
    return {
        "target": system,
        "item": str(item.position + 1),
        "kind": BAD if answer.shown_id else TARGET,
        "languages": [task.source_language, task.target_language],
        "document": f"{item.document or task.slug}#{system}{mark}",
        "times": [at - (answer.active_ms or 0) / 1000, at],
    }


def _is_scored(task: Task, protocol: str) -> bool:
    return task.protocols[protocol].get("scale") is not None


def _refuse(task: Task, what: str) -> None:
    message = f"the task {task.slug!r} has no {what}"
    raise InputError.of("nothing_to_export", message, "choose another format")
