"""Sentences, their distinct translations, and the alignments of two translations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import models
from django.db.models import F, Q

from evaluation.models.people import User
from evaluation.models.tasks import Task
from evaluation.presentation import Stave


class Item(models.Model):
    """One sentence of a task."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    key = models.CharField(
        max_length=200, help_text="The ID in the input file, so that exports map back to it."
    )
    document = models.CharField(max_length=200, blank=True)
    source = models.TextField(blank=True)
    references = models.JSONField(default=list)
    context_before = models.TextField(blank=True)
    context_after = models.TextField(blank=True)
    places: models.JSONField[Any, Any] = models.JSONField(
        default=list,
        help_text=(
            "Where all candidates are judged together: for each place the token spans of the candidates, "
            "in the order of their texts. Empty where they are judged two at a time."
        ),
    )

    class Meta:
        ordering = ["task", "position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "key"], name="item_key_once_per_task"),
            models.UniqueConstraint(fields=["task", "position"], name="item_position_once_per_task"),
        ]

    def __str__(self) -> str:
        return f"{self.task.slug}:{self.key}"


class System(models.Model):
    """A translation system. Annotators never see its name."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="systems")
    name = models.CharField(max_length=200)

    class Meta:
        ordering = ["task", "name"]
        constraints = [
            models.UniqueConstraint(fields=["task", "name"], name="system_name_once_per_task"),
        ]

    def __str__(self) -> str:
        return self.name


class Candidate(models.Model):
    """A distinct translation of an item; systems with the same output share it."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="candidates")
    text = models.TextField()
    digest = models.CharField(max_length=32)
    offsets = models.JSONField(default=list, help_text="Start and end of every token, one flat list.")
    systems = models.ManyToManyField(System, through="Output", related_name="candidates")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "digest"], name="candidate_text_once_per_item"),
        ]

    def __str__(self) -> str:
        return self.text[:60]

    @property
    def spans(self) -> Sequence[tuple[int, int]]:
        return self.stave.spans

    @property
    def stave(self) -> Stave:
        return Stave.of(self.text, self.offsets)

    @property
    def tokens(self) -> tuple[str, ...]:
        return self.stave.words


class Output(models.Model):
    """The output of one system for one item."""

    system = models.ForeignKey(System, on_delete=models.CASCADE, related_name="outputs")
    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="outputs")
    candidate = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="outputs")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["item", "system"], name="output_once_per_system"),
        ]

    def __str__(self) -> str:
        return f"{self.system} on item {self.item_id}"


class Comparison(models.Model):
    """Two candidates of an item, the lexically smaller text first, so that upload order is not visible."""

    class Check(models.TextChoices):
        NONE = "", "not a check"
        DEGRADED = "degraded", "one side was damaged on purpose"

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="comparisons")
    first = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Candidate, on_delete=models.CASCADE, related_name="+")
    check_kind = models.CharField(max_length=10, choices=Check.choices, default=Check.NONE, blank=True)
    expected = models.CharField(max_length=4, blank=True, help_text="The answer of an attentive annotator.")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["first", "second"], name="comparison_once"),
            models.CheckConstraint(condition=~Q(first=F("second")), name="comparison_of_two_texts"),
        ]

    def __str__(self) -> str:
        return f"comparison {self.pk} of item {self.item_id}"


class Alignment(models.Model):
    """One version of the alignment of two candidates: word links, and the phrases that follow from them.

    ``phrases`` is a list of ``[a_start, a_end, b_start, b_end, kind, moved]`` with ``null`` for a missing
    side; ``groups`` lists the phrases of each question by number, and is empty if every question is a single
    phrase. A correction adds a version; rankings keep the version that they were made on.
    """

    comparison = models.ForeignKey(Comparison, on_delete=models.CASCADE, related_name="alignments")
    version = models.PositiveIntegerField(default=1)
    links = models.TextField(blank=True)
    aligner = models.CharField(max_length=120)
    phrases: models.JSONField[Any, Any] = models.JSONField(default=list)
    groups: models.JSONField[Any, Any] = models.JSONField(default=list)
    made_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["comparison", "version"], name="alignment_version_once"),
        ]
        get_latest_by = "version"

    def __str__(self) -> str:
        return f"version {self.version} of comparison {self.comparison_id}"
