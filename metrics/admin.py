"""Runs and trained models in Django's administration: they can be read and deleted, but not changed."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest

from evaluation.admin import ReadOnly
from metrics.models import MetricRun, TrainedModel


class DeletableAdmin(ReadOnly):
    """Only administrators may delete."""

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return bool(request.user.is_superuser)


@admin.register(MetricRun)
class MetricRunAdmin(DeletableAdmin):
    list_display = ["metric", "task", "imported", "created_at", "signature"]
    list_filter = ["imported", "metric"]
    list_select_related = ["task"]
    search_fields = ["metric", "signature", "task__slug"]


@admin.register(TrainedModel)
class TrainedModelAdmin(DeletableAdmin):
    list_display = ["name", "kind", "task", "owner", "created_at"]
    list_filter = ["kind"]
    list_select_related = ["task", "owner"]
    search_fields = ["name", "task__slug"]
