"""``manage.py agreement``: do the annotators of a task, a campaign or a file agree?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.agreement import AgreementReport, Chance, Judgements, Pairing, read_judgements, report
from evaluation.agreement.chance import Labels
from evaluation.agreement.rendering import as_csv, as_json, as_latex, as_text, coefficient_table, tables
from evaluation.reports import judgements as stored
from evaluation.schemes import SCHEMES, Scheme


class Command(AppraiseCommand):
    help = "Agreement of annotators, with intervals that respect sentences."
    examples = (
        "agreement --task evening-news --format text",
        "agreement --judgements answers.tsv --scheme six-way --resamples 2000",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        study = parser.add_mutually_exclusive_group(required=True)
        study.add_argument("--task", metavar="SLUG")
        study.add_argument("--campaign", metavar="SLUG")
        study.add_argument("--judgements", metavar="FILE.tsv", type=Path)
        labels = parser.add_mutually_exclusive_group()
        labels.add_argument("--scheme", choices=sorted(SCHEMES), help="the labels of a scoring scheme")
        labels.add_argument("--labels", metavar="L1,L2,…", help="other labels, in their order")
        parser.add_argument(
            "--chance",
            choices=[c.value for c in Chance],
            default="fixed",
            help="chance agreement P(E): one over the number of labels, or WMT's estimate",
        )
        parser.add_argument(
            "--pairs",
            choices=[p.value for p in Pairing],
            default="different",
            help="compare judgements of different annotators, or also an annotator's own repeats",
        )
        parser.add_argument("--resamples", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        if options["resamples"] < 0:
            self.refuse(f"--resamples must be 0 or more, found {options['resamples']}")
        if options["seed"] < 0:
            self.refuse(f"--seed must be 0 or more, found {options['seed']}")
        study, repeats, scheme = self._study(options)
        chance = Chance(options["chance"])
        if chance is Chance.WMT:
            self._check_tie(study)
        self._print(
            report(
                study,
                scheme,
                chance=chance,
                pairing=Pairing(options["pairs"]),
                resamples=options["resamples"],
                seed=options["seed"],
                repeats=repeats,
            ),
            options["format"],
        )

    def _study(self, options: dict[str, Any]) -> tuple[Judgements, Judgements | None, Scheme | None]:
        """The judgements, the repeats if they are kept apart, and the scheme if there is one."""
        if options["judgements"] is None:
            return self._stored_study(options)
        scheme = SCHEMES[options["scheme"]] if options["scheme"] else None
        labels = scheme.labels if scheme else self._labels(options["labels"])
        return read_judgements(options["judgements"], labels), None, scheme

    def _stored_study(self, options: dict[str, Any]) -> tuple[Judgements, Judgements | None, Scheme | None]:
        if options["labels"]:
            self.refuse("--labels is for files; a task knows its scheme")
        kind = "task" if options["task"] else "campaign"
        slug = options[kind]
        study = stored.task_judgements(slug) if kind == "task" else stored.campaign_judgements(slug)
        repeats = stored.repeat_judgements(**{kind: slug})
        scheme = next((s for s in SCHEMES.values() if s.labels == study.label_names), None)
        if options["scheme"] and (scheme is None or scheme.name != options["scheme"]):
            self.refuse(
                f"{slug} was judged with {scheme.name if scheme else 'other labels'}, not {options['scheme']}"
            )
        return study, repeats, scheme

    def _labels(self, text: str | None) -> tuple[str, ...]:
        if text is None:
            self.refuse(
                "say which labels could be given: --scheme four-way, --scheme six-way or --labels L1,L2,…"
            )
        names = tuple(name.strip() for name in text.split(","))
        if len(names) < 2 or len(set(names)) < len(names) or "" in names:
            self.refuse(f"--labels needs two or more different names separated by commas, found {text!r}")
        return names

    def _check_tie(self, study: Judgements) -> None:
        try:
            _ = Labels.of(study).tie
        except ValueError as error:
            self.refuse(f"--chance wmt: {error}")

    def _print(self, found: AgreementReport, form: str) -> None:
        if form == "json":
            self.write_json(as_json(found))
        elif form == "csv":
            self.stdout.write(as_csv(coefficient_table(found)), ending="")
        else:
            render = as_latex if form == "latex" else as_text
            self.stdout.write("\n".join(render(table) for table in tables(found)), ending="")
