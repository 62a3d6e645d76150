"""What is asked, and who is asked.

A ``PhrasePair`` is two different texts; an ``Occurrence`` is a question of an alignment with these texts.
Each pair is owned by one comparison and asked only there. A ``Slot`` is the right of one annotator to judge a
comparison; slots are created at import, and claiming one is a conditional update, so no slot is given to two
people. An ``Assignment`` is a slot that was given to an annotator.
"""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from evaluation.models.items import Alignment, Comparison, Item
from evaluation.models.people import Annotator, User
from evaluation.models.tasks import Task

MOST_PRESENTATIONS = 32  # of one pair to one annotator; more in a file are considered a mistake


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


class OccurrenceQuerySet(models.QuerySet["Occurrence"]):
    def asked_by(self, assignment: Assignment) -> OccurrenceQuerySet:
        """The questions of an assignment: phrases whose pair is owned by its comparison."""
        return self.filter(alignment=assignment.alignment_id, pair__owner=assignment.comparison_id)


class Occurrence(models.Model):
    """A question of an alignment has the texts of this pair, exchanged if ``flipped``.

    ``index`` is the number of its first phrase.
    """

    pair = models.ForeignKey(PhrasePair, on_delete=models.CASCADE, related_name="occurrences")
    alignment = models.ForeignKey(Alignment, on_delete=models.CASCADE, related_name="occurrences")
    index = models.PositiveIntegerField()
    flipped = models.BooleanField(default=False)

    objects = OccurrenceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["alignment", "index"], name="occurrence_once_per_phrase"),
        ]

    def __str__(self) -> str:
        return f"phrase {self.index} of alignment {self.alignment_id}"


class SlotQuerySet(models.QuerySet["Slot"]):
    def unclaimed(self) -> SlotQuerySet:
        return self.filter(state=Slot.State.FREE)

    def expired(self, now: datetime | None = None) -> SlotQuerySet:
        """Claimed slots whose lease has expired."""
        return self.filter(state=Slot.State.TAKEN, lease_until__lt=now or timezone.now())

    def free(self, now: datetime | None = None) -> SlotQuerySet:
        """Slots that can be claimed: unclaimed or expired."""
        return self.unclaimed() | self.expired(now)

    def of(self, assignment: Assignment) -> SlotQuerySet:
        """All slots of the same comparison and presentation."""
        return self.filter(comparison=assignment.comparison_id, presentation=assignment.presentation)

    def held_by(self, assignment: Assignment) -> SlotQuerySet:
        return self.filter(
            comparison=assignment.comparison_id,
            presentation=assignment.presentation,
            annotator=assignment.annotator_id,
        )

    def open_to(self, repeatable: AssignmentQuerySet, annotator: Annotator) -> SlotQuerySet:
        """Slots that this annotator may claim.

        Each comparison and presentation is judged once, and a repeat only where the presentation before is
        among the ``repeatable`` assignments.
        """
        here = {"comparison": OuterRef("comparison")}
        seen = Assignment.objects.filter(annotator=annotator, presentation=OuterRef("presentation"), **here)
        seen_before = repeatable.filter(presentation=OuterRef("presentation") - 1, **here)
        return self.filter(Q(presentation=0) | Exists(seen_before)).exclude(Exists(seen))

    def left_for(self, annotator: Annotator | None) -> SlotQuerySet:
        """Free slots that this annotator may claim now or later; None for somebody who is new.

        Unlike ``open_to``, with repeats of comparisons that are still to come.
        """
        own = Assignment.objects.filter(annotator=annotator, comparison=OuterRef("comparison"))
        before = OuterRef("presentation") - 1
        first = Slot.objects.free().filter(comparison=OuterRef("comparison"), presentation=before)
        can_be_seen_before = Exists(own.filter(presentation=before)) | Exists(first)
        left = self.free().filter(Q(presentation=0) | can_be_seen_before)
        return left.exclude(Exists(own.filter(presentation=OuterRef("presentation"))))

    def count_comparisons(self) -> list[tuple[int, int, int]]:
        """Return for each task its id, its comparisons with repeats, and the slots that are no repeats."""
        shown = F("comparison") * MOST_PRESENTATIONS + F("presentation")
        return list(
            self.order_by()
            .values_list("task")
            .annotate(n=Count(shown, distinct=True), new=Count("pk", filter=Q(presentation=0)))
        )

    def take(self, annotator: int, until: datetime) -> int:
        """Give the slots that are still free to an annotator; returns how many."""
        return self.free().update(state=Slot.State.TAKEN, annotator_id=annotator, lease_until=until)


