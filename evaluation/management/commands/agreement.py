"""``manage.py agreement``: do the annotators of a task, a campaign or a file agree?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.agreement import Chance, Judgements, Pairing, compute_agreement, read_judgements
from evaluation.agreement.kappa import LabelSet
from evaluation.agreement.report import build_coefficient_table, build_tables, to_document
from evaluation.management.base import RENDERERS, AppraiseCommand, whole_number
from evaluation.reports.scope import load_scope
from evaluation.reports.study_query import load_study
from evaluation.schemes import SCHEMES, Scheme


class Command(AppraiseCommand):
    help = "Compute agreement between annotators, with intervals from resampled sentences."
    examples = (
        "agreement --task evening-news --format text",
        "agreement --judgements answers.tsv --scheme six-way --resamples 2000",
    )
    option_help = {
        "--chance": "chance agreement P(E): one over the number of labels, or WMT's estimate",
        "--pairs": "compare judgements of different annotators, or also an annotator's own repeats",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        study = parser.add_mutually_exclusive_group(required=True)
        study.add_argument("--task", metavar="SLUG")
        study.add_argument("--campaign", metavar="SLUG")
        study.add_argument("--judgements", metavar="FILE.tsv", type=Path)
        labels = parser.add_mutually_exclusive_group()
        labels.add_argument("--scheme", choices=sorted(SCHEMES), help="the labels of a scoring scheme")
        labels.add_argument("--labels", metavar="L1,L2,…", help="other labels, in order")
        parser.add_argument("--chance", choices=[c.value for c in Chance], default="fixed")
        parser.add_argument("--pairs", choices=[p.value for p in Pairing], default="different")
        parser.add_argument("--resamples", type=whole_number(0), default=1000)
        parser.add_argument("--seed", type=whole_number(0), default=1)
        parser.add_argument("--format", choices=["json", "csv", "latex", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        study, repeats, scheme = self._study(options)
        chance = Chance(options["chance"])
        if chance is Chance.WMT:
            self._check_tie(study)
        report = compute_agreement(
            study,
            scheme,
            chance=chance,
            pairing=Pairing(options["pairs"]),
            resamples=options["resamples"],
            seed=options["seed"],
            repeats=repeats,
        )
        if options["format"] == "json":
            return self.write_json(to_document(report))
        tables = [build_coefficient_table(report)] if options["format"] == "csv" else build_tables(report)
        self.stdout.write("\n".join(map(RENDERERS[options["format"]], tables)), ending="")

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
        study = load_study(load_scope(kind, slug).tasks, named=True)
        if options["scheme"] and study.scheme.name != options["scheme"]:
            self.refuse(f"{slug} was judged with {study.scheme.name}, not {options['scheme']}")
        return study.judgements(), study.repeats(), study.scheme

    def _labels(self, text: str | None) -> tuple[str, ...]:
        if text is None:
            self.refuse("name the label set: --scheme four-way, --scheme six-way or --labels L1,L2,…")
        names = tuple(name.strip() for name in text.split(","))
        if len(names) < 2 or len(set(names)) < len(names) or "" in names:
            self.refuse(f"--labels needs two or more different names separated by commas, found {text!r}")
        return names

    def _check_tie(self, study: Judgements) -> None:
        try:
            _ = LabelSet(study.label_names).tie
        except ValueError as error:
            self.refuse(f"--chance wmt: {error}")
