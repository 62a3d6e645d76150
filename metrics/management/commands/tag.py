"""``manage.py tag``: tag the outputs of systems, so that reports find phenomena by tags."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evaluation.management.base import AppraiseCommand
from evaluation.reports.scope import load_scope
from metrics.scoring.jobs import tag_candidates


class Command(AppraiseCommand):
    help = (
        "Tag the sentences of a task or a campaign, so that phenomena are classified by tags instead"
        " of word lists."
    )
    examples = ("tag --campaign demo-2",)

    def add_arguments(self, parser: CommandParser) -> None:
        study = parser.add_mutually_exclusive_group(required=True)
        study.add_argument("--task", metavar="SLUG")
        study.add_argument("--campaign", metavar="SLUG")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        kind = "task" if options["task"] else "campaign"
        scope = load_scope(kind, options[kind])
        self.write_json(tag_candidates(scope.tasks, lambda done, total: None))
