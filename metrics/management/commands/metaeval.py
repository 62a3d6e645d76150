"""How well do metrics agree with people? ``metaeval`` on files of judged translations.

Prints ``{metric: {"tau", "tau_ci", "pairs", "system_rho", "systems", "pearson", "pearson_ci", "spearman"}}``;
with ``--by`` each metric also has ``"by": {group: {…}}``, with ``--details`` more figures and the tests
against every other metric. A metric that says nothing of some translations also has ``"undefined"``, how
many, and ``"pairs_left_out"``, the decisive pairs lost to them. Scores of lower-is-better metrics are negated
first: a good metric is positive.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from metrics import datasets
from metrics.base import Metric, MetricUnavailable
from metrics.cluster import connected
from metrics.datasets import Comparisons, Dataset, Ratings
from metrics.metaeval.compare import compare
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.people import machines_only
from metrics.metaeval.report import Evaluation, Judgements, evaluate, judgements
from metrics.metaeval.scoring import CellScores, score_dataset
from metrics.model_files import chosen

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
        human.add_argument("--scores", metavar="FILE.tsv", help="people's scores: system, seg, a score")
        human.add_argument(
            "--judged", metavar="FILE.tsv", help="source, references, translation and score in one row"
        )
        parser.add_argument("--segments", metavar="FILE.tsv")
        parser.add_argument("--outputs", metavar="FILE.tsv")
        parser.add_argument("--score-column", metavar="NAME", help="where a file has several scores")
        parser.add_argument("--by", metavar="COLUMN", help="with --judged: also report each group")
        parser.add_argument(
            "--metrics", default="", metavar="NAME,…", help="metrics; `score --list` names them"
        )
        parser.add_argument("--model", action="append", default=[], metavar="FILE", help="a trained model")
        parser.add_argument("--ties", choices=[rule.value for rule in TieRule], default=TieRule.WMT14.value)
        parser.add_argument("--resamples", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--workers", type=int, default=1)
        parser.add_argument(
            "--details", action="store_true", help="more statistics, and tests between metrics"
        )
        parser.add_argument("--format", choices=["json", "text"], default="json")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        self._check(options)
        metrics = self._metrics(options)
        with connected():
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
        if options["resamples"] < 0:
            self.refuse(f"--resamples counts from 0, not {options['resamples']}")
        if options["seed"] < 0 or options["workers"] < 1:
            self.refuse("--seed counts from 0 and --workers from 1")

    def _metrics(self, options: Options) -> dict[str, Metric]:
        names = [name.strip() for name in options["metrics"].split(",") if name.strip()]
        if not names and not options["model"]:
            self.refuse("name at least one metric (--metrics) or model (--model)")
        try:
            return chosen(names, options["model"])
        except ValueError as error:
            self.refuse(str(error))

    def _parts(self, options: Options) -> Iterator[tuple[str | None, Dataset, Comparisons | Ratings]]:
        """The whole set under None, then each group."""
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
        human, people = machines_only(human, dataset)
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
        sides, rule = judgements(dataset, human), TieRule(options["ties"])
        scores: dict[str, CellScores] = {}
        results: dict[str, Evaluation] = {}
        where = "" if group is None else f"{group}, "
        for name, metric in metrics.items():
            self.note(f"{where}{name}: {len(dataset.cells):,} translations")  # a parser may need minutes
            try:
                scores[name] = score_dataset(metric, dataset, workers=options["workers"])
            except (MetricUnavailable, ValueError) as error:
                self.refuse(str(error))
            if scores[name].undefined:
                self.note(f"{name} says nothing of {scores[name].undefined} translations; they are left out")
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
    human: Judgements,
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
