"""Scores and votes of metrics on the items of a task, and models trained on this site."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from evaluation.models import Job, Output, PhrasePair, Role, Task, User
from evaluation.schemes import Choice


class MetricRun(models.Model):
    """One metric over one task: its signature names version, parameters and resources."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="metric_runs")
    metric = models.CharField(max_length=80)
    signature = models.CharField(max_length=500)
    higher_is_better = models.BooleanField()
    content = models.CharField(
        max_length=64, help_text="Digest of the scored texts, so that they are not scored twice."
    )
    corpus: models.JSONField[Any, Any] = models.JSONField(default=dict, help_text="System → corpus score.")
    imported = models.BooleanField(default=False, help_text="Scores that were computed elsewhere.")
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["task", "metric", "-created_at"]
        constraints = [
            models.UniqueConstraint(fields=["task", "signature", "content"], name="metric_run_once"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} on {self.task}"


class SegmentScore(models.Model):
    """The score of one output; null where the metric is undefined, which is not zero."""

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="scores")
    output = models.ForeignKey(Output, on_delete=models.CASCADE, related_name="scores")
    value = models.FloatField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "output"], name="segment_score_once")]

    def __str__(self) -> str:
        return f"{self.value} for output {self.output_id}"


class PhraseVote(models.Model):
    """A metric's vote on a phrase pair, by substitution at its owner; relative to the pair as stored."""

    run = models.ForeignKey(MetricRun, on_delete=models.CASCADE, related_name="votes")
    pair = models.ForeignKey(PhrasePair, on_delete=models.CASCADE, related_name="machine_votes")
    choice = models.CharField(max_length=4)
    delta = models.FloatField(help_text="Sum of the changes; positive if the pair's first text is better.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "pair"], name="phrase_vote_once"),
            models.CheckConstraint(
                condition=Q(choice__in=[c.value for c in Choice]), name="phrase_vote_choice_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.choice} on pair {self.pair_id}"


class TrainedModelQuerySet(models.QuerySet["TrainedModel"]):
    def visible_to(self, user: User) -> TrainedModelQuerySet:
        """Models of tasks that ``user`` may study, and the user's own."""
        if user.is_superuser:
            return self
        tasks = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER)
        return self.filter(Q(task__in=tasks) | Q(owner=user))


class TrainedModel(models.Model):
    """A metric or ranker trained on this site; the file is JSON or NPZ, never pickle."""

    class Kind(models.TextChoices):
        SVM = "svm", _("human or machine (SVM)")
        COMBINATION = "combination", _("tuned combination")
        RANKER = "ranker", _("reference-free ranker")

    name = models.CharField(max_length=120, unique=True)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    path = models.CharField(max_length=200)
    digest = models.CharField(max_length=64)
    task = models.ForeignKey(
        Task, null=True, blank=True, on_delete=models.SET_NULL, related_name="trained_models"
    )
    provenance: models.JSONField[Any, Any] = models.JSONField(default=dict)
    evaluation: models.JSONField[Any, Any] = models.JSONField(default=dict)
    owner = models.ForeignKey(User, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TrainedModelQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name
