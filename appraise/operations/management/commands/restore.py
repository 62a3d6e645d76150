"""``manage.py restore FOLDER``: checks a backup and replaces the data of this site by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.operations.backups import check_backup, restore_backup
from evaluation.management.base import AppraiseCommand


class Command(AppraiseCommand):
    help = "Restore a complete backup, migrate it, and delete accounts again that were deleted since."
    examples = (
        "restore --check /backups/appraise-20260101T030000Z",
        "restore --replace /backups/appraise-20260101T030000Z",
    )
    option_help = {
        "folder": "a backup written by the command backup",
        "--check": "only check it; change nothing",
        "--replace": "overwrite the current campaigns and accounts",
    }

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", metavar="FOLDER", type=Path)
        parser.add_argument("--check", action="store_true")
        parser.add_argument("--replace", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if options["check"]:
            manifest = check_backup(options["folder"], self.note)
            return self.write_json({"sound": True, "made_at": manifest.made_at, "rows": manifest.rows})
        restored = restore_backup(options["folder"], replace=options["replace"], note=self.note)
        if not restored.key_matches:
            self.note(
                "SECRET_KEY is another than that of the backup: sessions end, and sides are assigned anew."
            )
        self.write_json(
            {
                "restored": str(options["folder"]),
                "made_at": restored.manifest.made_at,
                "tables": len(restored.manifest.tables),
                "rows": restored.manifest.rows,
                "erased_again": restored.erased_again,
                "key_matches": restored.key_matches,
            }
        )
