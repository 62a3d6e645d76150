from __future__ import annotations

from django.apps import AppConfig


class MetricsConfig(AppConfig):
    """Machines judging the same items."""

    name = "metrics"
    default_auto_field = "django.db.models.BigAutoField"
