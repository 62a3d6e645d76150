"""Make a task from files: the same as the upload page, from a shell."""

from __future__ import annotations

import argparse
from dataclasses import asdict, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.lib.problems import InputError, Problem
from appraise.lib.streams import convert_read_errors
from evaluation.annotate.known_answers import MOST_PERCENT
from evaluation.assessments import PROTOCOLS
from evaluation.importers import (
    COMMAND_LINE,
    EVIDENCE_FORMATS,
    FORMATS,
    FileRole,
    ImportedSet,
    ImportOptions,
    SourceFile,
    read,
)
from evaluation.management.base import AppraiseCommand, whole_number
from evaluation.models import Task
from evaluation.reports.study_query import find_tasks
from evaluation.schemes import SCHEMES
from evaluation.tasks.planning import TRAINING_PAIRS
from evaluation.tasks.services.added_evidence import add_evidence
from evaluation.tasks.services.import_job import create_campaign, find_campaign
from evaluation.tasks.services.importing import import_set
from evaluation.tasks.services.passages import MOST_SYSTEMS
from evaluation.tasks.services.task_settings import ImportSummary, TaskSettings, dry_run


class Command(AppraiseCommand):
    help = (
        "Import files as one or more tasks and print a summary as JSON. If there are problems,"
        " nothing is stored."
    )
    examples = (
        'import_task news.xml --name "News, week 12"',
        "import_task --name News --source source.de.txt --system north=north.en.txt south=south.en.txt",
        "import_task news.tsv.gz --name News --scheme six-way --overlap 3 --dry-run",
        "import_task wmt23 --format mtme --name WMT23 --source-lang en --target-lang de",
        "import_task ESA-1.scores.csv --batches batches_esa.json.gz --task wmt23",
    )
    option_help = {
        "--campaign": "campaign of the task; created if it does not exist (default: a new one)",
        "--shows": "text shown above A and B (default: the source, if there is one)",
        "--comparisons": "which systems are compared: all, none, baseline:NAME, round-robin:K or blocks:K"
        " (default: all, or none if the files bring scores and error spans or --assess is given)",
        "--assess": "collect scores or error spans of every translation under this protocol",
        "--assess-systems": f"with --assess: how many translations are shown at once (1 to {MOST_SYSTEMS})",
        "--assess-documents": "with --assess: a page for each document, not for each sentence",
        "--mark-differences": "with --assess-systems 2: mark faintly where the two translations differ",
        "--task": "add scores and error spans to this task, which has the same texts",
        "--match": "with --task: whether texts may differ in Unicode form and spaces (content)",
        "--batches": "the batches of an Appraise CSV, which have its texts",
        "--dedup": "ask identical phrase pairs once per sentence, once per task, or every time",
        "--aligner": "how words are linked; statistical learns from the first"
        f" {TRAINING_PAIRS:,} sentence pairs",
        "--alignments": "word links between the two systems, Pharaoh or GIZA++ A3",
        "--reference": "plain text: reference translations",
        "--system": "plain text: the output of a system",
        "--empty": "how to treat items with an empty output",
        "--repeats": "percentage of the comparisons that each annotator sees a second time",
        "--checks": f"attention checks, as a percentage of the comparisons (at most {MOST_PERCENT})",
        "--keep-documents": "give all sentences of a document to the same annotator, in their order",
        "--moved": "whether to ask about moved phrases",
        "--judging": "sentences with three or more candidates: two at a time, or all variants of a place at"
        " once",
        "--question-size": "how many neighbouring differences are one question; phrase: each is one",
        "--ask-all": "ask about every difference, including trivial ones",
        "--segment-words": "find the words of Chinese, Japanese or Thai with an optional library",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("files", nargs="*", type=Path, metavar="FILE", help="one set of sentences, plain or gzipped")
        add(
            "--format",
            choices=["auto", *FORMATS, *EVIDENCE_FORMATS],
            default="auto",
            help="auto: detected from the content",
        )
        add("--batches", type=Path, metavar="FILE")
        target = parser.add_mutually_exclusive_group(required=True)
        target.add_argument("--name", type=parse_title, help="title of the task, as annotators see it")
        target.add_argument("--task", metavar="SLUG")
        add("--match", choices=["exact", "content"], default="exact")
        add("--campaign", metavar="SLUG")
        add("--split", type=whole_number(1), metavar="N", help="split into tasks of N sentences each")
        add("--scheme", choices=list(SCHEMES), default="four-way", help="how many choices annotators have")
        add("--shows", choices=Task.Shows.values)
        add("--source-lang", default="", metavar="CODE", help="language code, if the files do not contain it")
        add("--target-lang", default="", metavar="CODE", help="language code, if the files do not contain it")
        add("--comparisons", metavar="DESIGN")
        add("--dedup", choices=Task.Dedup.values, default=Task.Dedup.ITEM)
        add("--overlap", type=whole_number(1), default=2, metavar="N", help="annotators per comparison")
        add("--seed", type=whole_number(0), default=1, help="seed of every random choice")
        add("--aligner", choices=["lexical", "exact", "statistical"], default="lexical")
        add("--segment-words", action="store_true")
        add("--alignments", type=Path, metavar="FILE")
        add("--link-base", type=int, choices=[0, 1], default=0)
        add("--source", type=Path, metavar="FILE", help="plain text: the source, one sentence per line")
        add("--reference", type=Path, nargs="+", default=[], metavar="FILE")
        add("--system", action="extend", nargs="+", default=[], metavar="NAME=FILE")
        add("--empty", choices=["refuse", "keep", "skip"], default="refuse")
        add("--incomplete", action="store_true", help="allow missing translations")
        add("--controls", choices=["refuse", "replace"], default="refuse")
        add("--repeats", type=whole_number(0, 100), default=0, metavar="PERCENT")
        add("--checks", type=int, choices=range(MOST_PERCENT + 1), default=0, metavar="PERCENT")
        add("--order", choices=Task.Order.values, default=Task.Order.DOCUMENT, help="order of the sentences")
        add("--keep-documents", action="store_true")
        add("--moved", choices=Task.Moved.values, default=Task.Moved.RANKED)
        add("--judging", choices=Task.Judging.values, default=Task.Judging.PAIRS)
        add("--question-size", choices=Task.QuestionSizes.values, default=Task.QuestionSizes.MEDIUM)
        add("--ask-all", action="store_true")
        add("--assess", choices=list(PROTOCOLS), default="", metavar="PROTOCOL")
        add("--assess-systems", type=whole_number(1, MOST_SYSTEMS), default=1, metavar="N")
        add("--assess-documents", action="store_true")
        add("--mark-differences", action="store_true")
        add("--practice", action="store_true", help="a practice round before the first sentence")
        add("--dry-run", action="store_true", help="check the files and print the summary, but store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        imported = read(
            self.find_files(options),
            format=options["format"],
            limits=COMMAND_LINE,
            options=ImportOptions(
                source_language=options["source_lang"],
                target_language=options["target_lang"],
                link_base=options["link_base"],
                empty=options["empty"],
                incomplete=options["incomplete"],
                controls=options["controls"],
                one_system=bool(options["assess"]),
            ),
        )
        if options["task"]:
            self.add_evidence(imported, options)
            return
        settings = self.settings(imported, options)
        if options["dry_run"]:
            summary = dry_run(imported, settings, split=options["split"])
        else:
            summary = self.store(imported, settings, options)
        warnings = [str(warning) for warning in (*imported.warnings, *summary.warnings)]
        self.write_json({**asdict(summary), "warnings": warnings})

    def add_evidence(self, imported: ImportedSet, options: dict[str, Any]) -> None:
        (task,) = find_tasks("slug", options["task"])
        stored = add_evidence(
            task, imported, report=self.progress, is_dry_run=options["dry_run"],
            by_content=options["match"] == "content",
        )  # fmt: skip
        summary = ImportSummary([task.slug], items=len(imported.items))
        warnings = [str(warning) for warning in imported.warnings]
        self.write_json({**asdict(summary), **asdict(stored), "warnings": warnings})

    def find_files(self, options: dict[str, Any]) -> list[SourceFile]:
        folders = [path for path in options["files"] if (path / "sources").is_dir()]
        files = [file for folder in folders for file in list_folder(folder)]
        files += [
            SourceFile.from_path(require_file(path), role)
            for role, paths in (
                (FileRole.ITEMS, [path for path in options["files"] if path not in folders]),
                (FileRole.ITEMS, [options["batches"]]),
                (FileRole.SOURCE, [options["source"]]),
                (FileRole.REFERENCE, options["reference"]),
                (FileRole.ALIGNMENTS, [options["alignments"]]),
            )
            for path in paths
            if path is not None
        ]
        for text in options["system"]:
            system, sign, path = text.partition("=")
            if not (system and sign and path):
                self.refuse(
                    f"--system {text}: bad_option: expected NAME=FILE; name the system, and its file after ="
                )
            files.append(SourceFile.from_path(require_file(Path(path)), FileRole.SYSTEM, system))
        if not files:
            self.refuse("nothing to import: give a file, or --source, --reference and --system")
        return files

    def settings(self, imported: ImportedSet, options: dict[str, Any]) -> TaskSettings:
        given = {field.name: options[field.name] for field in fields(TaskSettings) if field.name in options}
        return TaskSettings(
            **{
                **given,
                "comparisons": options["comparisons"] or default_design(imported, options),
                "source_language": imported.source_language,
                "target_language": imported.target_language,
                "shows": select_shown_text(imported, options["shows"]),
            }
        )

    def store(self, imported: ImportedSet, settings: TaskSettings, options: dict[str, Any]) -> ImportSummary:
        name = options["campaign"] or options["name"]
        known = find_campaign(name)
        campaign = known or create_campaign(name)
        try:
            return import_set(
                imported, settings, campaign=campaign, split=options["split"], report=self.progress
            )
        except BaseException:
            if known is None:
                campaign.delete()
            raise

    def progress(self, done: int, total: int, message: str) -> None:
        if self.stderr.isatty():
            width = 30 * done // max(total, 1)
            self.stderr.write(f"\r[{'#' * width:<30}] {message}", ending="\n" if done >= total else "")


def list_folder(folder: Path) -> list[SourceFile]:
    """The files of an mt-metrics-eval directory, with their paths below it as names."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return [replace(SourceFile.from_path(path), name=path.relative_to(folder).as_posix()) for path in paths]


def select_shown_text(imported: ImportedSet, wanted: str | None) -> str:
    """What was asked for, or the source where every item has one, else the reference; never nothing."""
    problems = []
    for shows in [wanted] if wanted else Task.Shows.values:
        text_of = attrgetter("source" if shows == Task.Shows.SOURCE else "references")
        lacking = next((item for item in imported.items if not text_of(item)), None)
        if lacking is None:
            return shows
        message, remedy = f"item {lacking.id!r} has no {shows} to be shown", f"give every item a {shows}"
        problems.append(Problem("nothing_to_show", message, remedy, *lacking.position))
    raise InputError(problems)


def default_design(imported: ImportedSet, options: dict[str, Any]) -> str:
    return "none" if imported.evidence or options["assess"] else "all"


def require_file(path: Path) -> Path:
    """A file that can be read twice, since it is checked whole before anything is stored."""
    with convert_read_errors(path):
        if path.is_file():
            return path
        if str(path) != "-":
            path.stat()
    message = "not a regular file, but a folder, a pipe or a device"
    raise InputError.of("unreadable_file", message, "save the content to a regular file", file=str(path))


def parse_title(text: str) -> str:
    if text.strip():
        return text
    raise argparse.ArgumentTypeError("the name is empty; annotators see it as the title")
