"""``manage.py export``: the answers of a task or a campaign as a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement.rendering import Table, as_latex
from evaluation.exporters import FORMATS
from evaluation.exporters.verify import study_tables
from evaluation.importers.json_format import dump_lines
from evaluation.models import Task
from evaluation.reports import judgements, votes
from evaluation.reports.bundles import write_bundle
from evaluation.reports.export import asked_pairs, voices
from evaluation.reports.scope import Scope, whole_scope
from evaluation.reports.sentences import as_set
from evaluation.services.oversight import record_export


class Command(AppraiseCommand):
    help = (
        "Export answers (csv, tsv, jsonl, xml, spreadsheet), sentences (items), tables (latex), all (bundle)."
    )
    examples = (
        "export --task evening-news --format csv --out answers.csv",
        "export --campaign demo --format bundle --out study.zip",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--task", metavar="SLUG")
        what.add_argument("--campaign", metavar="SLUG")
        parser.add_argument(
            "--format",
            required=True,
            choices=[*FORMATS, "items", "latex", "bundle"],
            help="format of the file (docs/researchers.md describes each)",
        )
        parser.add_argument(
            "--out", metavar="FILE", type=Path, help="the file to write (default: standard output)"
        )
        parser.add_argument(
            "--identify", action="store_true", help="user names and times instead of pseudonyms"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        kind = "task" if options["task"] else "campaign"
        scope, form = whole_scope(kind, options[kind]), options["format"]
        if options["identify"] and form not in FORMATS:
            self.refuse(f"--identify is for {', '.join(FORMATS)}; a {form} export never carries names")
        record = partial(
            record_export, None, target=f"{kind} {scope.slug}", form=form, identified=options["identify"]
        )
        try:
            self.write(scope, form, options["out"], identify=options["identify"])
        except BrokenPipeError:  # the reader has seen enough, and that much was given out
            record()
            raise
        except OSError as error:
            remedy = "check the path, its permissions and the space on the disk"
            self.refuse(f"{options['out']}: not_written: {error.strerror}; {remedy}")
        record()

    def write(self, scope: Scope, form: str, out: Path | None, *, identify: bool) -> None:
        pieces: Iterator[str]
        if form == "bundle":
            if out is None:
                self.refuse("a bundle is an archive; say where it goes with --out FILE.zip")
            with out.open("wb") as stream:
                self.note(write_bundle(scope, stream))
            return
        if form == "items":
            pieces = dump_lines(as_set(self.only_task(scope)))
        elif form == "latex":
            pieces = (as_latex(table) + "\n" for table in scope_tables(scope).values())
        else:
            pieces = FORMATS[form].write(asked_pairs(scope, voices(scope, identify=identify)))
        self.send(pieces, out)

    def only_task(self, scope: Scope) -> Task:
        if len(scope.tasks) != 1:
            self.refuse("items are those of one task; name it with --task SLUG")
        return scope.tasks[0]

    def send(self, pieces: Iterator[str], out: Path | None) -> None:
        if out is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        with out.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        self.note(f"{out} written")


def scope_tables(scope: Scope) -> dict[str, Table]:
    study = judgements.study(scope.tasks)
    return study_tables(study, votes.meetings(scope.tasks, study))
