"""``manage.py backup DIR``: a copy of the whole site while people work, in a folder that proves itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from appraise.commands import Command as AppraiseCommand
from appraise.operations.backups import make_backup
from appraise.operations.manifest import read


class Command(AppraiseCommand):
    help = "Copy database, uploads, models and key to a new folder below DIR, while the site is running."
    examples = ("backup /backups --keep 14",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", metavar="DIR", type=Path, help="each backup is a new folder below this one"
        )
        parser.add_argument(
            "--keep",
            type=int,
            default=0,
            metavar="N",
            help="afterwards delete all but the newest N (default: keep all)",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if options["keep"] < 0:
            self.refuse(f"--keep counts from 0, not {options['keep']}")
        folder = make_backup(options["folder"], now=timezone.now(), keep=options["keep"], say=self.note)
        manifest = read(folder)  # what was written is read again, from the disk
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
