"""``manage.py panel``: how reliable is each person and machine, and what is probably true?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.lib.tables import Table
from evaluation.agreement import Judgements, read_judgements
from evaluation.management.base import RENDERERS, AppraiseCommand, whole_number
from evaluation.panel.models import MODELS, ModelOptions, Panel, fit_model
from evaluation.panel.reliability import Reliability, estimate_reliabilities
from evaluation.panel.votes import mirror_labels
from evaluation.schemes import SCHEMES


class Command(AppraiseCommand):
    help = "Model the annotators of a file as a panel: reliability of each member, and a consensus."
    examples = (
        "panel --judgements answers.tsv --format text",
        "panel --judgements answers.tsv --labels yes,no --table consensus --format csv",
    )
    option_help = {
        "--judgements": "TSV file with the columns annotator, item, label",
        "--model": "an error table per member (Dawid–Skene), or knowing and guessing (MACE)",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--judgements", metavar="FILE.tsv", type=Path, required=True)
        parser.add_argument("--labels", metavar="L1,L2,…", help="labels of the file (default: four-way)")
        parser.add_argument("--model", choices=sorted(MODELS), default="dawid-skene")
        parser.add_argument("--resamples", type=whole_number(0), default=200)
        parser.add_argument("--table", choices=["members", "consensus"], default="members")
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        labels = tuple(options["labels"].split(",")) if options["labels"] else SCHEMES["four-way"].labels
        if len({*labels} - {""}) < max(2, len(labels)):
            self.refuse(f"--labels needs two or more different names separated by commas, found {labels!r}")
        study = read_judgements(options["judgements"], labels)
        if not len(study):
            self.refuse(f"{options['judgements']} holds no judgements")
        panel = fit_model(options["model"], study, ModelOptions(mirror=mirror_labels(labels)))
        rows = estimate_reliabilities(study, panel, resamples=options["resamples"])
        if options["format"] == "json":
            members = [row._asdict() for row in rows]
            return self.write_json({"model": panel.model, "items": len(panel.posterior), "members": members})
        table = _members(rows, panel.model) if options["table"] == "members" else _consensus(study, panel)
        self.stdout.write(RENDERERS[options["format"]](table), ending="")


def _members(rows: list[Reliability], model: str) -> Table:
    columns = ("member", "answers", "reliability", "low", "high")
    return Table(f"Reliability: {model}", columns, tuple(tuple(row) for row in rows))


def _consensus(study: Judgements, panel: Panel) -> Table:
    """Items in the order in which the file first names them."""
    rows = tuple(
        (n + 1, *study.counts[:, n].tolist(), study.label_names[int(shares.argmax())], *shares.tolist())
        for n, shares in enumerate(panel.posterior)
    )
    shares = tuple(f"p({label})" for label in study.label_names)
    return Table("Consensus", ("item", *study.label_names, "consensus", *shares), rows)
