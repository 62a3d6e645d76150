"""Score translations in files: ``score --metrics bleu,chrf --hyp NAME=FILE … --ref FILE … [--src FILE]``.

``score --task SLUG --metrics …`` scores what a task holds and keeps the result beside the votes of people.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.reports.judgements import find_tasks
from metrics import registry, significance
from metrics.base import AddableMetric, Metric, MetricUnavailable, Scores, score_systems
from metrics.cluster import connected
from metrics.model_files import chosen
from metrics.parallel import check_parallel, read_lines
from metrics.tokenizers import NAMES

Options = dict[str, Any]  # Any: argparse's values
TESTS: dict[str, Callable[..., list[significance.Result]]] = {
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
        parser.add_argument(
            "--metrics", default="", metavar="M1,M2", help="names, with parameters as in bleu:length=shortest"
        )
        parser.add_argument("--model", action="append", default=[], metavar="FILE", help="a trained model")
        parser.add_argument("--task", metavar="SLUG", help="score the outputs of a task; the scores are kept")
        parser.add_argument(
            "--hyp",
            nargs="+",
            action="extend",
            default=[],
            metavar="[NAME=]FILE",
            help="outputs of a system, one segment a line",
        )
        parser.add_argument(
            "--ref",
            nargs="+",
            action="extend",
            default=[],
            metavar="FILE",
            help="references, in as many files as there are",
        )
        parser.add_argument("--src", metavar="FILE", help="the source, for metrics that read it")
        parser.add_argument("--tokenize", choices=NAMES, help="for every metric that counts words")
        parser.add_argument("--lowercase", action="store_true")
        parser.add_argument("--workers", type=int, default=1, help="threads; the results do not depend on it")
        parser.add_argument("--baseline", metavar="NAME", help="test every other system against this one")
        parser.add_argument(
            "--test", choices=TESTS, default="bootstrap", help="of significance, with --baseline"
        )
        parser.add_argument("--resamples", type=int, default=1000)
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--list", action="store_true", help="name every metric and what it needs")
        parser.add_argument("--format", choices=("json", "text"), help="json, but text for --list")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if options["list"]:
            return self._list(options["format"])
        self._check(options)
        with connected():
            self._score(options)

    def _score(self, options: Options) -> None:
        metrics = self._metrics(options)
        if options["task"]:
            return self._score_task(metrics, options)
        systems, references, sources = self._texts(options)
        for metric in metrics.values():
            self._check_needs(metric, references=len(references), source=sources is not None)
        document: dict[str, object] = {}
        for name, metric in metrics.items():
            self.note(f"{name}: {_counted(len(systems), 'system')}, {_counted(len(references), 'reference')}")
            try:
                scores = score_systems(metric, systems, references, sources, workers=options["workers"])
            except MetricUnavailable as error:
                self.refuse(str(error))
            document[name] = describe(metric, scores) | self._tests(metric, scores, options)
        if options["format"] == "text":
            return self._write_table(document)
        self.write_json(document)

    def _check(self, options: Options) -> None:
        if not options["hyp"] and not options["task"]:
            self.refuse("name at least one file to score: --hyp NAME=FILE, or a task: --task SLUG")
        if options["task"] and (options["hyp"] or options["ref"] or options["src"] or options["baseline"]):
            self.refuse("--task brings its own texts; leave out --hyp, --ref, --src and --baseline")
        if options["workers"] < 1:
            self.refuse(f"--workers counts from 1, not {options['workers']}")
        if options["resamples"] < 1 or options["seed"] < 0:
            self.refuse("--resamples counts from 1 and --seed from 0")

    def _score_task(self, metrics: dict[str, Metric], options: Options) -> None:
        from metrics.reports.scores import task_scores  # only a task needs the database
        from metrics.services.scoring import State, score_task

        task = find_tasks("slug", options["task"])[0]
        outcomes = score_task(task, metrics, lambda done, total, what: self.note(what) if what else None)
        if refused := [one.sentence for one in outcomes if one.state is State.REFUSED]:
            self.refuse("\n".join(refused))
        document = task_scores(task, {one.metric: one.run for one in outcomes if one.run is not None})
        if options["format"] == "text":
            return self._write_table(document)
        self.write_json(document)

    def _metrics(self, options: Options) -> dict[str, Metric]:
        names = [name.strip() for name in options["metrics"].split(",") if name.strip()]
        if not names and not options["model"]:
            self.refuse("name at least one metric (--metrics, see --list) or model (--model)")
        try:
            return chosen(names, options["model"], lambda name: self._with_options(name, options))
        except ValueError as error:
            self.refuse(str(error))

    def _with_options(self, specification: str, options: Options) -> str:
        """Add --tokenize and --lowercase where the metric has them and the specification is silent."""
        known = registry.parameters_of(specification.split(":")[0])
        given = {"tokenize": options["tokenize"], "lowercase": "true" if options["lowercase"] else None}
        extra = [
            f"{key}={value}"
            for key, value in given.items()
            if value and key in known and f":{key}=" not in specification
        ]
        return ":".join([specification, *extra])

    def _texts(self, options: Options) -> tuple[dict[str, list[str]], list[list[str]], list[str] | None]:
        systems: dict[str, list[str]] = {}
        files: dict[str, list[str]] = {path: read_lines(path) for path in options["ref"]}
        references = [files[path] for path in options["ref"]]
        for argument in options["hyp"]:
            name, path = system_file(argument)
            if name in systems:
                self.refuse(f"two systems are called {name!r}; give each a name of its own: --hyp NAME=FILE")
            systems[name] = files[path] = read_lines(path)
        sources = read_lines(options["src"]) if options["src"] else None
        check_parallel(files | ({options["src"]: sources} if sources is not None else {}))
        if options["baseline"] and options["baseline"] not in systems:
            self.refuse(f"--baseline {options['baseline']!r} is none of: {', '.join(systems)}")
        return systems, references, sources

    def _check_needs(self, metric: Metric, *, references: int, source: bool) -> None:
        """The metric itself would say what it lacks, but not which option brings it."""
        lacking = metric.needs.lacking(references=references, source=source)
        if lacking is not None:
            options = ["--ref FILE"] if "reference" in lacking else []
            options += ["--src FILE"] if "source" in lacking else []
            self.refuse(f"{metric.name} cannot score here: {lacking}; add {' and '.join(options)}")

    def _tests(self, metric: Metric, scores: dict[str, Scores], options: Options) -> dict[str, object]:
        """p-values against the baseline, where one is named and the statistics add up."""
        if not options["baseline"]:
            return {}
        statistics = {
            name: found.statistics for name, found in scores.items() if found.statistics is not None
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
        entries = registry.available()
        if form == "json":
            needs = {e.name: _needs(e) for e in entries}
            return self.write_json(
                [
                    {
                        "name": e.name,
                        "title": e.title,
                        "higher_is_better": e.higher_is_better,
                        "needs": needs[e.name],
                        "missing": e.missing,
                    }
                    for e in entries
                ]
            )
        width = max(len(entry.name) for entry in entries)
        for entry in entries:
            state = f"absent: {entry.missing}" if entry.missing else "ready"
            arrow = "higher" if entry.higher_is_better else "lower"
            needs_told = ", ".join(_needs(entry)) or "nothing"
            self.stdout.write(
                f"{entry.name:<{width}} {entry.title}; {arrow} is better; needs {needs_told}; {state}"
            )

    def _write_table(self, document: dict[str, Any]) -> None:
        for name, result in document.items():
            self.stdout.write(f"{name}  ({result['signature']})")
            tests = result.get("significance")
            for system, score in result["corpus"].items():
                told = "" if not tests or system == tests["baseline"] else _told(tests, system)
                self.stdout.write(f"  {system:<30} {'-' if score is None else f'{score:.4f}'}{told}")


def describe(metric: Metric, scores: dict[str, Scores]) -> dict[str, object]:
    """The stable part of the output; a score that is not a number is ``null``."""
    signature = next((found.signature for found in scores.values()), metric.signature)
    return {
        "signature": signature,
        "higher_is_better": metric.higher_is_better,
        "corpus": {name: found.corpus for name, found in scores.items()},
        "segments": {
            name: [value if np.isfinite(value) else None for value in found.segments.tolist()]
            for name, found in scores.items()
        },
    }


def _told(tests: dict[str, Any], system: str) -> str:  # Any: as ``_tests`` writes them
    """How far a system is from the baseline, for the table of people."""
    found = tests["systems"][system]
    if found["difference"] is None or found["p"] is None:
        return f"  against {tests['baseline']}: cannot be tested"
    return f"  {found['difference']:+.4f} against {tests['baseline']}, p = {found['p']:.4f} ({tests['test']})"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _needs(entry: registry.Entry) -> list[str]:
    needs = ["reference"] if entry.needs.reference else []
    needs += ["source"] if entry.needs.source else []
    return [*needs, entry.needs.resource] if entry.needs.resource else needs


def system_file(argument: str) -> tuple[str, str]:
    """The name of a system and its file; a path may hold ``=`` itself.

    >>> system_file("A=beam=4/out.txt")
    ('A', 'beam=4/out.txt')
    """
    name, _, path = argument.partition("=")
    return (name, path) if name and path and not Path(argument).is_file() else (argument, argument)
