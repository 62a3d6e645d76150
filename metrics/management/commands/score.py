"""``manage.py score``: score translations in files, ``score --metrics bleu,chrf --hyp NAME=FILE … --ref FILE
…``.

``score --task SLUG --metrics …`` scores the outputs of a task and stores the scores.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from evaluation.management.base import AppraiseCommand, whole_number
from evaluation.reports.study_query import find_tasks
from metrics import registry
from metrics.base import AddableMetric, Metric, MetricUnavailable, Scores, score_systems
from metrics.lexical.tokenizers import NAMES
from metrics.metaeval.text_files import check_parallel, read_segments
from metrics.scoring import significance
from metrics.scoring.cluster import use_cluster
from metrics.scoring.model_files import load_metrics

Options = dict[str, Any]  # Any: argparse's values
TESTS: dict[str, Callable[..., list[significance.SignificanceResult]]] = {
    "bootstrap": significance.paired_bootstrap,
    "randomisation": significance.approximate_randomisation,
}


class Command(AppraiseCommand):
    help = "Score translations with automatic metrics; prints JSON, one number per segment and per system."
    examples = (
        "score --list",
        "score --metrics bleu,chrf --hyp north=n.txt south=s.txt --ref reference.txt --baseline north",
        "score --task evening-news --metrics bleu,wer --format text",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        several: Options = {"nargs": "+", "action": "extend", "default": []}
        add(
            "--metrics",
            default="",
            metavar="M1,M2",
            help="names of metrics, with parameters as in bleu:length=shortest",
        )
        add("--model", action="append", default=[], metavar="FILE", help="a trained model")
        add("--task", metavar="SLUG", help="score the outputs of a task and store the scores")
        add("--hyp", **several, metavar="[NAME=]FILE", help="outputs of a system, one segment per line")
        add("--ref", **several, metavar="FILE", help="references, one or more files")
        add("--src", metavar="FILE", help="the source, for metrics that read it")
        add("--tokenize", choices=NAMES, help="tokenisation for metrics that count words")
        add("--lowercase", action="store_true")
        add(
            "--workers",
            type=whole_number(1),
            default=1,
            help="number of threads; does not affect the results",
        )
        add("--baseline", metavar="NAME", help="test every other system against this one")
        add("--test", choices=TESTS, default="bootstrap", help="significance tests, with --baseline")
        add("--resamples", type=whole_number(1), default=1000)
        add("--seed", type=whole_number(0), default=1)
        add("--list", action="store_true", help="list every metric and its requirements")
        add("--format", choices=("json", "text"), help="output format (default: json, or text for --list)")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if options["list"]:
            return self._list(options["format"])
        self._check(options)
        metrics = self._metrics(options)
        score = self._score_task if options["task"] else self._score_files
        with use_cluster():
            document = score(metrics, options)
        if options["format"] == "text":
            return self._write_table(document)
        self.write_json(document)

    def _score_files(self, metrics: dict[str, Metric], options: Options) -> dict[str, Any]:
        systems, references, sources = self._texts(options)
        for metric in metrics.values():
            self._check_needs(metric, references=len(references), source=sources is not None)
        document: dict[str, object] = {}
        for name, metric in metrics.items():
            self.note(f"{name}: {_count(len(systems), 'system')}, {_count(len(references), 'reference')}")
            try:
                scores = score_systems(metric, systems, references, sources, workers=options["workers"])
            except MetricUnavailable as error:
                self.refuse(str(error))
            document[name] = describe(metric, scores) | self._tests(metric, scores, options)
        return document

    def _check(self, options: Options) -> None:
        if not options["hyp"] and not options["task"]:
            self.refuse("name at least one file to score: --hyp NAME=FILE, or a task: --task SLUG")
        if options["task"] and (options["hyp"] or options["ref"] or options["src"] or options["baseline"]):
            self.refuse("--task brings its own texts; leave out --hyp, --ref, --src and --baseline")

    def _score_task(self, metrics: dict[str, Metric], options: Options) -> dict[str, Any]:
        from metrics.scoring.queries import load_scores  # only a task needs the database
        from metrics.scoring.services.runs import RunState, score_task

        task = find_tasks("slug", options["task"])[0]
        outcomes = score_task(task, metrics, lambda done, total, what: self.note(what) if what else None)
        if refused := [outcome.reason for outcome in outcomes if outcome.state is RunState.REFUSED]:
            self.refuse("\n".join(refused))
        return load_scores(task, {outcome.metric: outcome.run for outcome in outcomes if outcome.run})

    def _metrics(self, options: Options) -> dict[str, Metric]:
        names = [name.strip() for name in options["metrics"].split(",") if name.strip()]
        if not names and not options["model"]:
            self.refuse("name at least one metric (--metrics, see --list) or model (--model)")
        try:
            return load_metrics(names, options["model"], lambda name: self._with_options(name, options))
        except ValueError as error:
            self.refuse(str(error))

    def _with_options(self, specification: str, options: Options) -> str:
        """Add --tokenize and --lowercase if the metric has them and the specification does not set them."""
        known = registry.parameters_of(specification.split(":")[0])
        values = {"tokenize": options["tokenize"], "lowercase": "true" if options["lowercase"] else None}
        extra = [
            f"{key}={value}"
            for key, value in values.items()
            if value and key in known and f":{key}=" not in specification
        ]
        return ":".join([specification, *extra])

    def _texts(self, options: Options) -> tuple[dict[str, list[str]], list[list[str]], list[str] | None]:
        systems: dict[str, list[str]] = {}
        files: dict[str, list[str]] = {path: read_segments(path) for path in options["ref"]}
        references = [files[path] for path in options["ref"]]
        for argument in options["hyp"]:
            name, path = split_system(argument)
            if name in systems:
                self.refuse(
                    f"two systems have the name {name!r}; give each a name of its own: --hyp NAME=FILE"
                )
            systems[name] = files[path] = read_segments(path)
        sources = read_segments(options["src"]) if options["src"] else None
        check_parallel(files | ({options["src"]: sources} if sources is not None else {}))
        if options["baseline"] and options["baseline"] not in systems:
            self.refuse(f"--baseline {options['baseline']!r} is none of: {', '.join(systems)}")
        return systems, references, sources

    def _check_needs(self, metric: Metric, *, references: int, source: bool) -> None:
        """Refuse missing texts with the option that provides them, which the metric does not know."""
        missing = metric.needs.explain_missing(references=references, source=source)
        if missing is not None:
            options = ["--ref FILE"] if "reference" in missing else []
            options += ["--src FILE"] if "source" in missing else []
            self.refuse(f"{metric.name} cannot score here: {missing}; add {' and '.join(options)}")

    def _tests(self, metric: Metric, scores: dict[str, Scores], options: Options) -> dict[str, object]:
        """Return p-values against the baseline, if there is one and the statistics are addable."""
        if not options["baseline"]:
            return {}
        statistics = {
            name: result.statistics for name, result in scores.items() if result.statistics is not None
        }
        if not isinstance(metric, AddableMetric) or len(statistics) < len(scores):
            return {"significance": None}
        size = {"resamples" if options["test"] == "bootstrap" else "trials": options["resamples"]}
        results = TESTS[options["test"]](
            metric, statistics, options["baseline"], seed=options["seed"], **size
        )
        table = {
            result.system: {"difference": result.difference, "p": result.p, "interval": result.interval}
            for result in results
        }
        return {"significance": {"test": options["test"], "baseline": options["baseline"], "systems": table}}

    def _list(self, form: str | None) -> None:
        entries = registry.list_metrics()
        if form == "json":
            return self.write_json([asdict(entry) | {"needs": _needs(entry)} for entry in entries])
        width = max(len(entry.name) for entry in entries)
        for entry in entries:
            state = f"absent: {entry.missing}" if entry.missing else "ready"
            arrow = "higher" if entry.higher_is_better else "lower"
            description = ", ".join(_needs(entry)) or "nothing"
            self.stdout.write(
                f"{entry.name:<{width}} {entry.title}; {arrow} is better; needs {description}; {state}"
            )

    def _write_table(self, document: dict[str, Any]) -> None:
        for name, result in document.items():
            self.stdout.write(f"{name}  ({result['signature']})")
            tests = result.get("significance")
            for system, score in result["corpus"].items():
                test = "" if not tests or system == tests["baseline"] else _format_test(tests, system)
                self.stdout.write(f"  {system:<30} {'-' if score is None else f'{score:.4f}'}{test}")


def describe(metric: Metric, scores: dict[str, Scores]) -> dict[str, object]:
    """Return the scores of a metric as JSON; a score that is not a number is null."""
    signature = next((result.signature for result in scores.values()), metric.signature)
    return {
        "signature": signature,
        "higher_is_better": metric.higher_is_better,
        "corpus": {name: result.corpus for name, result in scores.items()},
        "segments": {
            name: [value if np.isfinite(value) else None for value in result.segments.tolist()]
            for name, result in scores.items()
        },
    }


def _format_test(tests: dict[str, Any], system: str) -> str:  # Any: as ``_tests`` returns them
    """Return the difference of a system from the baseline as text."""
    test = tests["systems"][system]
    if test["difference"] is None or test["p"] is None:
        return f"  against {tests['baseline']}: cannot be tested"
    return f"  {test['difference']:+.4f} against {tests['baseline']}, p = {test['p']:.4f} ({tests['test']})"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _needs(entry: registry.MetricEntry) -> list[str]:
    needs = ["reference"] if entry.needs.reference else []
    needs += ["source"] if entry.needs.source else []
    return [*needs, entry.needs.resource] if entry.needs.resource else needs


def split_system(argument: str) -> tuple[str, str]:
    """Return the name of a system and its file; the path may contain ``=``.

    >>> split_system("A=beam=4/out.txt")
    ('A', 'beam=4/out.txt')
    """
    name, _, path = argument.partition("=")
    return (name, path) if name and path and not Path(argument).is_file() else (argument, argument)
