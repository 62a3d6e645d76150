"""``manage.py replicate paper-003 --set …``: a paper's experiments on other data, its table beside ours.

The report is written as JSON, Markdown, LaTeX and CSV into ``--out``, or as one of them on standard output.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.lib.digests import array_digest
from evaluation.agreement import Judgements
from evaluation.management.base import AppraiseCommand
from evaluation.reports.study_query import find_tasks, load_study
from evaluation.schemes import SCHEMES
from metrics.replicate import paper003
from metrics.replicate.recipes import RECIPES, refuse_foreign_options, run_recipe
from metrics.replicate.rendering import FORMS
from metrics.replicate.report import PAPERS, DataDigest, Replication, ReplicationOptions


class Command(AppraiseCommand):
    help = "Run the experiments of a paper on a chosen data set and print the tables next to the paper's."
    examples = (
        "replicate paper-003 --campaign demo --format md",
        "replicate paper-000 --set wmt12/cs-en wmt12/de-en --train wmt13/cs-en --out report",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        about = "; ".join(f"{name}: {PAPERS[name].title}" for name in RECIPES)
        parser.add_argument("recipe", choices=sorted(RECIPES), help=about)
        add = parser.add_argument
        add("--set", nargs="+", default=[], dest="sets", metavar="DIR/PREFIX", help="files for paper-003")
        add("--train", nargs="+", default=[], metavar="SET", help="paper-000: other sets to train on")
        add("--test", nargs="+", default=[], metavar="SET", help="paper-001 and 004: a second collection")
        add("--scheme", default="", choices=["", *sorted(SCHEMES)], help="paper-003: scheme of the files")
        add("--campaign", default="", metavar="SLUG", help="paper-003: a campaign of this site")
        add("--task", nargs="+", default=[], metavar="SLUG", help="paper-003: tasks of this site")
        add("--table", default="", metavar="FILE", help="paper-002: a collocation table (train collocations)")
        add("--lm", default="", metavar="FILE", help="paper-001: a language model (train lm)")
        add("--lexicon", default="", metavar="FILE", help="paper-001: a lexicon (train lexicon)")
        add(
            "--parser",
            default="none",
            choices=("none", "auto", "stanford"),
            help="paper-001: parser of the outputs",
        )
        add("--source-language", default="", help="paper-001: source language, for example de")
        help_discourse = "paper-004: discourse parser"
        add("--discourse-parser", default="heuristic", choices=("heuristic", "real"), help=help_discourse)
        add("--syntax", action="store_true", help="paper-004: also use the metrics that need a parser")
        add("--whole", action="store_true", help="paper-004: score all outputs, not only the judged ones")
        add("--examples", type=int, default=2000, help="paper-000: maximum number of training examples")
        add("--tested", type=int, default=184, help="paper-001: number of held-out sources")
        add("--resamples", type=int, default=1000)
        add("--seed", type=int, default=1)
        add("--out", default="", metavar="DIR", help="folder for report.json, .md, .tex and .csv")
        add("--format", choices=["json", *FORMS], default="json", help="output format, without --out")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        report = (
            self._stored(options)
            if options["campaign"] or options["task"]
            else run_recipe(options["recipe"], _read_options(options), self.note)
        )
        for missing in report.missing:
            self.note(f"{missing.part}: not run, because {missing.because}")
        if options["out"]:
            self.write_json({"recipe": report.recipe, "files": write_files(report, Path(options["out"]))})
        elif options["format"] == "json":
            self.write_json(report.as_dict())
        else:
            self.stdout.write(FORMS[options["format"]](report), ending="")

    def _stored(self, options: dict[str, Any]) -> Replication:  # Any: argparse's values
        if options["recipe"] != "paper-003" or options["sets"] or options["scheme"]:
            self.refuse("--campaign and --task belong to paper-003 alone, without --set and --scheme")
        if options["campaign"] and options["task"]:
            self.refuse("name a campaign or tasks, not both")
        checked = _read_options(options)
        refuse_foreign_options(options["recipe"], checked)
        return stored_agreement(
            campaign=options["campaign"],
            tasks=options["task"],
            resamples=checked.resamples,
            seed=checked.seed,
        )


def stored_agreement(
    *, campaign: str = "", tasks: Sequence[str] = (), resamples: int = 1000, seed: int = 1
) -> Replication:
    """κ and κ′ of the tasks of a campaign, or of named tasks; ``InputError`` where nothing is there.

    Annotators have their pseudonyms, which are the same within a campaign. A task that nobody has answered
    yet is left out, as long as another has answers.
    """
    if campaign:
        chosen = find_tasks("campaign__slug", campaign)
    else:
        chosen = [task for slug in dict.fromkeys(tasks) for task in find_tasks("slug", slug)]
    studies = {task.slug: load_study([task]).judgements() for task in chosen}
    studies = {slug: study for slug, study in studies.items() if len(study)} or studies
    data = [DataDigest(slug, _digest(judgements)) for slug, judgements in studies.items()]
    return paper003.replicate_studies(studies, data=data, resamples=resamples, seed=seed)


def _digest(judgements: Judgements) -> str:
    """Over the coded judgements: the same answers give the same digest."""
    columns = (judgements.annotators, judgements.items, judgements.labels, judgements.sentences)
    return array_digest(*(column.astype(np.int64) for column in columns))


def _read_options(values: dict[str, Any]) -> ReplicationOptions:  # Any: argparse's values
    names = ReplicationOptions.__dataclass_fields__
    options: dict[str, Any] = {n: tuple(v) if isinstance(v := values[n], list) else v for n in names}
    return ReplicationOptions(**options)


def write_files(report: Replication, folder: Path) -> list[str]:
    """Write the report in every form; the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"json": json.dumps(report.as_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"}
    texts |= {form: render(report) for form, render in FORMS.items()}
    for form, text in texts.items():
        (folder / f"report.{form}").write_text(text, encoding="utf-8")
    return [f"report.{form}" for form in texts]
