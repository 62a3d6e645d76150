"""``manage.py replicate paper-003 --set …``: a paper's experiments on other data, its table beside ours.

The report is written as JSON, Markdown, LaTeX and CSV into ``--out``, or as one of them on standard output.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.schemes import SCHEMES
from metrics.replicate.recipes import RECIPES, Options, refuse_foreign, run, title
from metrics.replicate.rendering import FORMS
from metrics.replicate.values import Report


class Command(AppraiseCommand):
    help = "Run the experiments of a paper on a chosen data set and print its tables beside ours."
    examples = (
        "replicate paper-003 --campaign demo --format md",
        "replicate paper-000 --set wmt12/cs-en wmt12/de-en --train wmt13/cs-en --out report",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        about = "; ".join(f"{name}: {title(name)}" for name in RECIPES)
        parser.add_argument("recipe", choices=sorted(RECIPES), help=about)
        add = parser.add_argument
        add("--set", nargs="+", default=[], dest="sets", metavar="DIR/PREFIX", help="files for paper-003")
        add("--train", nargs="+", default=[], metavar="SET", help="paper-000: other sets to train on")
        add("--test", nargs="+", default=[], metavar="SET", help="paper-001 and 004: a second collection")
        add("--scheme", default="", choices=["", *sorted(SCHEMES)], help="paper-003: of the files")
        add("--campaign", default="", metavar="SLUG", help="paper-003: what was collected here")
        add("--task", nargs="+", default=[], metavar="SLUG", help="paper-003: tasks of this site")
        add("--table", default="", metavar="FILE", help="paper-002: a background (train collocations)")
        add("--lm", default="", metavar="FILE", help="paper-001: a language model (train lm)")
        add("--lexicon", default="", metavar="FILE", help="paper-001: a lexicon (train lexicon)")
        add("--parser", default="none", choices=("none", "auto", "stanford"), help="paper-001: of outputs")
        add("--source-language", default="", help="paper-001: for instance de")
        add("--source-parses", default="", metavar="FILE", help="paper-001: of the sources, made elsewhere")
        add("--discourse-model", default="", metavar="FILE", help="paper-004: train discourse")
        add("--syntax", action="store_true", help="paper-004: also the metrics that parse")
        add("--whole", action="store_true", help="paper-004: score all outputs, not the judged ones only")
        add("--examples", type=int, default=2000, help="paper-000: most training examples")
        add("--tested", type=int, default=184, help="paper-001: sources kept apart")
        add("--resamples", type=int, default=1000)
        add("--seed", type=int, default=1)
        add("--out", default="", metavar="DIR", help="write report.json, .md, .tex and .csv there")
        add("--format", choices=["json", *FORMS], default="json", help="without --out")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        report = self._stored(options) if options["campaign"] or options["task"] else self._run(options)
        for one in report.missing:
            self.note(f"{one.part}: not run, because {one.because}")
        if options["out"]:
            self.write_json({"recipe": report.recipe, "files": written(report, Path(options["out"]))})
        elif options["format"] == "json":
            self.write_json(report.as_dict())
        else:
            self.stdout.write(FORMS[options["format"]][1](report), ending="")

    def _run(self, options: dict[str, Any]) -> Report:  # Any: argparse's values
        return run(options["recipe"], _options(options), self.note)

    def _stored(self, options: dict[str, Any]) -> Report:  # Any: argparse's values
        from metrics.services.replicating import stored_agreement

        if options["recipe"] != "paper-003" or options["sets"] or options["scheme"]:
            self.refuse("--campaign and --task belong to paper-003 alone, without --set and --scheme")
        if options["campaign"] and options["task"]:
            self.refuse("name a campaign or tasks, not both")
        checked = _options(options)
        refuse_foreign(options["recipe"], checked)
        return stored_agreement(
            campaign=options["campaign"],
            tasks=options["task"],
            resamples=checked.resamples,
            seed=checked.seed,
        )


def _options(given: dict[str, Any]) -> Options:  # Any: argparse's values
    names = Options.__dataclass_fields__
    values: dict[str, Any] = {name: tuple(v) if isinstance(v := given[name], list) else v for name in names}
    return Options(**values)


def written(report: Report, folder: Path) -> list[str]:
    """Write the report in every form; the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {"json": json.dumps(report.as_dict(), ensure_ascii=False, allow_nan=False, indent=1) + "\n"}
    texts |= {form: render(report) for form, (_, render) in FORMS.items()}
    for form, text in texts.items():
        (folder / f"report.{form}").write_text(text, encoding="utf-8")
    return [f"report.{form}" for form in texts]
