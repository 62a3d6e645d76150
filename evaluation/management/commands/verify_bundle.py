"""``manage.py verify_bundle FILE``: recompute every table of a bundle from its own data.

Needs no database. Exit status 0: everything holds; 1: something differs; 2: the file is no bundle.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from evaluation.exporters.verify import verify


class Command(AppraiseCommand):
    help = "Check the digests of a bundle and compute every table again from its own data."
    examples = ("verify_bundle study.zip",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", type=Path, help="a bundle, as `export --format bundle` makes it"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        found = verify(options["file"])
        for difference in found.differences:
            self.note(f"{options['file']}: {difference}")
        self.write_json(
            {
                "verified": found.holds,
                "signature": found.signature,
                "files": found.files,
                "tables": found.tables,
                "rankings": found.rankings,
                "differences": list(found.differences),
            }
        )
        if not found.holds:
            sys.exit(1)
