"""``manage.py check_metric NAME``: check a metric, ours or a plug-in, against the laws of all metrics."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from evaluation.management.base import AppraiseCommand
from metrics import registry
from metrics.base import MetricUnavailable
from metrics.laws import Verdict, check_laws


class Command(AppraiseCommand):
    help = "Check a metric against the laws that every metric keeps; exits with status 1 if it breaks one."
    examples = ("check_metric chrf", "check_metric bleu:order=2 --format json")

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("metric", metavar="NAME", help="a metric, with parameters as in bleu:order=2")
        parser.add_argument("--format", choices=("text", "json"), default="text")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        try:
            metric = registry.parse(options["metric"])
            reason = getattr(metric, "unavailable_because", lambda: None)()
        except (registry.UnknownMetric, MetricUnavailable, ValueError) as error:
            self.refuse(str(error))
        if reason:
            self.refuse(reason)
        results = check_laws(metric)
        if options["format"] == "json":
            self.write_json([asdict(result) for result in results])
        else:
            for result in results:
                about = f": {result.reason}" if result.reason else ""
                self.stdout.write(f"{result.verdict:<14} {result.law.replace('_', ' ')}{about}")
            counts = Counter(result.verdict for result in results)
            self.stdout.write(", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict))
        if any(result.verdict is Verdict.BROKEN for result in results):
            sys.exit(1)
