"""Append assessments: like rankings, an answer is never changed but followed by a further version.

What an annotator says about one translation on the page, its score and all its errors, is one answer. It is
stored once for each output that has this text. An answer without the score that its protocol asks for is
stored as well, so that nothing is lost, but counts as withdrawn until the score is there.
"""

from __future__ import annotations

import uuid as uuids
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from evaluation.annotate.services.answers import (
    InvalidAnswer,
    Receipt,
    ReusedId,
    StaleAnswer,
    StoredVersion,
    append_answer,
)
from evaluation.annotate.services.assignments import end_assignment, reopen_assignment
from evaluation.annotate.services.passages import ShownCandidate, ShownPassage, load_suggestions
from evaluation.assessments import AssessmentProtocol, MarkedSpan, SpanSide
from evaluation.assessments.protocols import read_protocol
from evaluation.models import Assessment, Assignment, ErrorSpan, Slot, Task

MOST_SPANS = 500  # of one answer; more are considered a mistake
AssessmentValue = tuple[float | None, tuple[MarkedSpan, ...]]


class CollectedSpan(NamedTuple):
    """An error as the page sends it; ``suggestion`` counts the suggested errors of the candidate from 1."""

    span: MarkedSpan
    suggestion: int | None = None


class CollectedValue(NamedTuple):
    """Score and errors of one candidate."""

    score: float | None
    spans: tuple[CollectedSpan, ...] = ()


NO_VALUE = CollectedValue(None)


@dataclass(frozen=True, slots=True)
class AssessmentSubmission:
    """An answer as sent by a browser; ``key`` names the candidate on the page."""

    key: str
    uuid: uuids.UUID
    value: CollectedValue
    base: int | None
    active_ms: int | None = None
    elapsed_ms: int | None = None


# --- answers that are collected -------------------------------------------------------------------------


def submit_assessment(
    assignment: Assignment,
    passage: ShownPassage,
    submission: AssessmentSubmission,
    *,
    received_at: datetime | None = None,
) -> Receipt[CollectedValue | None]:
    """Append an answer about one candidate of a passage; a repeated request gets the receipt of the first."""
    candidate = passage.find(submission.key)
    history = _AssessmentHistory(assignment, candidate, submission, received_at)
    _check_collected(history.protocol, candidate, submission.value)
    return append_answer(assignment, history, submission.value, uuid=submission.uuid, base=submission.base)


class _AssessmentHistory:
    """``blank`` is no answer. Under a protocol without scores, no errors are an answer of their own."""

    def __init__(
        self,
        assignment: Assignment,
        candidate: ShownCandidate,
        submission: AssessmentSubmission,
        received_at: datetime | None = None,
    ) -> None:
        self.assignment, self.candidate, self.submission = assignment, candidate, submission
        self.received_at = received_at
        self.name = assignment.task.collected_names[candidate.is_document]
        self.protocol = get_protocol(assignment.task, self.name)

    @property
    def blank(self) -> CollectedValue | None:
        return NO_VALUE if self.protocol.scale else None

    def versions(self) -> list[StoredVersion[CollectedValue | None]]:
        """Return the newest version and those with this UUID; an answer may have a hundred."""
        query = Assessment.objects.filter(
            annotator=self.assignment.annotator_id,
            output=self.candidate.outputs[0].pk,
            protocol=self.name,
            presentation=self.assignment.presentation,
        ).values_list("pk", "version", "uuid", "score")
        kept = list(query.order_by("-version")[:1])
        if kept and kept[0][1] != self.submission.base:  # a repeated request, or another window's answer
            rows = query.order_by("version")
            kept = [row for row in rows if row[0] == kept[0][0] or row[2] == self.submission.uuid]
        spans = _load_spans([pk for pk, *_ in kept])
        versions: list[StoredVersion[CollectedValue | None]] = [StoredVersion(0, self.blank)]
        for pk, version, uuid, score in kept:
            value = CollectedValue(score, tuple(spans[pk]))
            versions.append(StoredVersion(version, value, uuid == self.submission.uuid))
        return versions

    def append(self, version: int, slot: Slot | None) -> None:
        submission, value = self.submission, self.submission.value
        is_partial = self.protocol.scale is not None and value.score is None
        rows = Assessment.objects.bulk_create(
            Assessment(
                # Derived from the first, so that a repeated request finds all of them.
                uuid=uuids.uuid5(submission.uuid, str(number)) if number else submission.uuid,
                annotator_id=self.assignment.annotator_id,
                output_id=output.pk,
                protocol=self.name,
                presentation=self.assignment.presentation,
                version=version,
                score=value.score,
                is_withdrawn=is_partial,
                shown_id=output.shown,
                slot=slot,
                # Once, because the time was spent once.
                active_ms=None if number else submission.active_ms,
                elapsed_ms=None if number else submission.elapsed_ms,
                received_at=self.received_at or timezone.now(),
            )
            for number, output in enumerate(self.candidate.outputs)
        )
        if value.spans:
            suggested = self._find_suggestions()
            ErrorSpan.objects.bulk_create(
                make_span(row, number, each.span, suggested.get(each.suggestion or 0))
                for row in rows
                for number, each in enumerate(value.spans)
            )
        if is_partial:
            reopen_assignment(self.assignment)

    def _find_suggestions(self) -> dict[int, int]:
        """Return the ids of the suggested errors by their number on the page."""
        if not any(each.suggestion for each in self.submission.value.spans):
            return {}
        rows = load_suggestions(self.assignment, [self.candidate]).get(self.candidate.key, ())
        return {row.number + 1: row.pk for row in rows}


