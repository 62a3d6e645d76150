"""What is asked, and who is asked.

A ``PhrasePair`` is two different texts; an ``Occurrence`` is a question of an alignment with these texts.
Each pair is owned by one comparison and asked only there. A ``Slot`` is the right of one annotator to judge a
comparison; slots are created at import, and claiming one is a conditional update, so no slot is given to two
people. An ``Assignment`` is a slot that was given to an annotator. Where scores and error spans are asked, a
slot is about a ``Passage`` instead of a comparison.
"""

from __future__ import annotations

import secrets
from datetime import datetime

from django.db import models
from django.db.models import Count, Exists, F, OuterRef, Q
from django.urls import reverse
from django.utils import timezone

from evaluation.models.items import Alignment, Candidate, Comparison, Item, Output
from evaluation.models.people import Annotator, User
from evaluation.models.tasks import Task

MOST_PRESENTATIONS = 32  # of one pair to one annotator; more in a file are considered a mistake


def random_token() -> str:
    return secrets.token_urlsafe(12)


def name_subject(comparison: int | None, passage: int | None) -> str:
    return f"passage {passage}" if comparison is None else f"comparison {comparison}"


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


class Passage(models.Model):
    """What is assessed on one page: a sentence or a document, with the outputs of one or several systems."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="passages")
    position = models.PositiveIntegerField(help_text="The order within the task.")

    class Meta:
        ordering = ["task", "position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "position"], name="passage_position_once_per_task"),
        ]

    def __str__(self) -> str:
        return f"passage {self.position} of task {self.task_id}"


class PassageOutput(models.Model):
    """An output that a passage shows at one of its presentations; sentences are in their order in the task.

    The second presentation, if there is one, shows damaged copies (``shown``): an attention check.
    """

    passage = models.ForeignKey(Passage, on_delete=models.CASCADE, related_name="outputs")
    output = models.ForeignKey(Output, on_delete=models.CASCADE, related_name="passages")
    presentation = models.PositiveSmallIntegerField(default=0)
    shown = models.ForeignKey(
        Candidate,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="The damaged text of an attention check; empty if the output itself is shown.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["passage", "output", "presentation"], name="passage_output_once"),
        ]

    def __str__(self) -> str:
        return f"output {self.output_id} in passage {self.passage_id}"


def _same_question() -> Q:
    """Rows about the comparison or the passage of the outer row."""
    return Q(comparison=OuterRef("comparison")) | Q(passage=OuterRef("passage"))


def _about_one(name: str, **fields: bool) -> models.CheckConstraint:
    """Require a comparison (and what belongs to it) or a passage, not both."""
    of_comparison = Q(comparison__isnull=False, passage__isnull=True)
    of_passage = Q(comparison__isnull=True, passage__isnull=False)
    for field in fields:
        of_comparison &= Q(**{f"{field}__isnull": False})
        of_passage &= Q(**{f"{field}__isnull": True})
    return models.CheckConstraint(condition=of_comparison | of_passage, name=name)


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
        """All slots of the same comparison, or passage, and presentation."""
        return self.filter(presentation=assignment.presentation, **assignment.subject)

    def held_by(self, assignment: Assignment) -> SlotQuerySet:
        return self.of(assignment).filter(annotator=assignment.annotator_id)

    def open_to(self, repeatable: AssignmentQuerySet, annotator: Annotator) -> SlotQuerySet:
        """Slots that this annotator may claim.

        Each comparison, or passage, and presentation is judged once, and a repeat only where the presentation
        before is among the ``repeatable`` assignments.
        """
        own = Assignment.objects.filter(_same_question(), annotator=annotator)
        seen = own.filter(presentation=OuterRef("presentation"))
        seen_before = repeatable.filter(_same_question(), presentation=OuterRef("presentation") - 1)
        return self.filter(Q(presentation=0) | Exists(seen_before)).exclude(Exists(seen))

    def in_own_documents(self, annotator: Annotator) -> SlotQuerySet:
        """Comparisons of documents of which nobody else has this seat (``k``), so that one person gets all.

        A sentence without a document is a document of its own.
        """
        others = Slot.objects.exclude(annotator=annotator).filter(
            ~Q(state=Slot.State.FREE),
            ~Q(comparison__item__document=""),
            task=OuterRef("task"),
            k=OuterRef("k"),
            presentation=OuterRef("presentation"),
            comparison__item__document=OuterRef("comparison__item__document"),
        )
        return self.exclude(Exists(others))

    def left_for(self, annotator: Annotator | None) -> SlotQuerySet:
        """Free slots that this annotator may claim now or later; None for somebody who is new.

        Unlike ``open_to``, with repeats of comparisons that are still to come.
        """
        own = Assignment.objects.filter(_same_question(), annotator=annotator)
        before = OuterRef("presentation") - 1
        first = Slot.objects.free().filter(_same_question(), presentation=before)
        can_be_seen_before = Exists(own.filter(presentation=before)) | Exists(first)
        left = self.free().filter(Q(presentation=0) | can_be_seen_before)
        return left.exclude(Exists(own.filter(presentation=OuterRef("presentation"))))

    def count_comparisons(self) -> list[tuple[int, int, int]]:
        """Return for each task its id, its comparisons with repeats, and the slots that are no repeats.

        A passage counts like a comparison.
        """
        comparisons, passages = (
            Count(F(subject) * MOST_PRESENTATIONS + F("presentation"), distinct=True)
            for subject in ("comparison", "passage")
        )
        new = Count("pk", filter=Q(presentation=0))
        return list(self.order_by().values_list("task").annotate(n=comparisons + passages, new=new))

    def take(self, annotator: int, until: datetime) -> int:
        """Give the slots that are still free to an annotator; returns how many."""
        return self.free().update(state=Slot.State.TAKEN, annotator_id=annotator, lease_until=until)


class Slot(models.Model):
    """The right to judge a comparison or a passage: the k-th annotator, at the n-th presentation."""

    class State(models.TextChoices):
        FREE = "free", "free"
        TAKEN = "taken", "being worked on"
        DONE = "done", "finished"

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="slots")
    comparison = models.ForeignKey(
        Comparison, null=True, blank=True, on_delete=models.CASCADE, related_name="slots"
    )
    passage = models.ForeignKey(
        Passage, null=True, blank=True, on_delete=models.CASCADE, related_name="slots"
    )
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
            models.UniqueConstraint(fields=["passage", "k", "presentation"], name="slot_of_passage_once"),
            models.UniqueConstraint(
                fields=["passage", "annotator", "presentation"], name="slot_of_passage_once_per_annotator"
            ),
            _about_one("slot_of_comparison_or_passage"),
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
        return f"slot {self.k} of {name_subject(self.comparison_id, self.passage_id)}"


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def for_answering(self) -> AssignmentQuerySet:
        """Load only the columns that storing an answer needs, the most frequent request of the site."""
        return self.select_related("task", "annotator").only(
            "annotator__user", "comparison", "passage", "presentation", "alignment", "swapped", "finished_at",
            "task__scheme_name", "task__state", "task__judging", "task__lease_minutes",
        )  # fmt: skip

    def for_assessing(self) -> AssignmentQuerySet:
        """Load only the columns that storing score and error spans needs."""
        return self.select_related("task", "annotator").only(
            "annotator__user", "annotator__key", "comparison", "passage", "presentation", "number",
            "finished_at", "task__state", "task__lease_minutes", "task__assessed_as", "task__protocols",
            "task__suggestions",
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
    comparison = models.ForeignKey(
        Comparison, null=True, blank=True, on_delete=models.CASCADE, related_name="assignments"
    )
    passage = models.ForeignKey(
        Passage, null=True, blank=True, on_delete=models.CASCADE, related_name="assignments"
    )
    presentation = models.PositiveSmallIntegerField(default=0)
    alignment = models.ForeignKey(
        Alignment,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="assignments",
        help_text="Of the comparison.",
    )
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
            models.UniqueConstraint(
                fields=["annotator", "passage", "presentation"], name="assignment_of_passage_once"
            ),
            _about_one("assignment_of_comparison_or_passage", alignment=True),
        ]
        indexes = [models.Index(fields=["annotator", "task", "number"], name="assignment_in_order")]

    def __str__(self) -> str:
        return f"{name_subject(self.comparison_id, self.passage_id)} as given to {self.annotator_id}"

    def get_absolute_url(self) -> str:
        return reverse("assess" if self.passage_id else "annotate", args=[self.token])

    @property
    def subject(self) -> dict[str, int | None]:
        """The comparison or the passage, as the filter of a query."""
        if self.passage_id is not None:
            return {"passage": self.passage_id}
        return {"comparison": self.comparison_id}

    def is_shown_to(self, user: User) -> bool:
        """Whether it is the user's own, and its task open or closed."""
        return self.annotator.user_id == user.pk and self.task.state in (Task.State.OPEN, Task.State.CLOSED)

    @property
    def compared_id(self) -> int:
        """The id of the comparison of an assignment that is about one."""
        assert self.comparison_id is not None
        return self.comparison_id

    @property
    def compared(self) -> Comparison:
        """The comparison of an assignment that is about one."""
        assert self.comparison is not None
        return self.comparison

    @property
    def is_unsettled(self) -> bool:
        """Whether the last answer ends it: it is open, or was skipped."""
        return self.finished_at is None or self.skip_reason != ""

    @property
    def is_by_place(self) -> bool:
        """Whether all candidates of the sentence are judged together, by places."""
        is_possible = self.task.judging == Task.Judging.PLACES and self.passage_id is None
        return is_possible and bool(self.compared.item.places)
