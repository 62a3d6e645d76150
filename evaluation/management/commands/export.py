"""``manage.py export``: the answers of a task or a campaign as a file."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.lib.extras import find_missing_package
from appraise.lib.tables import to_latex
from evaluation.exporters import FORMATS
from evaluation.exporters.parquet import write_parquet
from evaluation.importers.json_format import dump_lines
from evaluation.management.base import AppraiseCommand
from evaluation.models import AuditEntry
from evaluation.reports.bundles import write_bundle
from evaluation.reports.evidence_exports import EVIDENCE_EXPORTS, export_files, write_folder
from evaluation.reports.exports import load_display_names, read_sentences
from evaluation.reports.preferences import PREFERENCE_EXPORTS
from evaluation.reports.scope import Scope, choose_kind, get_study, get_system_pairs, load_scope
from evaluation.reports.sentence_exports import read_answers
from evaluation.reports.workbooks import write_spreadsheet
from evaluation.study import AnswerKind
from evaluation.study.tables import build_study_tables


class Command(AppraiseCommand):
    help = (
        "Export answers (csv, tsv, jsonl, xml, spreadsheet, parquet), scores and error spans (mtme,"
        " appraise-csv, mqm-tsv), preferred translations (preferences, composites), sentences (items),"
        " tables (latex), answers and tables (xlsx), all (bundle)."
    )
    examples = (
        "export --task evening-news --format csv --out answers.csv",
        "export --campaign demo --format bundle --out study.zip",
        "export --task wmt23 --format mtme --out wmt23",
    )
    option_help = {
        "--format": "format of the file (docs/researchers.md describes each)",
        "--answers": "answers about phrases or whole sentences (default: phrases if there are any)",
        "--out": "the file to write (default: standard output), or the folder (mtme)",
        "--identify": "include user names and times instead of pseudonyms",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--task", metavar="SLUG")
        what.add_argument("--campaign", metavar="SLUG")
        forms = [
            *FORMATS,
            *EVIDENCE_EXPORTS,
            *PREFERENCE_EXPORTS,
            "parquet",
            "xlsx",
            "items",
            "latex",
            "bundle",
        ]
        parser.add_argument("--format", required=True, choices=forms)
        parser.add_argument("--out", metavar="FILE", type=Path)
        parser.add_argument("--identify", action="store_true")
        parser.add_argument("--answers", choices=[kind.value for kind in AnswerKind])

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        kind = "task" if options["task"] else "campaign"
        scope, form = load_scope(kind, options[kind]), options["format"]
        named = (*FORMATS, *EVIDENCE_EXPORTS, "parquet", "xlsx")
        if options["identify"] and form not in named:
            self.refuse(f"--identify is for {', '.join(named)}; a {form} export contains no user names")
        detail = {"format": form, "identified": options["identify"]}
        record = partial(AuditEntry.objects.record, None, "export", f"{kind} {scope.slug}", detail)
        try:
            answers = AnswerKind(options["answers"]) if options["answers"] else None
            self.write(scope, form, options["out"], identify=options["identify"], answers=answers)
        except BrokenPipeError:  # the reader has seen enough, and that much was given out
            record()
            raise
        except OSError as error:
            remedy = "check the path, its permissions and the space on the disk"
            self.refuse(f"{options['out']}: not_written: {error.strerror}; {remedy}")
        record()

    def write(
        self, scope: Scope, form: str, out: Path | None, *, identify: bool, answers: AnswerKind | None
    ) -> None:
        pieces: Iterator[str]
        if form in ("bundle", "parquet", "xlsx"):
            if out is None:
                self.refuse(f"{form} is a binary file; say where it goes with --out FILE")
            if form == "parquet" and (missing := find_missing_package("pyarrow")):
                self.refuse(str(missing))
            with out.open("wb") as stream:
                if form == "bundle":
                    self.note(write_bundle(scope, stream))
                    return
                if form == "parquet":
                    names = load_display_names(scope, identify=identify)
                    write_parquet(read_answers(scope, names, answers), stream)
                else:
                    write_spreadsheet(scope, stream, identify=identify, answers=answers)
            self.note(f"{out} written")
            return
        if form in EVIDENCE_EXPORTS:
            self.write_evidence(scope, form, out, identify=identify)
            return
        if form == "items":
            if len(scope.tasks) != 1:
                self.refuse("items are those of one task; name it with --task SLUG")
            pieces = dump_lines(read_sentences(scope.tasks[0]))
        elif form == "latex":
            kind = choose_kind(scope, answers)
            tables = build_study_tables(get_study(scope, kind), get_system_pairs(scope, kind))
            pieces = (to_latex(table) + "\n" for table in tables.values())
        elif form in PREFERENCE_EXPORTS:
            pieces = PREFERENCE_EXPORTS[form](scope, answers)
        else:
            names = load_display_names(scope, identify=identify)
            pieces = FORMATS[form].write(read_answers(scope, names, answers))
        self.send(pieces, out)

    def write_evidence(self, scope: Scope, form: str, out: Path | None, *, identify: bool) -> None:
        if len(scope.tasks) != 1:
            self.refuse("scores and error spans are those of one task; name it with --task SLUG")
        files = export_files(scope.tasks[0], form, load_display_names(scope, identify=identify))
        if form != "mtme":
            for _, lines in files:
                self.send(lines, out)
        elif out is None:
            self.refuse("a directory of mt-metrics-eval; say where it goes with --out DIR")
        else:
            self.note(f"{out}: {write_folder(files, out)} files written")

    def send(self, pieces: Iterator[str], out: Path | None) -> None:
        if out is None:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        with out.open("w", encoding="utf-8", newline="") as file:
            file.writelines(pieces)
        self.note(f"{out} written")
