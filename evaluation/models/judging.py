"""What is asked and what was answered.

A ``PhrasePair`` is two different texts; an ``Occurrence`` is a place where they stand. Each pair is owned
by one comparison and asked only there. A ``Slot`` is a seat at a comparison, made at import, so that two
people can never take the same one. A ``Ranking`` is never changed: a correction is a further version, a
withdrawn answer a version without a choice.
"""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from evaluation.models.items import Alignment, Comparison, Item
from evaluation.models.people import Annotator, User
from evaluation.models.tasks import Task
from evaluation.schemes import Choice

MOST_PRESENTATIONS = 32  # of one pair to one person; reports read five bits (``reports.judgements.said``)


def random_token() -> str:
    return secrets.token_urlsafe(12)


class PhrasePair(models.Model):
    class Kind(models.TextChoices):
        DIFFERENT = "different", "two wordings"
        ONE_SIDED = "one_sided", "words on one side only"
        MOVED = "moved", "the same words in another place"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="pairs")
    item = models.ForeignKey(
        Item,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="pairs",
        help_text="Empty where pairs are merged over the whole task.",
    )
    first = models.TextField(blank=True)
    second = models.TextField(blank=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    key = models.CharField(
        max_length=32, help_text="Digest of the texts and of what they may be merged with."
    )
    owner = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="owned_pairs")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "key"], name="pair_once_per_scope"),
        ]

    def __str__(self) -> str:
        return f"{self.first or 'ε'} / {self.second or 'ε'}"


class Occurrence(models.Model):
    """Phrase number ``index`` of an alignment is this pair, with its texts exchanged where ``flipped``."""

    pair = models.ForeignKey(PhrasePair, on_delete=models.CASCADE, related_name="occurrences")
    alignment = models.ForeignKey(Alignment, on_delete=models.CASCADE, related_name="occurrences")
    index = models.PositiveIntegerField()
    flipped = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["alignment", "index"], name="occurrence_once_per_phrase"),
        ]

    def __str__(self) -> str:
        return f"phrase {self.index} of alignment {self.alignment_id}"


class SlotQuerySet(models.QuerySet["Slot"]):
    def free(self, now: datetime | None = None) -> SlotQuerySet:
        """Seats that nobody holds, or whose lease has run out."""
        left = Q(state=Slot.State.TAKEN, lease_until__lt=now or timezone.now())
        return self.filter(Q(state=Slot.State.FREE) | left)


class Slot(models.Model):
    """A seat at a comparison: the k-th person, the n-th time they see it."""

    class State(models.TextChoices):
        FREE = "free", "free"
        TAKEN = "taken", "being worked on"
        DONE = "done", "finished"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="slots")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="slots")
    k = models.PositiveSmallIntegerField()
    presentation = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField(help_text="The order in which seats are given out.")
    state = models.CharField(max_length=5, choices=State.choices, default=State.FREE)
    annotator = models.ForeignKey(
        Annotator, null=True, blank=True, on_delete=models.PROTECT, related_name="slots"
    )
    lease_until = models.DateTimeField(null=True, blank=True)

    objects = SlotQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "k", "presentation"], name="slot_seat_once"),
            models.UniqueConstraint(
                fields=["comparison", "annotator", "presentation"], name="slot_once_per_annotator"
            ),
            models.CheckConstraint(
                condition=Q(state="free", annotator__isnull=True)
                | ~Q(state="free") & Q(annotator__isnull=False),
                name="slot_free_or_somebodys",
            ),
        ]
        indexes = [
            models.Index(fields=["task", "state", "position", "k"], name="slot_in_order"),
            models.Index(fields=["annotator", "task", "position"], name="slot_by_annotator"),
        ]

    def __str__(self) -> str:
        return f"seat {self.k} of comparison {self.comparison_id}"


