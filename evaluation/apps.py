from __future__ import annotations

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    """People judging: tasks, phrase pairs, rankings, agreement."""

    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"
