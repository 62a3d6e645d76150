"""``manage.py metaeval``: how well metrics agree with people, on files of judged translations.

Prints ``{metric: {"tau", "tau_ci", "pairs", "system_rho", "systems", "pearson", "pearson_ci", "spearman"}}``;
where people gave scores, also ``"acc_eq"``, ``"acc_eq_epsilon"``, ``"system_pearson"`` and ``"spa"``. With
``--by`` each metric also has ``"by": {group: {…}}``, with ``--set`` means and ``"sets": {set: {…}}``, with
``--compare`` ``"compare": {other: {…}}``, its figures minus those of the other, and with ``--details`` more
figures and the tests against every other metric. A metric without a score for some translations also has
``"undefined"``, their number, and ``"pairs_left_out"``, the decisive pairs with such a translation. If lower
scores are better, they are negated first, so that a good metric has positive figures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from django.core.management.base import CommandParser

from evaluation.management.base import AppraiseCommand, whole_number
from metrics.base import Metric, MetricUnavailable
from metrics.metaeval import datasets
from metrics.metaeval.comparison import compare_metrics
from metrics.metaeval.datasets import Comparisons, Dataset, Ratings
from metrics.metaeval.evaluation import Evaluation, HumanJudgements, compare, evaluate, human_judgements
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.mtme import load_mtme
from metrics.metaeval.scoring import CellScores, score_dataset
from metrics.metaeval.systems import drop_references
from metrics.scoring.cluster import use_cluster
from metrics.scoring.model_files import load_metrics

NESTED = ("by", "sets")  # keys of further rows of the text format
Options = dict[str, Any]  # Any: argparse's values


class Command(AppraiseCommand):
    help = "Measure how well metrics agree with human rankings, pairs or scores."
    examples = (
        "metaeval --segments s.tsv --outputs o.tsv --rankings r.jsonl --metrics bleu,chrf --format text",
        "metaeval --judged scored.tsv --score-column da_z --by lp --metrics chrf",
        "metaeval --mtme wmt23 --lp en-de --imported COMET-refA,BLEU-refA --compare --format text",
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
        human.add_argument("--mtme", metavar="DIR", help="a directory in the layout of mt-metrics-eval")
        human.add_argument("--set", action="append", metavar="DIR/PREFIX")
        add = parser.add_argument
        add("--lp", metavar="LP", help="with --mtme: the language pair, for instance en-de")
        add("--human", metavar="NAME", default="mqm", help="with --mtme: the name of the human scores")
        add("--imported", metavar="NAME,…", help="with --mtme: published scores, such as COMET-refA")
        add("--reference", action="append", default=[], metavar="NAME", help="with --mtme: for our metrics")
        add(
            "--with-references", action="store_true", help="with --mtme: references that were rated take part"
        )
        add("--compare", action="store_true", help="differences of all metrics, with intervals and tests")
        add("--segments", metavar="FILE.tsv")
        add("--outputs", metavar="FILE.tsv")
        add("--score-column", metavar="NAME", help="column to use if a file has several scores")
        help_by = "also report each document or domain; with --judged each group of this column"
        add("--by", metavar="document|domain|COLUMN", help=help_by)
        help_systems = "intervals of τ resample systems, too, not segments alone"
        add("--resample-systems", action="store_true", help=help_systems)
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
            parts = [(part.group, self._evaluate(part, metrics, options)) for part in self._parts(options)]
        document = parts[0][1]
        if options["set"]:
            document = average_sets(dict(zip(options["set"], [figures for _, figures in parts], strict=True)))
        elif options["judged"] and options["by"]:
            for name in document:
                document[name]["by"] = {group: results[name] for group, results in parts[1:]}
        self._write(document, options["format"])

    def _check(self, options: Options) -> None:
        has_texts = options["judged"] or options["mtme"] or options["set"]
        if not has_texts and not options["segments"]:
            self.refuse("--segments is needed with --rankings, --pairs and --scores")
        if (options["rankings"] or options["pairs"]) and not options["outputs"]:
            self.refuse("--outputs is needed with --rankings and --pairs")
        if options["by"] not in (None, "document", "domain") and not options["judged"]:
            self.refuse("--by COLUMN belongs to --judged; otherwise --by document or --by domain")
        if options["mtme"] and not options["lp"]:
            self.refuse("--mtme needs --lp")
        for name in ("lp", "imported", "reference", "with_references"):
            if options[name] and not options["mtme"]:
                self.refuse(f"--{name.replace('_', '-')} belongs to --mtme")

    def _metrics(self, options: Options) -> dict[str, Metric]:
        names = split_names(options["metrics"])
        if not names and not options["model"] and not options["mtme"]:
            self.refuse("name at least one metric (--metrics) or model (--model)")
        try:
            return load_metrics(names, options["model"])
        except ValueError as error:
            self.refuse(str(error))

    def _parts(self, options: Options) -> Iterator[EvaluationPart]:
        """Yield the whole set with the group None, then each group; or each set."""
        if options["mtme"]:
            yield self._mtme_part(options)
        elif options["set"]:
            for prefix in options["set"]:
                yield self._part(prefix, *datasets.read_set(prefix))
        elif options["judged"]:
            column = options["score_column"] or self.refuse("--judged needs --score-column")
            judged = datasets.read_judged(options["judged"], column=column, by=options["by"])
            yield EvaluationPart(None, judged.dataset, judged.ratings)
            for group in dict.fromkeys(judged.groups) if options["by"] else ():
                yield EvaluationPart(group, *judged.group(group))
        else:
            yield self._part(None, *self._read_files(options))

    def _mtme_part(self, options: Options) -> EvaluationPart:
        """Read a directory; without --metrics, --model and --imported all published metrics take part."""
        judged = load_mtme(
            options["mtme"],
            options["lp"],
            options["human"],
            references=options["reference"],
            with_references=options["with_references"],
        )
        names = split_names(options["imported"] or "")
        if not (names or options["metrics"] or options["model"]):
            names = judged.list_imported()
        return EvaluationPart(None, judged.dataset, judged.ratings, judged.read_imported(names))

    def _read_files(self, options: Options) -> tuple[Dataset, Comparisons | Ratings]:
        if options["scores"]:
            return datasets.read_scores(
                options["scores"], options["segments"], options["outputs"], column=options["score_column"]
            )
        dataset = datasets.read_dataset(options["segments"], options["outputs"])
        read = datasets.read_rankings if options["rankings"] else datasets.read_pairs
        return dataset, read(options["rankings"] or options["pairs"], dataset)

    def _part(self, group: str | None, dataset: Dataset, human: Comparisons | Ratings) -> EvaluationPart:
        human, people = drop_references(human, dataset)
        if people:
            self.note(f"left out, because they are references: {', '.join(people)}")
        return EvaluationPart(group, dataset, human)

    def _evaluate(
        self, part: EvaluationPart, metrics: dict[str, Metric], options: Options
    ) -> dict[str, dict[str, object]]:
        sides = human_judgements(part.dataset, part.human, seed=options["seed"])
        scores = self._score(part, metrics, options) | dict(part.imported)
        results: dict[str, Evaluation] = {}
        for name, cells in scores.items():
            if cells.undefined:
                self.note(f"{name} has no score for {cells.undefined} translations; they are left out")
            results[name] = _compare_with_people(cells, sides, options)
        document = {name: result.as_json() for name, result in results.items()}
        if options["by"] and not options["judged"]:
            for name, groups in self._group(part, scores, options).items():
                document[name]["by"] = groups
        if options["compare"]:
            _add_comparison(document, results, scores, sides, options)
        if options["details"]:
            _add_details(document, results, scores, sides, options)
        return document

    def _group(
        self, part: EvaluationPart, scores: Mapping[str, CellScores], options: Options
    ) -> dict[str, dict[str, object]]:
        """Return the figures of each document or domain by metric."""
        texts = part.dataset.texts
        labels = np.array([getattr(texts[cell.segment], options["by"]) for cell in part.dataset.cells])
        if not labels.any():
            self.refuse(f"--by {options['by']}: the segments name no {options['by']}")
        found: dict[str, dict[str, object]] = {name: {} for name in scores}
        for group in dict.fromkeys(labels.tolist()):
            kept = np.flatnonzero(labels == group)
            dataset, human = datasets.restrict_cells(part.dataset, part.human, kept)
            sides = human_judgements(dataset, human, seed=options["seed"])
            for name, cells in scores.items():
                figures = _compare_with_people(cells.restrict(kept, dataset), sides, options)
                found[name][group] = figures.as_json()
        return found

    def _score(
        self, part: EvaluationPart, metrics: dict[str, Metric], options: Options
    ) -> dict[str, CellScores]:
        scores: dict[str, CellScores] = {}
        where = "" if part.group is None else f"{part.group}, "
        for name, metric in metrics.items():
            self.note(f"{where}{name}: {len(part.dataset.cells):,} translations")  # parsers may take minutes
            try:
                scores[name] = score_dataset(metric, part.dataset, workers=options["workers"])
            except (MetricUnavailable, ValueError) as error:
                self.refuse(str(error))
        return scores

    def _write(self, document: dict[str, dict[str, object]], form: str) -> None:
        if form == "json":
            self.write_json(document)
            return
        columns = list(dict.fromkeys(key for row in document.values() for key in row if key not in NESTED))
        self.stdout.write("\t".join(["metric", *columns]))
        for name, result in document.items():
            groups: Any = (
                result.get("by") or result.get("sets") or {}
            )  # Any: nested results of the same shape
            for label, row in [(name, result), *((f"{name} {key}", row) for key, row in groups.items())]:
                self.stdout.write("\t".join([label, *(_cell(row.get(key)) for key in columns)]))


def _compare_with_people(cells: CellScores, sides: HumanJudgements, options: Options) -> Evaluation:
    return evaluate(
        cells,
        sides,
        TieRule(options["ties"]),
        resamples=options["resamples"],
        seed=options["seed"],
        resample_systems=options["resample_systems"],
    )


class EvaluationPart(NamedTuple):
    """One set, or a group of it, with the human judgements and the published scores."""

    group: str | None
    dataset: Dataset
    human: Comparisons | Ratings
    imported: Mapping[str, CellScores] = MappingProxyType({})


def split_names(text: str) -> list[str]:
    """
    >>> split_names("bleu, chrf,")
    ['bleu', 'chrf']
    """
    return [name for part in text.split(",") if (name := part.strip())]


def average_sets(sets: dict[str, dict[str, dict[str, object]]]) -> dict[str, dict[str, object]]:
    """Return the means of the figures over sets, the sum of the pairs, and the figures of each set.

    >>> sets = {"a": {"bleu": {"tau": 0.2, "pairs": 3}}, "b": {"bleu": {"tau": None, "pairs": 4}}}
    >>> average_sets(sets)["bleu"]["tau"]
    0.2
    """
    document: dict[str, dict[str, object]] = {}
    for name, first in next(iter(sets.values())).items():
        of_sets = {prefix: figures[name] for prefix, figures in sets.items()}
        means: dict[str, object] = {}
        for key in first:
            values = [value for row in of_sets.values() if isinstance(value := row.get(key), int | float)]
            if key == "pairs":
                means[key] = sum(values)
            elif isinstance(first[key], str):
                means[key] = first[key]
            elif values or first[key] is None:
                means[key] = sum(values) / len(values) if values else None
        document[name] = {**means, "sets": of_sets}
    return document


def _add_comparison(
    document: dict[str, dict[str, object]],
    results: dict[str, Evaluation],
    scores: dict[str, CellScores],
    human: HumanJudgements,
    options: Options,
) -> None:
    """Add the differences of all metrics, in both orders."""
    differences: dict[str, dict[str, object]] = {name: {} for name in results}
    for a, b in combinations(results, 2):
        difference = compare_metrics(
            (results[a], scores[a].cells),
            (results[b], scores[b].cells),
            human,
            resamples=options["resamples"],
            seed=options["seed"],
        )
        differences[a][b] = difference.as_json()
        differences[b][a] = difference.mirrored.as_json()
    for name, others in differences.items():
        document[name]["compare"] = others


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
