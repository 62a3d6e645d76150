"""``manage.py compare_tasks``: what changed between two tasks, campaigns or releases of a system?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.rendering import as_csv, as_latex, as_text
from evaluation.changes import Changed
from evaluation.reports.changes import Asked, Found, compared, tables
from evaluation.reports.scope import whole_scope


class Command(AppraiseCommand):
    help = "Compare wins, agreement and phenomena of two tasks or campaigns; common sentences are paired."
    examples = (
        "compare_tasks town-news second-round --systems tundra=tundra-2 --format text",
        "compare_tasks demo demo-2 --campaigns --table agreement --format csv",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("before", help="a task (or with --campaigns a campaign)")
        parser.add_argument("after", help="another, or the same one to compare two of its systems")
        parser.add_argument("--campaigns", action="store_true", help="the two names are campaigns")
        parser.add_argument(
            "--systems",
            metavar="OLD=NEW",
            help="compare these two releases (default: systems of the same name)",
        )
        parser.add_argument("--table", choices=["wins", "agreement", "phenomena"], default="wins")
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        kind = "campaign" if options["campaigns"] else "task"
        before, after = (whole_scope(kind, options[name]) for name in ("before", "after"))
        asked = Asked(before, after, self._systems(options["systems"]))
        if asked.is_itself:
            self.refuse(f"{options['after']!r} is compared with itself; name another, or --systems OLD=NEW")
        found = compared(asked)
        if options["format"] == "json":
            self.write_json(as_values(found))
        elif options["format"] == "csv":
            self.stdout.write(as_csv(tables(found)[options["table"]]), ending="")
        else:
            render = as_latex if options["format"] == "latex" else as_text
            self.stdout.write("\n".join(map(render, tables(found).values())), ending="")

    def _systems(self, text: str | None) -> tuple[str, str] | None:
        if text is None:
            return None
        old, equals, new = text.partition("=")
        if not (old and equals and new):
            self.refuse(f"--systems needs OLD=NEW, found {text!r}")
        return old, new


def as_values(found: Found) -> dict[str, object]:
    """Numbers unrounded, missing ones None."""
    sentences = dict(zip(("before", "after", "both"), found.sentences, strict=True))
    return {
        "sentences": sentences,
        "wins": [_line(line) for line in found.changes.wins],
        "agreement": [_line(line) for line in found.changes.agreement],
        "phenomena": [_line(line) for line in found.changes.phenomena],
        "rejudged": {
            "pairs": found.rejudged.pairs, "kept": found.rejudged.kept, "kappa": found.rejudged.kappa,
        },
    }  # fmt: skip


def _line(line: Changed) -> dict[str, object]:
    return {**asdict(line), "difference": line.change.difference}
