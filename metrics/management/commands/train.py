"""Train a model from files: ``train svm|combination|ranker|lm|collocations|discourse …``.

Every family of metrics brings its own trainers in ``metrics/<family>/training.py``::

    def add_trainers(kinds: Kinds) -> None:
        parser = kinds.add_parser("lm", help="…")
        parser.add_argument("--text", nargs="+", required=True)
        parser.set_defaults(train=train_lm)  # (options, note) -> summary, printed as JSON
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from metrics.cluster import connected

FAMILIES = ("learned", "ranking", "collocation", "discourse")


class Command(AppraiseCommand):
    help = "Train a model from files; models are JSON or NPZ and name their data, features and versions."

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
        for family in FAMILIES:
            import_module(f"metrics.{family}.training").add_trainers(kinds)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        train = options.pop("train")
        with connected():
            summary = train(options, self.note)
        self.write_json(summary)
