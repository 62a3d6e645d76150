"""``manage.py train``: train a model from files, ``train svm|combination|ranker|lm|collocations …``.

Every family of metrics defines its trainers in ``metrics/<family>/training.py``::

    def add_trainers(kinds: Kinds) -> None:
        parser = kinds.add_parser("lm", help="…")
        parser.add_argument("--text", nargs="+", required=True)
        parser.set_defaults(train=train_lm)  # (options, note) -> summary, printed as JSON
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.lib.problems import InputError
from evaluation.management.base import AppraiseCommand
from metrics.scoring.cluster import use_cluster

FAMILIES = ("learned", "ranking", "collocation")


class Command(AppraiseCommand):
    help = (
        "Train a model from files. Models are JSON or NPZ files that name their data, features and versions."
    )
    examples = (
        "train combination --set DIR/PREFIX --metrics bleu,ter,meteor --out combination.json",
        "train lm --text news.en.txt --out lm.npz",
        "train collocations --text news.en.txt --out collocations.npz",
        "train ranker --help",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="KIND")
        for family in FAMILIES:
            import_module(f"metrics.{family}.training").add_trainers(kinds)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        train = options.pop("train")
        check_writable(Path(options["out"]))
        with use_cluster():
            summary = train(options, self.note)
        self.write_json(summary)


def check_writable(out: Path) -> None:
    """Raise ``InputError`` before training if the model cannot be written."""
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.is_dir() or not os.access(out.parent, os.W_OK):
        message = "this is a folder" if out.is_dir() else "its folder is not writable"
        raise InputError.of("cannot_open", message, "name a file that can be written", str(out))
