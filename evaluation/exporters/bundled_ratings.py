"""The scores and error spans of a bundle as sets, from which its tables are computed again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from evaluation.assessments import DocumentLabel, MarkedSpan, OutputRating, SpanSide
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
            quality=_check_quality(ratings, [row for row in own if row["shown"] is not None], segments),
            has_spans=bool(protocol["severities"]),
            states_scores=protocol["scale"] is not None,
        )
    return sets


def _select_newest(rows: Iterable[Row]) -> list[Row]:
    newest: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        cell = tuple(row[key] for key in ("protocol", "task", "item", "system", "annotator", "presentation"))
        if cell not in newest or row["version"] > newest[cell]["version"]:
            newest[cell] = row
    return [row for row in newest.values() if not row["withdrawn"]]


def _make_rating(row: Row, segments: Mapping[tuple[str, str], int]) -> OutputRating:
    spans = (
        MarkedSpan(severity, category, start, end, SpanSide(side), weight)
        for side, start, end, severity, category, weight in row["spans"]
    )
    segment = segments[row["task"], row["item"]]
    return OutputRating(row["annotator"], row["system"], segment, row["score"], tuple(spans))


def _check_quality(
    ratings: Sequence[OutputRating], checks: Sequence[Row], segments: Mapping[tuple[str, str], int]
) -> dict[str, Any]:
    bad = {
        (row["annotator"], row["system"], segments[row["task"], row["item"]]): row["score"] for row in checks
    }
    pairs: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for rating in ratings:
        damaged = bad.get((rating.annotator, rating.system, rating.segment))
        if damaged is not None and rating.score is not None:
            pairs[rating.annotator].append((rating.score, damaged))
    return {
        name: check_quality([good for good, _ in both], [damaged for _, damaged in both])
        for name, both in pairs.items()
    }