class Slot(models.Model):
    """The right to judge a comparison: the k-th annotator, at the n-th presentation."""

    class State(models.TextChoices):
        FREE = "free", "free"
        TAKEN = "taken", "being worked on"
        DONE = "done", "finished"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="slots")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="slots")
    k = models.PositiveSmallIntegerField()
    presentation = models.PositiveSmallIntegerField(default=0)
    position = models.PositiveIntegerField(help_text="The order in which slots are claimed.")
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
        return f"slot {self.k} of comparison {self.comparison_id}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def for_answering(self) -> AssignmentQuerySet:
        """Load only the columns that storing an answer needs, the most frequent request of the site."""
        return self.select_related("task", "annotator").only(
            "annotator__user", "comparison", "presentation", "alignment", "swapped", "finished_at",
            "task__scheme_name", "task__state", "task__judging", "task__lease_minutes",
        )  # fmt: skip

    def of(self, annotator: Annotator | int, task: Task | int) -> AssignmentQuerySet:
        return self.filter(annotator=annotator, task=task)

    def unfinished(self) -> AssignmentQuerySet:
        return self.filter(finished_at__isnull=True)


class Assignment(models.Model):
    """A slot that was given to an annotator. The browser only knows its ``token``.

    It outlives the lease: an answer that arrives after the lease has expired is still stored.
    """

    token = models.CharField(max_length=32, unique=True, default=random_token, editable=False)
    annotator = models.ForeignKey(Annotator, on_delete=models.PROTECT, related_name="assignments")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="assignments")
    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="assignments")
    presentation = models.PositiveSmallIntegerField(default=0)
    alignment = models.ForeignKey(Alignment, on_delete=models.PROTECT, related_name="assignments")
    number = models.PositiveIntegerField(help_text="The annotator's n-th sentence in this task.")
    swapped = models.BooleanField(
        help_text="Whether the second candidate is shown as A; fixed when the slot is claimed."
    )
    opened_at = models.DateTimeField(default=timezone.now)
    finished_at = models.DateTimeField(null=True, blank=True)
    active_ms = models.PositiveIntegerField(
        default=0, help_text="When it was last finished: its answers and the time between them."
    )
    page_ms = models.PositiveIntegerField(default=0, help_text="The part that was sent without an answer.")
    skip_reason = models.CharField(max_length=300, blank=True)
    up_to = models.PositiveIntegerField(
        default=0, help_text="How many sentences the annotator could get in all when this one was claimed."
    )
    is_unsure = models.BooleanField(default=False, help_text="Marked by the annotator, for the manager.")

    objects = AssignmentQuerySet.as_manager()

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

    def is_shown_to(self, user: User) -> bool:
        """Whether it is the user's own, and its task open or closed."""
        return self.annotator.user_id == user.pk and self.task.state in (Task.State.OPEN, Task.State.CLOSED)

    @property
    def is_unsettled(self) -> bool:
        """Whether the last answer ends it: it is open, or was skipped."""
        return self.finished_at is None or self.skip_reason != ""

    @property
    def is_by_place(self) -> bool:
        """Whether all candidates of the sentence are judged together, by places."""
        return self.task.judging == Task.Judging.PLACES and bool(self.comparison.item.places)
