"""Append assessments: like rankings, an answer is never changed but followed by a further version."""

from __future__ import annotations

import uuid as uuids
from collections.abc import Sequence

from django.db import IntegrityError, transaction

from evaluation.annotate.services.answers import InvalidAnswer, Receipt, ReusedId, StaleAnswer
from evaluation.assessments import AssessmentProtocol, MarkedSpan, SpanSide
from evaluation.assessments.protocols import read_protocol
from evaluation.models import Assessment, ErrorSpan, Task

AssessmentValue = tuple[float | None, tuple[MarkedSpan, ...]]


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
    check_assessment(answer, score, spans)
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


def make_span(assessment: Assessment, number: int, span: MarkedSpan) -> ErrorSpan:
    """Return the row of an error."""
    return ErrorSpan(
        assessment=assessment,
        number=number,
        side=span.side.value,
        start=span.start,
        end=span.end,
        severity=span.severity,
        category=span.category,
        details={} if span.weight is None else {"weight": span.weight},
    )


def get_protocol(task: Task, name: str) -> AssessmentProtocol:
    """Return the protocol as it was fixed when the task got it."""
    return read_protocol({key: value for key, value in task.protocols[name].items() if key != "digest"})


def check_assessment(answer: Assessment, score: float | None, spans: Sequence[MarkedSpan]) -> None:
    """Raise ``InvalidAnswer`` for a score or an error that the protocol does not offer."""
    item = answer.output.item
    protocol = get_protocol(item.task, answer.protocol)
    if score is not None and (protocol.scale is None or score not in protocol.scale):
        raise InvalidAnswer(f"{protocol.name} has no score {score}")
    shown = answer.shown or answer.output.candidate
    for span in spans:
        text = item.source if span.side is SpanSide.SOURCE else shown.text
        if not protocol.has_spans or span.severity.casefold() not in protocol.severities:
            raise InvalidAnswer(f"{protocol.name} has no severity {span.severity!r}")
        if span.end is not None and span.end > len(text):
            raise InvalidAnswer(f"the error goes to {span.end}, the text has {len(text)} characters")


def _read_value(stored: Assessment) -> AssessmentValue:
    spans = (
        MarkedSpan(
            row.severity, row.category, row.start, row.end, SpanSide(row.side), row.details.get("weight")
        )
        for row in stored.spans.order_by("number")
    )
    return stored.score, tuple(spans)
