"""What an annotator may see of a passage whose translations are assessed: the page, and its data for scripts.

Like the pages of comparisons, it reveals no system, file name, database id or attention check.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext

from evaluation.annotate.forms import assessment_to_json
from evaluation.annotate.queries import Strip, TaskProgress, count_progress, list_sentences, make_strip
from evaluation.annotate.services.answers import Receipt
from evaluation.annotate.services.assessments import (
    NO_VALUE,
    CollectedValue,
    get_protocol,
    list_missing,
    load_collected,
)
from evaluation.annotate.services.passages import (
    ShownCandidate,
    ShownPassage,
    ShownUnit,
    load_passage,
    load_suggestions,
)
from evaluation.assessments import AssessmentProtocol
from evaluation.models import Assignment, ErrorSpan, Task
from evaluation.tokens import offsets
from evaluation.web import numeral, text_direction

SEVERITY_KEYS = "NMJK"
"""The keys of the severities in their order; the first two are those of minor and major."""


@dataclass(frozen=True, slots=True)
class PlainCandidate:
    """A candidate for the page without JavaScript: its text and a field for the score."""

    key: str
    letter: str
    text: str
    score: float | None
    version: int
    uuid: str


@dataclass(frozen=True, slots=True)
class PlainUnit:
    number: int
    source: str
    candidates: list[PlainCandidate]


@dataclass(frozen=True, slots=True)
class AssessPage:
    number: int
    position: str
    protocol: AssessmentProtocol
    units: list[PlainUnit]
    documents: list[PlainCandidate]
    data: dict[str, Any]  # Any: JSON
    answered: int
    total: int
    progress: TaskProgress
    strip: Strip


def build_assess_page(assignment: Assignment) -> AssessPage:
    """Return everything that the page shows; at most six queries."""
    task = assignment.task
    protocol = get_protocol(task, task.assessed_as)
    passage = load_passage(assignment)
    stored = load_collected(assignment, passage)
    suggestions = load_suggestions(assignment, passage.candidates)
    sentences = list_sentences(Assignment.objects.of(assignment.annotator_id, assignment.task_id))
    progress = count_progress(task, sentences)
    data = _page_data(assignment, protocol, passage, stored, suggestions)
    total = len(passage.candidates)
    return AssessPage(
        number=assignment.number,
        position=gettext("Sentence %(n)s of %(total)s")
        % {"n": numeral(f"{assignment.number:,}"), "total": numeral(f"{progress.total:,}")}
        if len(passage.units) == 1
        else gettext("Document %(n)s of %(total)s")
        % {"n": numeral(f"{assignment.number:,}"), "total": numeral(f"{progress.total:,}")},
        protocol=protocol,
        units=[
            PlainUnit(unit.number, unit.source, [_make_plain(each, stored) for each in unit.candidates])
            for unit in passage.units
        ],
        documents=[_make_plain(each, stored) for each in passage.documents],
        data=data,
        answered=total - len(list_missing(protocol, passage, stored)),
        total=total,
        progress=progress,
        strip=make_strip(sentences, assignment.number),
    )


def _make_plain(
    candidate: ShownCandidate, stored: Mapping[str, Receipt[CollectedValue | None]]
) -> PlainCandidate:
    receipt = stored.get(candidate.key)
    value = (receipt.value if receipt else None) or NO_VALUE
    version = receipt.version if receipt else 0
    return PlainCandidate(
        candidate.key, candidate.letter, candidate.text, value.score, version, str(uuid.uuid4())
    )


def _page_data(
    assignment: Assignment,
    protocol: AssessmentProtocol,
    passage: ShownPassage,
    stored: Mapping[str, Receipt[CollectedValue | None]],
    suggestions: Mapping[str, list[ErrorSpan]],
) -> dict[str, Any]:  # Any: JSON
    task = assignment.task

    def describe(candidate: ShownCandidate, differences: list[list[int]]) -> dict[str, Any]:
        receipt = stored.get(candidate.key)
        return {
            "output": candidate.key,
            "letter": candidate.letter,
            "text": candidate.text,
            "lang": task.target_language,
            "dir": text_direction(task.target_language),
            "version": receipt.version if receipt else 0,
            **assessment_to_json(receipt.value if receipt else None),
            "suggestions": [_describe_suggestion(row) for row in suggestions.get(candidate.key, ())],
            "differences": differences,
        }

    def describe_unit(unit: ShownUnit) -> dict[str, Any]:
        differences = _find_differences(task, unit)
        return {
            "number": unit.number,
            "source": unit.source,
            "source_lang": task.source_language,
            "source_dir": text_direction(task.source_language),
            "candidates": [describe(each, differences.get(each.key, [])) for each in unit.candidates],
        }

    return {
        "answer_url": reverse("assess_answer", args=[assignment.token]),
        "protocol": describe_protocol(protocol),
        "differences": task.mark_differences,
        "units": [describe_unit(unit) for unit in passage.units],
        "document_score": [describe(each, []) for each in passage.documents] or None,
    }


def _describe_suggestion(row: ErrorSpan) -> dict[str, Any]:  # Any: JSON
    return {
        "id": row.number + 1, "side": row.side, "start": row.start, "end": row.end,
        "severity": row.severity, "category": row.category,
    }  # fmt: skip


def describe_protocol(protocol: AssessmentProtocol) -> dict[str, Any]:  # Any: JSON
    """Return what a script has to know about a protocol, with the texts of the shipped ones translated."""
    scale = protocol.scale
    return {
        "name": gettext(protocol.title),
        "scale": scale
        and {
            "min": scale.lowest,
            "max": scale.highest,
            "step": scale.step,
            "anchors": [{"value": value, "text": gettext(text)} for value, text in scale.anchors],
        },
        "severities": [
            {"key": severity, "label": gettext(severity.capitalize()), "key_name": key}
            for severity, key in zip(protocol.severities, SEVERITY_KEYS, strict=False)
        ],
        "categories": [{"key": name, "label": name.capitalize()} for name in protocol.categories],
        "has_spans": protocol.has_spans,
        "has_omission": protocol.has_omissions,
        "has_source_errors": protocol.has_source_errors,
        "span_required_below": protocol.span_required_below,
    }


def _find_differences(task: Task, unit: ShownUnit) -> dict[str, list[list[int]]]:
    """Return where two candidates differ, as offsets by their key, if the task marks differences."""
    if not task.mark_differences or len(unit.candidates) != 2:
        return {}
    first, second = unit.candidates
    spans = [offsets(each.text, task.target_language) for each in (first, second)]
    words, others = (
        [each.text[start:end] for start, end in of_one]
        for each, of_one in zip((first, second), spans, strict=True)
    )
    marked: dict[str, list[list[int]]] = {first.key: [], second.key: []}
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    for tag, start, end, other_start, other_end in matcher.get_opcodes():
        if tag != "equal":
            if end > start:
                marked[first.key].append([spans[0][start][0], spans[0][end - 1][1]])
            if other_end > other_start:
                marked[second.key].append([spans[1][other_start][0], spans[1][other_end - 1][1]])
    return marked
