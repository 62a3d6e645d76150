"""``manage.py phenomena``: what do people disagree about, and what does each system do worse?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.rendering import as_csv, as_latex, as_text
from evaluation.phenomena import Profile
from evaluation.reports.phenomena import profile_of, profile_tables
from evaluation.reports.scope import whole_scope
from evaluation.reports.tagged import told_by


class Command(AppraiseCommand):
    help = "Agreement and wins by phenomenon: word order, inflection, number, negation, omission …"
    examples = ("phenomena --campaign demo-2 --format text",)

    def add_arguments(self, parser: CommandParser) -> None:
        study = parser.add_mutually_exclusive_group(required=True)
        study.add_argument("--task", metavar="SLUG")
        study.add_argument("--campaign", metavar="SLUG")
        parser.add_argument(
            "--table", choices=["phenomena", "systems"], default="phenomena", help="which table, as CSV"
        )
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        kind = "task" if options["task"] else "campaign"
        scope = whole_scope(kind, options[kind])
        found, told = profile_of(scope), told_by(scope.tasks)
        tables = profile_tables(found, told)
        if options["format"] == "json":
            self.write_json({"told_by": told, **as_values(found)})
        elif options["format"] == "csv":
            self.stdout.write(as_csv(tables[options["table"]]), ending="")
        else:
            render = as_latex if options["format"] == "latex" else as_text
            self.stdout.write("\n".join(map(render, tables.values())), ending="")


def as_values(found: Profile) -> dict[str, object]:
    """Numbers unrounded, missing ones None."""
    return {
        "pairs": found.pairs,
        "disputed": found.disputed,
        "all": asdict(found.everything),
        "phenomena": [asdict(line) for line in found.lines],
        "systems": [{**asdict(cell), "verdict": cell.verdict} for cell in found.cells],
    }