class Assignment(models.Model):
    """A comparison as it was given to one annotator. ``token`` is all that the browser learns of it. It
    outlives the seat: an answer that arrives after the lease ran out is still stored.
    """

    token = models.CharField(max_length=32, unique=True, default=random_token, editable=False)
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="assignments")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="assignments")
    presentation = models.PositiveSmallIntegerField(default=0)
    alignment = models.ForeignKey(Alignment, on_delete=models.PROTECT, related_name="assignments")
    number = models.PositiveIntegerField(help_text="The annotator's n-th sentence in this task.")
    swapped = models.BooleanField(
        help_text="Whether the second candidate is shown as A; fixed when the seat is taken."
    )
    opened_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    active_ms = models.PositiveIntegerField(default=0, help_text="Summed over its answers when finished.")
    skip_reason = models.CharField(max_length=300, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "comparison", "presentation"], name="assignment_once"
            ),
        ]
        indexes = [models.Index(fields=["annotator", "task", "number"], name="assignment_in_order")]

    def __str__(self) -> str:
        return f"comparison {self.comparison_id} as given to {self.annotator_id}"

    def get_absolute_url(self) -> str:
        return reverse("annotate", args=[self.token])

    @property
    def is_unsettled(self) -> bool:
        """Whether its last answer still ends it: open, or put aside without all of its answers."""
        return self.finished_at is None or self.skip_reason != ""

    @property
    def is_by_place(self) -> bool:
        """Whether all candidates of the sentence are judged together."""
        return self.task.judging == Task.Judging.PLACES and bool(self.comparison.item.places)


class Ranking(models.Model):
    """One answer; rows are only ever appended. The choice is relative to the pair as stored, not as shown."""

    uuid = models.UUIDField(unique=True, help_text="Made by the browser: a repeated request is one answer.")
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="rankings")
    pair = models.ForeignKey(PhrasePair, on_delete=models.CASCADE, related_name="rankings")
    presentation = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField()
    # NULL is a withdrawn answer: not an empty label, no judgement at all.
    choice = models.CharField(max_length=4, null=True, blank=True)  # noqa: DJ001
    slot = models.ForeignKey(
        Slot,
        null=True,
        blank=True,
        on_delete=models.SET_NULL,
        related_name="rankings",
        help_text="Empty for a surplus answer, which came after the seat was given away.",
    )
    alignment = models.ForeignKey(Alignment, null=True, on_delete=models.SET_NULL, related_name="+")
    swapped = models.BooleanField(
        default=False, help_text="Whether the pair's second text stood on the left, as A."
    )
    active_ms = models.PositiveIntegerField(null=True, blank=True, help_text="Idle time left out.")
    elapsed_ms = models.PositiveIntegerField(null=True, blank=True, help_text="As the browser's clock ran.")
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "pair", "presentation", "version"], name="ranking_version_once"
            ),
            models.CheckConstraint(
                condition=Q(choice__isnull=True) | Q(choice__in=[c.value for c in Choice]),
                name="ranking_choice_known",
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="ranking_version_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.choice or 'withdrawn'} on pair {self.pair_id}"


class SentenceAnswer(models.Model):
    """An answer about whole candidates: a verdict, a rating of each, or a comment. Append-only too."""

    class Question(models.TextChoices):
        VERDICT = "verdict", "which sentence is better"
        RATING_FIRST = "rating_first", "rating of the first candidate"
        RATING_SECOND = "rating_second", "rating of the second candidate"
        COMMENT = "comment", "free comment"

    uuid = models.UUIDField(unique=True)
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="sentence_answers")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="sentence_answers")
    slot = models.ForeignKey(
        Slot, null=True, blank=True, on_delete=models.SET_NULL, related_name="sentence_answers"
    )
    presentation = models.PositiveSmallIntegerField(default=0)
    question = models.CharField(max_length=16, choices=Question.choices)
    version = models.PositiveIntegerField()
    value = models.TextField(blank=True, help_text="Empty for a withdrawn answer.")
    swapped = models.BooleanField(default=False)
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["annotator", "comparison", "presentation", "question", "version"],
                name="sentence_answer_version_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.question} on comparison {self.comparison_id}"


class AlignmentReport(models.Model):
    """An annotator's report that a pair is aligned wrongly; waits in the queue of the alignment editor."""

    class Reason(models.TextChoices):
        UNRELATED = "unrelated", "the phrases do not belong together"
        CUT = "cut", "the phrase is cut in the wrong place"
        NOT_MOVED = "not_moved", "marked as moved, but it is not"

    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="alignment_reports")
    pair = models.ForeignKey(PhrasePair, on_delete=models.CASCADE, related_name="reports")
    alignment = models.ForeignKey(Alignment, on_delete=models.CASCADE, related_name="reports")
    reason = models.CharField(max_length=12, choices=Reason.choices)
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "pair", "alignment"], name="alignment_report_once"),
        ]

    def __str__(self) -> str:
        return f"{self.reason} on pair {self.pair_id}"
