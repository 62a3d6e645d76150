"""``manage.py copy_to_postgres URL``: move a site from SQLite to PostgreSQL, every row compared."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import CommandParser
from django.db import OperationalError, connection, connections

from appraise.lib import environment
from appraise.operations.copying import copy_all
from appraise.operations.database_dumps import count_rows
from evaluation.management.base import AppraiseCommand, remove_pool

TARGET = "target"


class Command(AppraiseCommand):
    help = (
        "Copy this site's SQLite database to an empty PostgreSQL database, all or nothing. Row counts"
        " and digests of every table are compared. Stop the site first."
    )
    examples = ("copy_to_postgres postgres://user@host:5432/empty",)
    option_help = {"url": "postgres://user@host:port/name; the password can be given in PGPASSWORD"}

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("url", metavar="URL")

    def handle(self, *args: Any, **options: Any) -> None:  # Any: argparse's values
        if connection.vendor != "sqlite":
            self.refuse(
                "this site already runs on PostgreSQL; leave DATABASE_URL empty to copy its SQLite file"
            )
        self.configure_target(options["url"])
        self.connect_to_target()
        call_command("migrate", verbosity=0)
        call_command("migrate", database=TARGET, verbosity=0)
        copied = copy_all("default", TARGET, self.note)
        self.note("The copy is complete. Set DATABASE_URL and start the site again.")
        self.write_json({"tables": copied, "rows": count_rows(copied)})

    def configure_target(self, url: str) -> None:
        try:
            configured = environment.configure_database(Path(os.curdir), {"DATABASE_URL": url})
        except SystemExit:
            configured = {"ENGINE": ""}
        if not str(configured["ENGINE"]).endswith("postgresql"):
            self.refuse("bad_target: this is no PostgreSQL; write postgres://user:password@host:port/name")
        configured["PASSWORD"] = configured["PASSWORD"] or os.environ.get("PGPASSWORD", "")
        known = connections.configure_settings({"default": connection.settings_dict, TARGET: configured})
        connections.settings[TARGET] = known[TARGET]
        remove_pool(connections[TARGET])

    def connect_to_target(self) -> None:
        try:
            connections[TARGET].ensure_connection()
        except OperationalError as error:
            reason = " ".join(str(error).split())
            self.refuse(
                f"unreachable: {reason}; check host, port, name and password, and that the server runs"
            )
