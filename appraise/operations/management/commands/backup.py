"""``manage.py backup DIR``: copies the whole site while people work, with a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from appraise.operations.backups import make_backup, read_manifest
from evaluation.management.base import AppraiseCommand, whole_number


class Command(AppraiseCommand):
    help = "Copy database, uploads, models and key to a new folder below DIR, while the site is running."
    examples = ("backup /backups --keep 14",)
    option_help = {
        "folder": "each backup is a new folder below this one",
        "--keep": "afterwards delete all but the newest N (default: keep all)",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="DIR", type=Path)
        parser.add_argument("--keep", type=whole_number(0), default=0, metavar="N")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        folder = make_backup(options["folder"], now=timezone.now(), keep=options["keep"], note=self.note)
        manifest = read_manifest(folder)  # verifies what was written
        self.write_json(
            {
                "backup": str(folder),
                "database": manifest.database,
                "tables": len(manifest.tables),
                "rows": manifest.rows,
                "files": len(manifest.files),
                "bytes": sum(int(str(state["bytes"])) for state in manifest.files.values()),
            }
        )
