"""Rebuild the table of Avramidis et al. 2011 (paper 001) on any ranking data.

``ranker_table --train SET… --test SET`` trains on the first and tests on the second. Without ``--test`` there
are two ways: ``--paper-split N`` keeps N sources without contradictory judgements apart, as in the paper's
basic experiment; ``--folds K`` cross-validates by document. Every row comes with the tested sites held out of
training as well, and with controls that know only the system's name.
"""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from metrics.metaeval.kendall import TieRule
from metrics.ranking import data, experiment, presets
from metrics.ranking.classifiers import CLASSIFIERS
from metrics.ranking.experiment import Described, Plan, Row
from metrics.ranking.toolbox import Toolbox, Wanted, add_options
from metrics.ranking.training import described


class Command(AppraiseCommand):
    help = "Train and test rankers over combinations of features; prints one JSON document."
    examples = ("ranker_table --train judged.jsonl.gz --test DIR/PREFIX --source-language de --lm lm.npz",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--train", nargs="+", required=True, metavar="SET", help="DIR/PREFIX or JSON lines"
        )
        parser.add_argument("--test", default="", metavar="SET", help="test on another set")
        parser.add_argument(
            "--paper-split",
            type=int,
            default=0,
            metavar="N",
            help="test on N sources without contradictions, as the paper does",
        )
        parser.add_argument("--folds", type=int, default=0, metavar="K", help="test by cross-validation")
        parser.add_argument(
            "--consistent", action="store_true", help="test only where no judgements contradict"
        )
        parser.add_argument(
            "--preset", default="table1", help=f"{', '.join(presets.PRESETS)} or feature names"
        )
        parser.add_argument(
            "--classifiers", default="naive-bayes,knn", metavar="NAME,…", help="classifiers to try"
        )
        parser.add_argument(
            "--soft", action="store_true", help="add up probabilities instead of counting wins"
        )
        parser.add_argument("--ties", choices=[rule.value for rule in TieRule], default="wmt14")
        parser.add_argument("--resamples", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        plan = self._plan(options)
        ways = [bool(options["test"]), options["paper_split"] > 0, options["folds"] > 1]
        if sum(ways) != 1:
            self.refuse("choose one of --test SET, --paper-split N and --folds K (K of at least 2)")
        with Toolbox(Wanted.from_options(options), self.note) as extractor:
            train = experiment.join([described(data.read(name), extractor) for name in options["train"]])
            test = described(data.read(options["test"]), extractor) if options["test"] else None
            tools = {name: str(tool) for name, tool in extractor.tools.items()}
        rows = self._rows(plan, train, test, options)
        coverage = _coverage(train if test is None else test)
        self.write_json({"tools": tools, "missing": coverage, "rows": [row.as_dict() for row in rows]})

    def _plan(self, options: dict[str, Any]) -> Plan:
        kinds = options["classifiers"].split(",")
        if unknown := [kind for kind in kinds if kind not in CLASSIFIERS]:
            self.refuse(f"unknown classifier {unknown[0]!r}; known are: {', '.join(CLASSIFIERS)}")
        if options["resamples"] < 0 or options["seed"] < 0:
            self.refuse("--resamples and --seed count from 0")
        preset = options["preset"]
        settings = presets.PRESETS.get(preset) or {preset: presets.features_of(preset)}
        rule = TieRule(options["ties"])
        return Plan(settings, kinds, options["soft"], rule, options["resamples"], options["seed"])

    def _rows(
        self, plan: Plan, train: Described, test: Described | None, options: dict[str, Any]
    ) -> list[Row]:
        if options["folds"]:
            return [
                Row(
                    name,
                    kind,
                    "cross-validated",
                    experiment.cross_validated(plan, kind, names, train, options["folds"]),
                )
                for name, names in plan.settings.items()
                for kind in plan.classifiers
            ]
        if test is None:
            train, test = experiment.paper_split(train, options["paper_split"], plan.seed)
        if options["consistent"]:
            test = Described(data.without_contradictions(test.ranked), test.features)
        return experiment.table(plan, train, test, self.note)


def _coverage(described_set: Described) -> dict[str, float]:
    """Share of judged outputs for which a feature is missing, where it is."""
    from metrics.ranking.features import NAMES

    rows = described_set.features[described_set.ranked.judged()]
    share = (rows != rows).mean(axis=0)  # NaN differs from itself
    return {name: round(float(part), 4) for name, part in zip(NAMES, share, strict=True) if part}
