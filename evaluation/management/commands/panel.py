"""``manage.py panel``: how reliable is each person and machine, and what is probably true?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement import Judgements, read_judgements
from evaluation.agreement.rendering import Table, as_csv, as_latex, as_text
from evaluation.panel import MODELS, Panel, Reliability, Rules, Seats, mirror_of, reliabilities
from evaluation.reports.panel import Asked, consensus_table, member_table, members_of, panel_of
from evaluation.reports.scope import whole_scope
from evaluation.schemes import SCHEMES


class Command(AppraiseCommand):
    help = "Model people and metrics as one panel: how reliable each is, and a consensus with probabilities."
    examples = (
        "panel --campaign demo --format text",
        "panel --judgements answers.tsv --labels yes,no --table consensus --format csv",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        study = parser.add_mutually_exclusive_group(required=True)
        study.add_argument("--task", metavar="SLUG")
        study.add_argument("--campaign", metavar="SLUG")
        study.add_argument("--judgements", metavar="FILE.tsv", type=Path)
        parser.add_argument("--labels", metavar="L1,L2,…", help="the labels of a file; default: four-way")
        parser.add_argument(
            "--model",
            choices=sorted(MODELS),
            default="dawid-skene",
            help="a table of errors for each member, or knowing and guessing",
        )
        parser.add_argument(
            "--machines",
            choices=[s.value for s in Seats],
            default="one voice",
            help="how much the machines weigh: together as one person, not at all, or one voice each",
        )
        parser.add_argument("--resamples", type=int, default=200)
        parser.add_argument("--table", choices=["members", "consensus"], default="members")
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        if options["resamples"] < 0:
            self.refuse(f"--resamples must be 0 or more, found {options['resamples']}")
        document, table = self._of_file(options) if options["judgements"] else self._stored(options)
        if options["format"] == "json":
            self.write_json(document)
        else:
            render = {"csv": as_csv, "latex": as_latex, "text": as_text}[options["format"]]
            self.stdout.write(render(table), ending="")

    def _stored(self, options: dict[str, Any]) -> tuple[dict[str, object], Table]:
        if options["labels"]:
            self.refuse("--labels is for files; a task knows its scheme")
        kind = "task" if options["task"] else "campaign"
        scope = whole_scope(kind, options[kind])
        asked = Asked(options["model"], Seats(options["machines"]))
        found = panel_of(scope, asked, resamples=options["resamples"], most=2**62)
        if found is None:
            self.refuse(f"nobody has judged anything in {options[kind]}")
        table = member_table(found) if options["table"] == "members" else consensus_table(scope, found)
        return {
            "model": asked.model,
            "machines": asked.seats.value,
            "pairs": len(found.assembly.pairs),
            "members": [asdict(member) for member in members_of(found)],
            "expected_calibration": found.expected._asdict(),
        }, table

    def _of_file(self, options: dict[str, Any]) -> tuple[dict[str, object], Table]:
        labels = tuple(options["labels"].split(",")) if options["labels"] else SCHEMES["four-way"].labels
        if len({*labels} - {""}) < max(2, len(labels)):
            self.refuse(f"--labels needs two or more different names separated by commas, found {labels!r}")
        study = read_judgements(options["judgements"], labels)
        if not len(study):
            self.refuse(f"{options['judgements']} holds no judgements")
        panel = MODELS[options["model"]](study, Rules(mirror=mirror_of(labels)))
        rows = reliabilities(study, panel, resamples=options["resamples"])
        table = (
            _members(rows, options["model"]) if options["table"] == "members" else _consensus(study, panel)
        )
        return {
            "model": panel.model,
            "items": len(panel.posterior),
            "members": [r._asdict() for r in rows],
        }, table


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
