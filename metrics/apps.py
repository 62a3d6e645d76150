from __future__ import annotations

from django.apps import AppConfig


class MetricsConfig(AppConfig):
    """Automatic metrics: scores, votes on phrases and trained models."""

    name = "metrics"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Importing these registers job handlers for the worker, and votes and tags for ``evaluation``.
        from evaluation.voters import register_provider, register_tag_provider
        from metrics.scoring import jobs  # noqa: F401
        from metrics.taggers import Taggers
        from metrics.voters import metric_voters, metric_votes

        register_provider("metrics", metric_votes, metric_voters)
        register_tag_provider(Taggers())
