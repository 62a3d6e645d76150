"""Make a task from files: the same as the upload page, from a shell."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from appraise.commands import whole
from evaluation.checks import MOST_PERCENT
from evaluation.importers import COMMAND_LINE, FORMATS, ImportedSet, Options, Role, SourceFile, read
from evaluation.importers.model import ImportedItem
from evaluation.models import Task
from evaluation.planning import LEARNT_FROM
from evaluation.problems import InputError, Problem
from evaluation.schemes import SCHEMES
from evaluation.services.importing import ImportSummary, TaskSettings, dry_run, import_set
from evaluation.services.uploading import named_campaign, new_campaign
from evaluation.streams import readable


class Command(AppraiseCommand):
    help = "Make one or more tasks from files, or nothing if there is a fault; prints what was made as JSON."
    examples = (
        'import_task news.xml --name "News, week 12"',
        "import_task --name News --source source.de.txt --system north=north.en.txt south=south.en.txt",
        "import_task news.tsv.gz --name News --scheme six-way --overlap 3 --dry-run",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("files", nargs="*", type=Path, metavar="FILE", help="one set of sentences, plain or gzipped")
        add("--format", choices=["auto", *FORMATS], default="auto", help="auto: detected from the content")
        add("--name", type=title, required=True, help="what people see as the title of the task")
        add(
            "--campaign",
            metavar="SLUG",
            help="where the task belongs; created if it does not exist (default: one of its own)",
        )
        add("--split", type=whole(1), metavar="N", help="make several tasks of N sentences each")
        add("--scheme", choices=list(SCHEMES), default="four-way", help="how many choices annotators have")
        add(
            "--shows",
            choices=Task.Shows.values,
            help="what stands above A and B (default: source if there is one)",
        )
        add("--source-lang", default="", metavar="CODE", help="language, where the files do not name it")
        add("--target-lang", default="", metavar="CODE", help="language, where the files do not name it")
        add(
            "--comparisons",
            default="all",
            metavar="DESIGN",
            help="who meets whom: all, baseline:NAME, round-robin:K or blocks:K",
        )
        add(
            "--dedup",
            choices=Task.Dedup.values,
            default=Task.Dedup.ITEM,
            help="identical phrase pairs are asked once in a sentence, once in the task, or each time",
        )
        add("--overlap", type=whole(1), default=2, metavar="N", help="annotators for each comparison")
        add("--seed", type=whole(0), default=1, help="decides every random draw")
        learns = f"how words are linked; statistical learns from the first {LEARNT_FROM:,} pairs of sentences"
        add("--aligner", choices=["lexical", "exact", "statistical"], default="lexical", help=learns)
        add(
            "--alignments",
            type=Path,
            metavar="FILE",
            help="word links between the two systems, Pharaoh or GIZA++ A3",
        )
        add("--link-base", type=int, choices=[0, 1], default=0)
        add("--source", type=Path, metavar="FILE", help="plain text: the source, one sentence a line")
        add(
            "--reference",
            type=Path,
            nargs="+",
            default=[],
            metavar="FILE",
            help="plain text: reference translations",
        )
        add(
            "--system",
            action="extend",
            nargs="+",
            default=[],
            metavar="NAME=FILE",
            help="plain text: the output of a system",
        )
        add(
            "--empty", choices=["refuse", "keep", "skip"], default="refuse",
            help="what becomes of items with an empty side",
        )  # fmt: skip
        add("--incomplete", action="store_true", help="not every system has translated every item")
        add(
            "--repeats", type=whole(0, 100), default=0, metavar="PERCENT",
            help="share of the comparisons that the same person sees a second time",
        )  # fmt: skip
        add(
            "--checks", type=int, choices=range(MOST_PERCENT + 1), default=0, metavar="PERCENT",
            help=f"attention checks, at most {MOST_PERCENT} per cent of the comparisons",
        )  # fmt: skip
        add("--order", choices=Task.Order.values, default=Task.Order.DOCUMENT, help="order of the sentences")
        add(
            "--moved",
            choices=Task.Moved.values,
            default=Task.Moved.RANKED,
            help="whether phrases that moved are asked about",
        )
        add(
            "--judging",
            choices=Task.Judging.values,
            default=Task.Judging.PAIRS,
            help="sentences with three or more candidates: two at a time, or all variants of a place at once",
        )
        add("--practice", action="store_true", help="a practice round before the first sentence")
        add("--dry-run", action="store_true", help="check and count; store nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        imported = read(
            list(self.sources(options)),
            format=options["format"],
            limits=COMMAND_LINE,
            options=Options(
                source_language=options["source_lang"],
                target_language=options["target_lang"],
                link_base=options["link_base"],
                empty=options["empty"],
                incomplete=options["incomplete"],
            ),
        )
        settings = self.settings(imported, options)
        if options["dry_run"]:
            made = dry_run(imported, settings, split=options["split"])
        else:
            made = self.store(imported, settings, options)
        self.write_json(
            {**asdict(made), "warnings": [str(warning) for warning in (*imported.warnings, *made.warnings)]}
        )

    def sources(self, options: dict[str, Any]) -> list[SourceFile]:
        found = [SourceFile.from_path(existing(path)) for path in options["files"]]
        if options["source"]:
            found.append(SourceFile.from_path(existing(options["source"]), Role.SOURCE))
        found += [SourceFile.from_path(existing(path), Role.REFERENCE) for path in options["reference"]]
        for text in options["system"]:
            system, sign, path = text.partition("=")
            if not (system and sign and path):
                self.refuse(
                    f"--system {text}: bad_option: expected NAME=FILE; name the system, and its file after ="
                )
            found.append(SourceFile.from_path(existing(Path(path)), Role.SYSTEM, system))
        if options["alignments"]:
            found.append(SourceFile.from_path(existing(options["alignments"]), Role.ALIGNMENTS))
        if not found:
            self.refuse("nothing to import: name a file, or --source, --reference and --system")
        return found

    def settings(self, imported: ImportedSet, options: dict[str, Any]) -> TaskSettings:
        return TaskSettings(
            name=options["name"],
            scheme=options["scheme"],
            source_language=imported.source_language,
            target_language=imported.target_language,
            shows=what_to_show(imported, options["shows"]),
            overlap=options["overlap"],
            comparisons=options["comparisons"],
            aligner=options["aligner"],
            dedup=options["dedup"],
            seed=options["seed"],
            repeats=options["repeats"],
            checks=options["checks"],
            order=options["order"],
            moved=options["moved"],
            judging=options["judging"],
            practice=options["practice"],
        )

    def store(self, imported: ImportedSet, settings: TaskSettings, options: dict[str, Any]) -> ImportSummary:
        name = options["campaign"] or options["name"]
        known = named_campaign(name)
        campaign = known or new_campaign(name)
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


def what_to_show(imported: ImportedSet, wanted: str | None) -> str:
    """What was asked for, or the source where every item has one, else the reference; never nothing."""
    faults = []
    for shows in [wanted] if wanted else Task.Shows.values:
        lacking = next((item for item in imported.items if not _above(item, shows)), None)
        if lacking is None:
            return shows
        told, remedy = f"item {lacking.id!r} has no {shows} to be shown", f"give every item a {shows}"
        faults.append(Problem("nothing_to_show", told, remedy, *lacking.place))
    raise InputError(faults)


def _above(item: ImportedItem, shows: str) -> bool:
    return bool(item.source if shows == Task.Shows.SOURCE else item.references)


def existing(path: Path) -> Path:
    """A file that can be read twice, since it is checked whole before anything is stored."""
    with readable(path):
        if path.is_file():
            return path
        if str(path) != "-":
            path.stat()
    told = "this is no file, but a folder, a pipe or a device"
    raise InputError(Problem("unreadable_file", told, "save the content and name the file", file=str(path)))


def title(text: str) -> str:
    if text.strip():
        return text
    raise argparse.ArgumentTypeError("annotators read the name; write a word or two")
