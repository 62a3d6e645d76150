from __future__ import annotations

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    """People judging: tasks, phrase pairs, rankings, agreement."""

    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # The worker finds a job's handler by its kind, so the modules that register them must be loaded.
        from evaluation.services import removal, uploading, uploads  # noqa: F401
