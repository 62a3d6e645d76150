"""What all our management commands have in common.

Unknown options, bad files and bad values exit 2 with clear lines on standard error and change nothing;
``write_json`` prints one document on standard output and nothing else. A database that cannot be opened exits
2, one without our tables 1; both say what to do. Where a reader such as ``head`` closes the pipe, a command
ends silently, with the status that a shell expects.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from django.core.management import ManagementUtility
from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    handle_default_options,
)
from django.db import DatabaseError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from appraise.command_help import HelpFormatter, explain
from evaluation.problems import InputError, Problem

PATIENCE = 4  # seconds in which a PostgreSQL must answer a command
MOST = 2**31 - 1  # what a column of whole numbers holds


class CommandLine(ManagementUtility):
    """Django's own commands, such as ``createsuperuser``, meet a database that is away like ours."""

    def fetch_command(self, subcommand: str) -> BaseCommand:
        found = super().fetch_command(subcommand)
        if not isinstance(found, Command):  # ours know whether they are services
            without_pool(connections["default"])
        if not isinstance(found, Reaching):
            found = type("Command", (Reaching, type(found)), {})()
        return found


class Reaching(BaseCommand):
    """A database that is away, or that lacks our tables, is one line and not a traceback."""

    needs_tables = True

    def execute(self, *args: Any, **options: Any) -> str | None:  # Any: Django's own signature
        try:
            return super().execute(*args, **options)
        except DatabaseError as error:
            if connection.connection is None:
                raise CommandError(str(unreachable(error)), returncode=2) from error
            if self.needs_tables and migrations_wait():  # only after a failure: it costs queries
                raise CommandError(str(unprepared()), returncode=1) from error
            raise


class Command(Reaching):
    """Base class: turns ``InputError`` and ``CommandError`` into exit status 2."""

    requires_system_checks: list[str] = []  # noqa: RUF012 — Django declares it as a plain attribute
    patient = False  # True for a service, which waits while its database restarts
    examples: tuple[str, ...] = ()  # whole command lines, without the program; a test parses them

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        program = Path(prog_name).name
        lines = [f"  {program} {example}" for example in self.examples]
        kwargs.setdefault("epilog", "\n".join(["Examples:", *lines]) if lines else None)
        kwargs.setdefault("formatter_class", HelpFormatter)
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        explain(parser)
        return parser

    def run_from_argv(self, argv: list[str]) -> None:
        """As Django's, but an error is printed as it is: scripts read ``file:line:column: code: …``."""
        self._called_from_command_line = True  # the parser then explains itself and exits with 2
        parser = self.create_parser(argv[0], argv[1])
        options = parser.parse_args(argv[2:])
        handle_default_options(options)
        if not self.patient:
            without_pool(connections["default"])
        elif (error := away()) is not None:
            self.note(f"{unreachable(error)}\nWaiting for it …")
        values = vars(options)
        try:
            self.execute(*values.pop("args", ()), **values)
            sys.stdout.flush()  # a closed pipe is noticed here and not at exit, where nothing can catch it
        except CommandError as error:
            if options.traceback:
                raise
            self.stderr.write(str(error))
            sys.exit(error.returncode)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still buffered
            sys.exit(128 + signal.SIGPIPE)
        finally:
            connections.close_all()

    def execute(self, *args: Any, **options: Any) -> str | None:  # Any: Django's own signature
        try:
            return super().execute(*args, **options)
        except InputError as error:
            raise CommandError(str(error), returncode=2) from error
        except CommandError as error:
            if not isinstance(error.__cause__, DatabaseError):
                error.returncode = 2
            raise
        except OSError as error:
            if error.filename is None:  # not about a named file: a closed pipe, for instance
                raise
            said = f"{error.filename}: cannot_open: {error.strerror}; check the path and its permissions"
            raise CommandError(said, returncode=2) from error

    def write_json(self, document: object) -> None:
        """Print one JSON document; NaN is a programming error, not a value."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False))

    def refuse(self, message: str) -> NoReturn:
        """Stop with exit status 2 because a value makes no sense."""
        raise CommandError(message, returncode=2)

    def note(self, message: str) -> None:
        """Say something to the person at the terminal without disturbing standard output."""
        print(message, file=sys.stderr)


def without_pool(database: BaseDatabaseWrapper) -> bool:
    """One connection needs no pool, which would try a server that is away again and again, for 20 seconds.

    Whether there was one.
    """
    options = database.settings_dict["OPTIONS"]
    if not options.pop("pool", None):
        return False
    options.setdefault("connect_timeout", PATIENCE)
    return True


def away() -> DatabaseError | None:
    """What hinders a service that will wait for its PostgreSQL: the pool says nothing of a silent one."""
    probe = connections["default"].copy()
    try:
        if without_pool(probe):
            probe.ensure_connection()
    except DatabaseError as error:
        return error
    finally:
        probe.close()
    return None


def migrations_wait() -> bool:
    """Whether the database lacks tables or columns of this Appraise."""
    from django.db.migrations.executor import MigrationExecutor  # seldom needed, and slow to import

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def unreachable(error: DatabaseError) -> Problem:
    """The database cannot be opened; the message names it without its password."""
    place = connection.settings_dict
    address = ":".join(str(part) for part in (place["HOST"], place["PORT"]) if part)
    where = f"the database {place['NAME']}" + (f" at {address}" if address else "")
    remedy = "see that it can be reached from here, or correct DATABASE_URL or APPRAISE_HOME"
    return Problem(
        "unreachable_database", f"{where} cannot be opened ({' '.join(str(error).split())})", remedy
    )


def unprepared() -> Problem:
    """The tables are missing; the message names the database, which is often not the intended one."""
    message = f"the database {connection.settings_dict['NAME']} lacks tables of this Appraise"
    remedy = "make them with `manage.py migrate` (`manage.py start` does so, too), or check APPRAISE_HOME"
    return Problem("unprepared_database", message, remedy)


def whole(least: int, most: int = MOST) -> Callable[[str], int]:
    """The type of an option that takes whole numbers in these bounds.

    >>> whole(1)("12")
    12
    """

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")

    return read
