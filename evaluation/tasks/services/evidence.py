"""Store scores and error spans that were collected elsewhere, with the outputs that they are about.

Rows are written in short transactions. Evidence is visible only once its name is among the protocols of the
task, which is the last step; rows that an interrupted import has left are removed by the next attempt.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from django.db import transaction
from django.utils.translation import gettext_noop

from appraise.lib.digests import text_digest
from appraise.lib.problems import InputError, shorten
from evaluation.annotate.services.assessments import make_span
from evaluation.assessments import PublishedScores
from evaluation.importers.model import ImportedAssessment, ImportedEvidence
from evaluation.models import (
    Annotator,
    Assessment,
    AuditEntry,
    Candidate,
    ErrorSpan,
    Output,
    ScoreSet,
    System,
    Task,
    User,
)

AT_ONCE = 500  # assessments in one transaction
STORING = gettext_noop("Storing scores and error spans.")
Report = Callable[[int, int, str], None]


@dataclass(slots=True)
class StoredEvidence:
    """What an import of evidence has created."""

    protocols: list[str] = field(default_factory=list)
    assessments: int = 0
    spans: int = 0
    score_sets: int = 0


def store_evidence(
    task: Task, evidence: ImportedEvidence, *, by: User | None = None, report: Report | None = None
) -> StoredEvidence:
    """Store the evidence of a set whose texts the task has; all or nothing."""
    summary = StoredEvidence(sorted(evidence.protocols))
    if is_stored(task, evidence):  # by an import that was interrupted right after its last step
        return summary
    _remove_assessments(task, evidence.protocols)
    try:
        writer = AssessmentWriter(task)
        assessments = evidence.assessments()
        while chunk := list(islice(assessments, AT_ONCE)):
            with transaction.atomic():
                summary.spans += writer.add(chunk)
            summary.assessments += len(chunk)
            if report:
                report(summary.assessments, summary.assessments, STORING)
        with transaction.atomic():
            summary.score_sets = _store_scores(task, evidence.scores())
            _publish(task, evidence)
            AuditEntry.objects.record(
                by, "import evidence", task,
                {"protocols": summary.protocols, "assessments": summary.assessments},
            )  # fmt: skip
    except BaseException:
        _remove_assessments(task, evidence.protocols)
        raise
    return summary


def is_stored(task: Task, evidence: ImportedEvidence) -> bool:
    """Whether the task has exactly this evidence."""
    if not evidence.protocols:
        return ScoreSet.objects.filter(task=task).exists()
    known = [task.protocols.get(name, {}).get("digest") for name in evidence.protocols]
    return all(digest == evidence.digest for digest in known)


def _publish(task: Task, evidence: ImportedEvidence) -> None:
    """Make the evidence visible."""
    newest = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    newest.protocols |= {
        name: {**protocol.to_json(), "digest": evidence.digest}
        for name, protocol in evidence.protocols.items()
    }
    newest.reference_names = newest.reference_names or list(evidence.references)
    newest.save(update_fields=["protocols", "reference_names"])
    System.objects.filter(task=task, name__in=evidence.references).update(is_reference=True)
    task.protocols, task.reference_names = newest.protocols, newest.reference_names


def _remove_assessments(task: Task, names: Iterable[str]) -> None:
    """Delete rows of evidence that is not visible; visible rows are never deleted."""
    hidden = [name for name in names if name not in task.protocols]
    left = Assessment.objects.filter(output__item__task=task, protocol__in=hidden)
    while some := list(left.values_list("pk", flat=True)[:AT_ONCE]):
        Assessment.objects.filter(pk__in=some).delete()


class AssessmentWriter:
    """Writes assessments of the outputs of a task; each name in a file is an annotator without an account."""

    def __init__(self, task: Task) -> None:
        self.task = task
        outputs = Output.objects.filter(item__task=task).values_list(
            "system__name", "item__key", "pk", "item_id"
        )
        self.outputs = {(system, key): (pk, item) for system, key, pk, item in outputs}
        self._people: dict[tuple[str, str], Annotator] = {}

    def add(self, chunk: Sequence[ImportedAssessment]) -> int:
        """Store some assessments; returns the number of their spans."""
        shown = self._store_shown_texts(chunk)
        rows = Assessment.objects.bulk_create(
            Assessment(
                uuid=uuid.uuid4(),
                annotator_id=self._find_annotator(row.protocol, row.rating.annotator).pk,
                output_id=self._find_output(row)[0],
                protocol=row.protocol,
                presentation=row.presentation,
                version=row.version,
                score=row.rating.score,
                shown_id=shown.get(number),
                origin=row.origin,
            )
            for number, row in enumerate(chunk)
        )
        spans = [
            make_span(assessment, number, span)
            for assessment, row in zip(rows, chunk, strict=True)
            for number, span in enumerate(row.rating.spans)
        ]
        ErrorSpan.objects.bulk_create(spans)
        return len(spans)

    def _find_output(self, row: ImportedAssessment) -> tuple[int, int]:
        """Return the ids of the output and of its item."""
        output = self.outputs.get((row.rating.system, row.item))
        if output is None:
            message = (
                f"the task has no output of {shorten(row.rating.system)!r} for the item {shorten(row.item)!r}"
            )
            raise InputError.of("unknown_output", message, "add evidence to the task of the same texts")
        return output

    def _find_annotator(self, protocol: str, name: str) -> Annotator:
        """Return the annotator of this name, the same in every task of the campaign for one protocol."""
        if (protocol, name) not in self._people:
            key = text_digest("imported", self.task.campaign.key, protocol, name)
            self._people[protocol, name] = Annotator.objects.get_or_create(
                key=key, defaults={"label": name[:120]}
            )[0]
        return self._people[protocol, name]

    def _store_shown_texts(self, chunk: Sequence[ImportedAssessment]) -> dict[int, int]:
        """Store the damaged texts; returns their candidates by the number of the assessment."""
        texts = {
            number: (self._find_output(row)[1], row.shown)
            for number, row in enumerate(chunk)
            if row.shown is not None
        }
        if not texts:
            return {}
        wanted = {(item, text_digest(text)): text for item, text in texts.values()}
        known = Candidate.objects.filter(item__in={item for item, _ in wanted})
        stored = {(row.item_id, row.digest): row.pk for row in known}
        made = Candidate.objects.bulk_create(
            Candidate(item_id=item, text=text, digest=digest)
            for (item, digest), text in wanted.items()
            if (item, digest) not in stored
        )
        stored |= {(row.item_id, row.digest): row.pk for row in made}
        return {number: stored[item, text_digest(text)] for number, (item, text) in texts.items()}


def _store_scores(task: Task, scores: Iterator[PublishedScores]) -> int:
    rows = [
        ScoreSet(
            task=task,
            name=each.name,
            reference=each.reference,
            level=each.level.value,
            groups=list(each.groups),
            # As text: PostgreSQL has no −0 among JSON numbers, and published scores have.
            values={
                system: [None if value is None else repr(value) for value in values]
                for system, values in each.values.items()
            },
        )
        for each in scores
    ]
    ScoreSet.objects.bulk_create(rows)
    return len(rows)
