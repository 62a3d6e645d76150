"""What steers a running task: the drawn order of its questions, and how far its answers decide it.

A ``Draw`` says with which probability a comparison came next (``evaluation.selection``); without that record
an order chosen by a machine would bias every estimate. A ``Standing`` keeps the last answer to "are there
enough judgements?" (``evaluation.sequential``), so that the monitor page need not compute it.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from evaluation.models.items import Comparison
from evaluation.models.tasks import Task

REST = 1_000_000_000  # positions of comparisons that wait to be drawn; no task has so many


class Draw(models.Model):
    """The ``number``-th comparison drawn, and its probability among the ``left`` candidates at that time."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="draws")
    comparison = models.OneToOneField(Comparison, on_delete=models.CASCADE, related_name="draw")
    number = models.PositiveIntegerField()
    left = models.PositiveIntegerField()
    probability = models.FloatField()
    drawn_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="draw_number_once"),
            models.CheckConstraint(condition=Q(probability__gt=0, probability__lte=1), name="draw_possible"),
        ]

    def __str__(self) -> str:
        return f"draw {self.number} of task {self.task_id}"


class Standing(models.Model):
    """What was found when answers and finished seats stood at ``newest``; finding it took ``seconds``."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="standing")
    found: models.JSONField[Any, Any] = models.JSONField(default=dict)
    newest = models.PositiveBigIntegerField(default=0)
    seconds = models.FloatField(default=0)
    made_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"standing of task {self.task_id}"
