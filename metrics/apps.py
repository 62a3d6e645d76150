from __future__ import annotations

from django.apps import AppConfig


class MetricsConfig(AppConfig):
    """Machines judging the same items."""

    name = "metrics"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Importing these registers job handlers for the worker, and votes and tags for ``evaluation``.
        from evaluation.votes import register_provider
        from evaluation.word_classes import register_words
        from metrics import jobs  # noqa: F401
        from metrics.votes import metric_voters, metric_votes
        from metrics.word_classes import Taggers

        register_provider("metrics", metric_votes, metric_voters)
        register_words(Taggers())
