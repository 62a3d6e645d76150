"""``manage.py copy_to_postgres URL``: move a site from SQLite to PostgreSQL, every row compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import OperationalError, connection, connections

from appraise import environment
from appraise.commands import Command as AppraiseCommand
from appraise.commands import without_pool
from appraise.operations.copying import copy_all

TARGET = "target"


class Command(AppraiseCommand):
    help = (
        "Copy this site's SQLite database to an empty PostgreSQL database: all or nothing, with the number "
        "and the fingerprint of the rows of every table compared. Stop the site first."
    )
    examples = ("copy_to_postgres postgres://user@host:5432/empty",)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url", metavar="URL", help="postgres://user@host:port/name; the password may come as PGPASSWORD"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if connection.vendor != "sqlite":
            self.refuse(
                "this site already runs on PostgreSQL; leave DATABASE_URL empty to copy its SQLite file"
            )
        self.name_target(options["url"])
        self.reach_target()
        call_command("migrate", verbosity=0)
        call_command("migrate", database=TARGET, verbosity=0)
        copied = copy_all("default", TARGET, self.note)
        self.note("Everything is there. Now set DATABASE_URL and start the site again.")
        self.write_json(
            {
                "tables": {one.table: {"rows": one.rows, "fingerprint": one.fingerprint} for one in copied},
                "rows": sum(one.rows for one in copied),
            }
        )

    def name_target(self, url: str) -> None:
        try:
            configured = environment.database(Path(os.curdir), {"DATABASE_URL": url})
        except SystemExit:
            configured = {"ENGINE": ""}
        if not str(configured["ENGINE"]).endswith("postgresql"):
            self.refuse("bad_target: this is no PostgreSQL; write postgres://user:password@host:port/name")
        configured["PASSWORD"] = configured["PASSWORD"] or os.environ.get("PGPASSWORD", "")
        known = connections.configure_settings({"default": connection.settings_dict, TARGET: configured})
        connections.settings[TARGET] = known[TARGET]
        without_pool(connections[TARGET])

    def reach_target(self) -> None:
        try:
            connections[TARGET].ensure_connection()
        except OperationalError as error:
            said = " ".join(str(error).split())
            self.refuse(f"unreachable: {said}; check host, port, name and password, and that the server runs")
