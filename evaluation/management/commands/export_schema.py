"""``manage.py export_schema``: what an export of answers contains, for programs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evaluation.exporters.schema import SCHEMAS
from evaluation.management.base import AppraiseCommand


class Command(AppraiseCommand):
    help = (
        "Print the schema of exported answers: a table schema of the CSV, or a JSON schema of each line of"
        " JSON Lines. The title has its version."
    )
    examples = ("export_schema csv", "export_schema jsonl")
    option_help = {"form": "format of the export"}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("form", choices=SCHEMAS)

    def handle(self, *args: Any, form: str, **options: Any) -> None:  # Any: Django's own signature
        self.write_json(SCHEMAS[form]())
