"""``manage.py verify_bundle FILE``: recompute every table of a bundle from its own data.

Needs no database. Exit status 0: everything holds; 1: something differs; 2: the file is no bundle.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.exporters.bundle_reader import verify_bundle
from evaluation.management.base import AppraiseCommand


class Command(AppraiseCommand):
    help = "Check the digests of a bundle and recompute every table from its own data."
    examples = ("verify_bundle study.zip",)
    option_help = {"file": "a bundle written by `export --format bundle`"}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        verification = verify_bundle(options["file"])
        for difference in verification.differences:
            self.note(f"{options['file']}: {difference}")
        self.write_json({"verified": verification.is_valid, **asdict(verification)})
        if not verification.is_valid:
            sys.exit(1)
