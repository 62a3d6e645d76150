"""The scores and error spans of a bundle as sets, from which its tables are computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.assessments import DocumentLabel, MarkedSpan, OutputRating, SpanSide
from evaluation.assessments.summary import QualityControl
from evaluation.importers.evidence.assessment_sets import AssessmentSet, check_quality

Row = Mapping[str, Any]  # Any: JSON
Cell = tuple[str, str, int]  # annotator, system, segment


def make_assessment_sets(
    tasks: Sequence[Row], items: Iterable[Row], assessments: Iterable[Row]
) -> dict[str, AssessmentSet]:
    """Return the sets by name; the newest version of each answer counts, unless it was withdrawn."""
    order = {task["slug"]: number for number, task in enumerate(tasks)}
    known = sorted(items, key=lambda item: (order[item["task"]], item["position"]))
    segments = {(item["task"], item["item"]): number for number, item in enumerate(known)}
    outputs = {
        (system, segments[item["task"], item["item"]]): candidate["text"]
        for item in known
        for candidate in item["candidates"]
        for system in candidate["systems"]
    }
    labels = tuple(DocumentLabel(item["domain"], item["document"]) for item in known)
    protocols = {name: protocol for task in tasks for name, protocol in task["protocols"].items()}
    newest = _select_newest(assessments)
    sets = {}
    for name in sorted(protocols):
        protocol, own = protocols[name], [row for row in newest if row["protocol"] == name]
        ratings = [
            _make_rating(row, segments) for row in own if row["shown"] is None and not row["presentation"]
        ]
        sets[name] = AssessmentSet(
            protocol["name"],
            tuple(ratings),
            len(known),
            outputs,
            labels,
            quality=measure_quality(ratings, _find_damaged(own, segments)),
            has_spans=bool(protocol["severities"]),
            states_scores=has_given_scores(protocol, ratings),
        )
    return sets


def _select_newest(rows: Iterable[Row]) -> list[Row]:
    """Return the newest version of each answer; of one that stood in time, the version of that moment."""
    newest: dict[tuple[Any, ...], Row] = {}
    stood: dict[tuple[Any, ...], Row] = {}
    for row in sorted(rows, key=lambda row: row["version"]):
        cell = tuple(row[key] for key in ("protocol", "task", "item", "system", "annotator", "presentation"))
        newest[cell] = row
        if row.get("in_time"):  # older bundles have imported answers only
            stood[cell] = row
    newest |= {cell: row for cell, row in stood.items() if not row["withdrawn"]}
    return [row for row in newest.values() if not row["withdrawn"]]


def _make_rating(row: Row, segments: Mapping[tuple[str, str], int]) -> OutputRating:
    spans = (
        MarkedSpan(severity, category, start, end, SpanSide(side), weight)
        for side, start, end, severity, category, weight in row["spans"]
    )
    segment = segments[row["task"], row["item"]]
    return OutputRating(row["annotator"], row["system"], segment, row["score"], tuple(spans))


def _find_damaged(rows: Iterable[Row], segments: Mapping[tuple[str, str], int]) -> dict[Cell, float | None]:
    return {
        (row["annotator"], row["system"], segments[row["task"], row["item"]]): row["score"]
        for row in rows
        if row["shown"] is not None
    }


def has_given_scores(protocol: Row, ratings: Iterable[OutputRating]) -> bool:
    """Whether answers have a score of their own: by the protocol, or by weights that a file states."""
    if protocol["scale"] is not None:
        return True
    return any(span.weight is not None for rating in ratings for span in rating.spans)


def measure_quality(
    ratings: Iterable[OutputRating], damaged: Mapping[Cell, float | None]
) -> dict[str, QualityControl]:
    """Compare each annotator's scores of outputs with those of their damaged copies."""
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for rating in ratings:
        score = damaged.get((rating.annotator, rating.system, rating.segment))
        if score is not None and rating.score is not None:
            pairs[rating.annotator].append((rating.score, score))
    return {
        name: check_quality([good for good, _ in both], [bad for _, bad in both])
        for name, both in pairs.items()
    }
