"""The practice round before a task. Answers given there are not rankings and are not stored.

``PracticeQuestion`` is a question of the organiser's own, with the answer that is expected; a task without
any makes its questions from its own sentences. ``PracticeRound`` records that somebody has finished it.
"""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from evaluation.models.people import Annotator
from evaluation.models.tasks import Task
from evaluation.schemes import Choice


class PracticeQuestion(models.Model):
    """Two sentences, and the verdict that a careful annotator gives on their difference."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="practice_questions")
    above = models.TextField(blank=True, help_text="The source or reference that stands on top.")
    first = models.TextField()
    second = models.TextField()
    expected = models.CharField(max_length=4, help_text="About the first and the second sentence.")
    why = models.TextField(blank=True, help_text="Shown with the answer.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(expected__in=[c.value for c in Choice]), name="practice_expected_known"
            ),
            models.CheckConstraint(condition=~Q(first=F("second")), name="practice_of_two_texts"),
        ]

    def __str__(self) -> str:
        return f"{self.first[:30]} / {self.second[:30]}"


class PracticeRound(models.Model):
    """Somebody has finished the practice round of a task."""

    annotator = models.ForeignKey(Annotator, on_delete=models.CASCADE, related_name="practice_rounds")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="practice_rounds")
    finished_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["annotator", "task"], name="practice_once_per_annotator"),
        ]

    def __str__(self) -> str:
        return f"practice of {self.annotator_id} for task {self.task_id}"
