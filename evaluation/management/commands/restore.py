"""``manage.py restore FOLDER``: check a backup byte for byte and put it in the place of this site's data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from appraise.commands import Command as AppraiseCommand
from appraise.operations.backups import check_backup, restore_backup


class Command(AppraiseCommand):
    help = "Restore a backup completely, migrate it, and erase again everybody who was erased since."
    examples = (
        "restore --check /backups/appraise-20260101T030000Z",
        "restore --replace /backups/appraise-20260101T030000Z",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", metavar="FOLDER", type=Path, help="one backup, as the command backup made it"
        )
        parser.add_argument("--check", action="store_true", help="only check it; change nothing")
        parser.add_argument(
            "--replace", action="store_true", help="overwrite the campaigns and people that are here now"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if options["check"]:
            manifest = check_backup(options["folder"], self.note)
            return self.write_json({"sound": True, "made_at": manifest.made_at, "rows": manifest.rows})
        restored = restore_backup(options["folder"], replace=options["replace"], say=self.note)
        if not restored.key_matches:
            self.note("SECRET_KEY is another than that of the backup: log-ins end, and sides are drawn anew.")
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
