"""``manage.py metaeval``: how well metrics agree with people, on files of judged translations.

Prints ``{metric: {"tau", "tau_ci", "pairs", "system_rho", "systems", "pearson", "pearson_ci", "spearman"}}``;
with ``--by`` each metric also has ``"by": {group: {…}}``, with ``--details`` more figures and the tests
against every other metric. A metric without a score for some translations also has ``"undefined"``, their
number, and ``"pairs_left_out"``, the decisive pairs with such a translation. If lower scores are better, they
are negated first, so that a good metric has positive figures.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from django.core.management.base import CommandParser

from evaluation.management.base import AppraiseCommand, whole_number
from metrics.base import Metric, MetricUnavailable
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Comparisons, Dataset, Ratings
from metrics.metaeval.evaluation import Evaluation, HumanJudgements, compare, evaluate, human_judgements
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.scoring import CellScores, score_dataset
from metrics.metaeval.systems import drop_references
from metrics.scoring.cluster import use_cluster
from metrics.scoring.model_files import load_metrics

Options = dict[str, Any]  # Any: argparse's values


class Command(AppraiseCommand):
    help = "Measure how well metrics agree with human rankings, pairs or scores."
    examples = (
        "metaeval --segments s.tsv --outputs o.tsv --rankings r.jsonl --metrics bleu,chrf --format text",
        "metaeval --judged scored.tsv --score-column da_z --by lp --metrics chrf",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        human = parser.add_mutually_exclusive_group(required=True)
        human.add_argument("--rankings", metavar="FILE.jsonl")
        human.add_argument("--pairs", metavar="FILE.tsv")
        human.add_argument(
            "--scores", metavar="FILE.tsv", help="human scores: columns system, seg and a score"
        )
        human.add_argument(
            "--judged", metavar="FILE.tsv", help="source, references, translation and score in one row"
        )
        add = parser.add_argument
        add("--segments", metavar="FILE.tsv")
        add("--outputs", metavar="FILE.tsv")
        add("--score-column", metavar="NAME", help="column to use if a file has several scores")
        add("--by", metavar="COLUMN", help="with --judged: also report each group of this column")
        add("--metrics", default="", metavar="NAME,…", help="names of metrics, as listed by `score --list`")
        add("--model", action="append", default=[], metavar="FILE", help="a trained model")
        add("--ties", choices=[rule.value for rule in TieRule], default=TieRule.WMT14.value)
        add("--resamples", type=whole_number(0), default=1000)
        add("--seed", type=whole_number(0), default=1)
        add("--workers", type=whole_number(1), default=1)
        add("--details", action="store_true", help="more statistics, and tests between metrics")
        add("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        self._check(options)
        metrics = self._metrics(options)
        with use_cluster():
            whole, *groups = [
                (group, self._evaluate(group, metrics, dataset, human, options))
                for group, dataset, human in self._parts(options)
            ]
        document = whole[1]
        if options["by"]:
            for name in document:
                document[name]["by"] = {group: results[name] for group, results in groups}
        self._write(document, options["format"])

    def _check(self, options: Options) -> None:
        if not options["judged"] and not options["segments"]:
            self.refuse("--segments is needed with --rankings, --pairs and --scores")
        if (options["rankings"] or options["pairs"]) and not options["outputs"]:
            self.refuse("--outputs is needed with --rankings and --pairs")
        if options["by"] and not options["judged"]:
            self.refuse("--by belongs to --judged")

    def _metrics(self, options: Options) -> dict[str, Metric]:
        names = [name.strip() for name in options["metrics"].split(",") if name.strip()]
        if not names and not options["model"]:
            self.refuse("name at least one metric (--metrics) or model (--model)")
        try:
            return load_metrics(names, options["model"])
        except ValueError as error:
            self.refuse(str(error))

    def _parts(self, options: Options) -> Iterator[tuple[str | None, Dataset, Comparisons | Ratings]]:
        """Yield the whole set with the group None, then each group."""
        human: Comparisons | Ratings
        if options["judged"]:
            column = options["score_column"] or self.refuse("--judged needs --score-column")
            judged = datasets.read_judged(options["judged"], column=column, by=options["by"])
            yield None, judged.dataset, judged.ratings
            for group in dict.fromkeys(judged.groups) if options["by"] else ():
                yield group, *judged.group(group)
            return
        if options["scores"]:
            dataset, human = datasets.read_scores(
                options["scores"], options["segments"], options["outputs"], column=options["score_column"]
            )
        else:
            dataset = datasets.read_dataset(options["segments"], options["outputs"])
            read = datasets.read_rankings if options["rankings"] else datasets.read_pairs
            human = read(options["rankings"] or options["pairs"], dataset)
        human, people = drop_references(human, dataset)
        if people:
            self.note(f"left out, because they are references: {', '.join(people)}")
        yield None, dataset, human

    def _evaluate(
        self,
        group: str | None,
        metrics: dict[str, Metric],
        dataset: Dataset,
        human: Comparisons | Ratings,
        options: Options,
    ) -> dict[str, dict[str, object]]:
        sides, rule = human_judgements(dataset, human), TieRule(options["ties"])
        scores: dict[str, CellScores] = {}
        results: dict[str, Evaluation] = {}
        where = "" if group is None else f"{group}, "
        for name, metric in metrics.items():
            self.note(f"{where}{name}: {len(dataset.cells):,} translations")  # parsers may take minutes
            try:
                scores[name] = score_dataset(metric, dataset, workers=options["workers"])
            except (MetricUnavailable, ValueError) as error:
                self.refuse(str(error))
            if scores[name].undefined:
                self.note(f"{name} has no score for {scores[name].undefined} translations; they are left out")
            results[name] = evaluate(
                scores[name], sides, rule, resamples=options["resamples"], seed=options["seed"]
            )
        document = {name: result.as_json() for name, result in results.items()}
        if options["details"]:
            _add_details(document, results, scores, sides, options)
        return document

    def _write(self, document: dict[str, dict[str, object]], form: str) -> None:
        if form == "json":
            self.write_json(document)
            return
        columns = list(dict.fromkeys(key for row in document.values() for key in row if key != "by"))
        self.stdout.write("\t".join(["metric", *columns]))
        for name, result in document.items():
            groups: Any = result.get("by", {})  # Any: nested results of the same shape
            for label, row in [(name, result), *((f"{name} {key}", row) for key, row in groups.items())]:
                self.stdout.write("\t".join([label, *(_cell(row.get(key)) for key in columns)]))


def _add_details(
    document: dict[str, dict[str, object]],
    results: dict[str, Evaluation],
    scores: dict[str, CellScores],
    human: HumanJudgements,
    options: Options,
) -> None:
    pairs = list(combinations(results, 2))
    tests = compare(
        [(results[a], scores[a].cells, results[b], scores[b].cells) for a, b in pairs],
        human,
        resamples=options["resamples"],
        seed=options["seed"],
    )
    for name, result in results.items():
        versus = {
            b if a == name else a: test for (a, b), test in zip(pairs, tests, strict=True) if name in (a, b)
        }
        document[name] |= result.details() | {"against": versus}


def _cell(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict):  # the tests against other metrics
        return ", ".join(f"{name} {_cell(inner)}" for name, inner in value.items())
    if isinstance(value, tuple):
        return f"[{value[0]:.3f}, {value[1]:.3f}]"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