def load_collected(
    assignment: Assignment, passage: ShownPassage
) -> dict[str, Receipt[CollectedValue | None]]:
    """Return the newest answers of the annotator by the key of their candidate; two queries."""
    keys = {
        (output.pk, assignment.task.collected_names[candidate.is_document]): candidate.key
        for candidate in passage.candidates
        for output in candidate.outputs[:1]
    }
    rows = Assessment.objects.given_by(assignment).order_by("version")
    newest: dict[str, Assessment] = {}
    for row in rows:
        key = keys.get((row.output_id, row.protocol))
        if key is not None:
            newest[key] = row
    spans = _load_spans([row.pk for row in newest.values()])
    return {
        key: Receipt(row.version, CollectedValue(row.score, tuple(spans[row.pk])))
        for key, row in newest.items()
    }


def _load_spans(assessments: Collection[int]) -> dict[int, list[CollectedSpan]]:
    """Return the errors of some answers by their id; one query. Columns only, which costs half as much."""
    found: dict[int, list[CollectedSpan]] = defaultdict(list)
    rows = ErrorSpan.objects.filter(assessment__in=assessments).order_by("number")
    columns = "assessment", "severity", "category", "start", "end", "side", "suggestion__number"
    for pk, severity, category, start, end, side, suggestion in rows.values_list(*columns):
        span = MarkedSpan(severity, category, start, end, SpanSide(side))
        found[pk].append(CollectedSpan(span, None if suggestion is None else suggestion + 1))
    return found


def finish_passage(assignment: Assignment, passage: ShownPassage) -> list[str]:
    """End an assignment if every candidate is answered; returns the keys of those that are not.

    Under a protocol without scores, a candidate without errors needs no answer of its own: going on says that
    there are none.
    """
    name = assignment.task.collected_names[0]
    protocol = get_protocol(assignment.task, name)
    with transaction.atomic():
        stored = load_collected(assignment, passage)
        if protocol.scale is None:
            for candidate in passage.candidates:
                if candidate.key not in stored and not candidate.is_document:
                    submission = AssessmentSubmission(candidate.key, uuids.uuid4(), NO_VALUE, 0)
                    stored[candidate.key] = submit_assessment(assignment, passage, submission)
        missing = list_missing(protocol, passage, stored)
        if not missing:
            end_assignment(assignment)
    return missing


def list_missing(
    protocol: AssessmentProtocol,
    passage: ShownPassage,
    stored: dict[str, Receipt[CollectedValue | None]],
) -> list[str]:
    """Return the keys of the candidates without a whole answer."""
    missing = []
    for candidate in passage.candidates:
        receipt = stored.get(candidate.key)
        value = receipt.value if receipt else None
        if (
            value is None
            or (value.score is None and (protocol.scale is not None or candidate.is_document))
            or (not candidate.is_document and protocol.requires_span(value.score) and not value.spans)
        ):
            missing.append(candidate.key)
    return missing


