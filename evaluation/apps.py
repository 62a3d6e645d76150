from __future__ import annotations

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    """People judging: tasks, phrase pairs, rankings, agreement."""

    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Here, because the modules of an app cannot be imported before its models.
        from evaluation.reports.span_votes import collect_span_votes, list_span_voters
        from evaluation.voters import VoterKind, register_provider

        register_provider("spans", collect_span_votes, list_span_voters, VoterKind.SPANS)
