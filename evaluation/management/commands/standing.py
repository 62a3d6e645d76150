"""``manage.py standing``: is it decided which system is better, and is κ known precisely enough?"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.rendering import as_text
from evaluation.reports.scope import whole_scope
from evaluation.reports.standing import as_document, standing, standing_tables
from evaluation.study.standing import ALPHA, HALF_WIDTH


class Command(AppraiseCommand):
    help = "Is it decided which system is better, is kappa precise enough? Valid however often you look."
    examples = ("standing --task second-round --format text",)

    def add_arguments(self, parser: CommandParser) -> None:
        study = parser.add_mutually_exclusive_group(required=True)
        study.add_argument("--task", metavar="SLUG")
        study.add_argument("--campaign", metavar="SLUG")
        parser.add_argument(
            "--alpha", type=float, default=ALPHA, help="the chance that any decision is ever wrong"
        )
        parser.add_argument(
            "--width", type=float, default=HALF_WIDTH, help="κ is wanted to within plus or minus this"
        )
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        if not 0 < options["alpha"] < 1:
            self.refuse(f"--alpha must lie between 0 and 1, found {options['alpha']}")
        if options["width"] <= 0:
            self.refuse(f"--width must be above 0, found {options['width']}")
        kind = "task" if options["task"] else "campaign"
        found = standing(whole_scope(kind, options[kind]), options["alpha"], options["width"])
        if options["format"] == "json":
            self.write_json(as_document(found))
        else:
            self.stdout.write("\n".join(map(as_text, standing_tables(found).values())), ending="")
