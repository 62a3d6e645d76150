"""The manners that all our management commands share.

Unknown options, bad files and bad values exit 2 with clear lines on standard error and change nothing;
``write_json`` prints one document on standard output and nothing else. A database without our tables, or
that cannot be opened, exits 1 and says what to do.
"""

from __future__ import annotations

import json
import sys
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, handle_default_options
from django.db import DatabaseError, connection, connections

from evaluation.problems import InputError, Problem


class Command(BaseCommand):
    """Base class: turns ``InputError`` and ``CommandError`` into exit status 2."""

    requires_system_checks: list[str] = []  # noqa: RUF012 — Django declares it as a plain attribute

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django's, but an error is printed as it is: scripts read ``file:line:column: code: …``."""
        self._called_from_command_line = True  # the parser then explains itself and exits with 2
        parser = self.create_parser(argv[0], argv[1])
        options = parser.parse_args(argv[2:])
        handle_default_options(options)
        values = vars(options)
        try:
            self.execute(*values.pop("args", ()), **values)
        except CommandError as error:
            if options.traceback:
                raise
            self.stderr.write(str(error))
            sys.exit(error.returncode)
        finally:
            connections.close_all()

    def execute(self, *args: Any, **options: Any) -> str | None:  # Any: Django's own signature
        try:
            return super().execute(*args, **options)
        except InputError as error:
            raise CommandError(str(error), returncode=2) from error
        except CommandError as error:
            error.returncode = 2
            raise
        except OSError as error:
            if error.filename is None:  # no file that somebody named, such as a closed pipe
                raise
            said = f"{error.filename}: cannot_open: {error.strerror}; check the path and its permissions"
            raise CommandError(said, returncode=2) from error
        except DatabaseError as error:
            if connection.connection is None:
                raise CommandError(str(unreachable(error)), returncode=1) from error
            if migrations_wait():  # asked only now: where all is well, nothing is asked
                raise CommandError(str(unprepared()), returncode=1) from error
            raise

    def write_json(self, document: object) -> None:
        """Print one JSON document; NaN is a programming error, not a value."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False))

    def refuse(self, message: str) -> NoReturn:
        """Stop with exit status 2 because a value makes no sense."""
        raise CommandError(message, returncode=2)

    def note(self, message: str) -> None:
        """Say something to the person at the terminal without disturbing standard output."""
        print(message, file=sys.stderr)


def migrations_wait() -> bool:
    """Whether the database lacks tables or columns of this Appraise."""
    from django.db.migrations.executor import MigrationExecutor  # seldom needed, and slow to import

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def unreachable(error: DatabaseError) -> Problem:
    """Names the database without its password."""
    place = connection.settings_dict
    address = ":".join(str(part) for part in (place["HOST"], place["PORT"]) if part)
    where = f"the database {place['NAME']}" + (f" at {address}" if address else "")
    remedy = "see that it can be reached from here, or correct DATABASE_URL or APPRAISE_HOME"
    return Problem("unreachable_database", f"{where} cannot be opened ({error})".replace("\n", " "), remedy)


def unprepared() -> Problem:
    """Names the database: often it is not the one that was meant."""
    message = f"the database {connection.settings_dict['NAME']} lacks tables of this Appraise"
    remedy = "make them with `manage.py migrate` (`manage.py start` does so, too), or check APPRAISE_HOME"
    return Problem("unprepared_database", message, remedy)