def _check_collected(protocol: AssessmentProtocol, candidate: ShownCandidate, value: CollectedValue) -> None:
    """Raise ``InvalidAnswer`` for what the page does not offer."""
    if len(value.spans) > MOST_SPANS:
        raise InvalidAnswer(f"there are more than {MOST_SPANS} errors")
    check_answer(protocol, candidate.source, candidate.text, value.score, [each.span for each in value.spans])
    for each in value.spans:
        span = each.span
        if span.start is not None and span.start == span.end:
            raise InvalidAnswer("an error has at least one character")
        if span.is_omission and not protocol.has_omissions:
            raise InvalidAnswer(f"{protocol.name} has no omissions")
        if span.side is SpanSide.SOURCE and not protocol.has_source_errors:
            raise InvalidAnswer(f"{protocol.name} has no errors in the source")
        if span.category and span.category not in protocol.categories:
            raise InvalidAnswer(f"{protocol.name} has no category {span.category!r}")


def _make_marked(row: ErrorSpan) -> MarkedSpan:
    return MarkedSpan(
        row.severity, row.category, row.start, row.end, SpanSide(row.side), row.details.get("weight")
    )


# --- corrections of any answer --------------------------------------------------------------------------


def append_assessment(
    answer: Assessment,
    *,
    score: float | None,
    spans: Sequence[MarkedSpan],
    uuid: uuids.UUID,
    base: int,
) -> Receipt[AssessmentValue]:
    """Append a version to an answer that is stored; a repeated request gets the receipt of the first.

    Raises ``StaleAnswer`` if ``base`` is not the newest version, and ``InvalidAnswer`` for what the protocol
    does not offer and for offsets outside the text. Of two concurrent requests the database refuses one.
    """
    item = answer.output.item
    text = (answer.shown or answer.output.candidate).text
    check_answer(get_protocol(item.task, answer.protocol), item.source, text, score, spans)
    try:
        return _append(answer, score, spans, uuid, base)
    except IntegrityError:
        pass
    try:
        return _append(answer, score, spans, uuid, base)
    except IntegrityError as error:
        raise ReusedId(str(uuid)) from error


def _append(
    answer: Assessment, score: float | None, spans: Sequence[MarkedSpan], uuid: uuids.UUID, base: int
) -> Receipt[AssessmentValue]:
    value: AssessmentValue = (score, tuple(spans))
    cell = {name: getattr(answer, name) for name in ("annotator_id", "output_id", "protocol", "presentation")}
    with transaction.atomic():
        versions = Assessment.objects.filter(**cell).order_by("version")
        for stored in versions:
            if stored.uuid == uuid:
                return Receipt(stored.version, _read_value(stored))
        newest = versions[len(versions) - 1]
        if newest.version != base:
            raise StaleAnswer(Receipt(newest.version, _read_value(newest)))
        row = Assessment.objects.create(
            **cell, uuid=uuid, version=newest.version + 1, score=score, shown_id=answer.shown_id
        )
        ErrorSpan.objects.bulk_create(make_span(row, number, span) for number, span in enumerate(spans))
    return Receipt(row.version, value)


def make_span(
    assessment: Assessment, number: int, span: MarkedSpan, suggestion: int | None = None
) -> ErrorSpan:
    """Return the row of an error."""
    return ErrorSpan(
        assessment=assessment,
        number=number,
        side=span.side.value,
        start=span.start,
        end=span.end,
        severity=span.severity,
        category=span.category,
        suggestion_id=suggestion,
        details={} if span.weight is None else {"weight": span.weight},
    )


def get_protocol(task: Task, name: str) -> AssessmentProtocol:
    """Return the protocol as it was fixed when the task got it."""
    return read_protocol({key: value for key, value in task.protocols[name].items() if key != "digest"})


def check_answer(
    protocol: AssessmentProtocol, source: str, target: str, score: float | None, spans: Iterable[MarkedSpan]
) -> None:
    """Raise ``InvalidAnswer`` for a score or an error that the protocol does not offer."""
    if score is not None and (protocol.scale is None or score not in protocol.scale):
        raise InvalidAnswer(f"{protocol.name} has no score {score}")
    for span in spans:
        text = source if span.side is SpanSide.SOURCE else target
        if not protocol.has_spans or span.severity.casefold() not in protocol.severities:
            raise InvalidAnswer(f"{protocol.name} has no severity {span.severity!r}")
        if span.end is not None and span.end > len(text):
            raise InvalidAnswer(f"the error goes to {span.end}, the text has {len(text)} characters")


def _read_value(stored: Assessment) -> AssessmentValue:
    return stored.score, tuple(map(_make_marked, stored.spans.order_by("number")))
