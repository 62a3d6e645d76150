"""The base class of all management commands, and their help.

Unknown options, bad files and bad values exit with status 2 and messages on standard error, and change
nothing; ``write_json`` prints one document on standard output and nothing else. An unreachable database exits
with status 2, one without tables with status 1. If a reader such as ``head`` closes the pipe, a command ends
silently with the status that a shell expects.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from argparse import SUPPRESS, Action, ArgumentParser, _SubParsersAction
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from django.core.management import ManagementUtility
from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    DjangoHelpFormatter,
    handle_default_options,
)
from django.db import DatabaseError, connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from appraise.lib.digests import find_version
from appraise.lib.extras import explain_missing_package
from appraise.lib.problems import InputError, Problem
from appraise.lib.tables import to_csv, to_latex, to_text, to_tsv

CONNECT_TIMEOUT = 4  # seconds in which a PostgreSQL must answer a command
MOST = 2**31 - 1  # the limit of an integer column
RENDERERS = {"csv": to_csv, "tsv": to_tsv, "latex": to_latex, "text": to_text}  # of tables, by --format
# Options that mean the same in every command are explained once.
COMMON_HELP = {
    "--task": "a task of this site, by the name in its address",
    "--campaign": "a campaign of this site, by the name in its address",
    "--set": "a judged set, its files called PREFIX.segments.tsv and so on (docs/metaeval.md); repeatable",
    "--judgements": "a table with the columns annotator, item, label and, if known, sentence",
    "--segments": "source and references of each segment, one a row",
    "--outputs": "the systems' translations: system, seg, translation",
    "--rankings": "people's rankings, JSON lines",
    "--pairs": "people's preferences: seg, better, worse",
    "--source-language": "language code of the source, for instance de",
    "--target-language": "language code of the translations",
    "--language": "language code of the text",
    "--lexicon": "a lexicon from `train lexicon`",
    "--parser": "which parser reads the sentences",
    "--ties": "how metric ties count in τ: ignored (drop), in the denominator (wmt14), as errors (wmt12)",
    "--link-base": "the number of the first word in word links (default: 0)",
    "--tokenize": "how text is cut into words",
    "--lowercase": "ignore upper and lower case",
    "--resamples": "bootstrap resamples; 0: no intervals",
    "--seed": "seed of every random choice",
    "--workers": "processes",
    "--out": "the file to write",
    "--table": "which table",
    "--format": "how the result is written",
}


class DatabaseCommand(BaseCommand):
    """Reports an unreachable database, or missing tables, in one line instead of a traceback."""

    needs_tables = True

    def execute(self, *args: Any, **options: Any) -> str | None:  # Any: Django's own signature
        try:
            return super().execute(*args, **options)
        except DatabaseError as error:
            if connection.connection is None:
                raise CommandError(str(unreachable_database(error)), returncode=2) from error
            if self.needs_tables and has_unapplied_migrations():  # only after a failure: it costs queries
                raise CommandError(str(unprepared_database()), returncode=1) from error
            raise


class AppraiseCommand(DatabaseCommand):
    """Base class: turns ``InputError`` and ``CommandError`` into exit status 2."""

    requires_system_checks: list[str] = []  # noqa: RUF012 — Django declares it as a plain attribute
    is_service = False  # a service waits while its database restarts
    examples: tuple[str, ...] = ()  # complete command lines without the program; a test parses them
    option_help: Mapping[str, str] = {}  # by option, or by the name of an argument, beside ``COMMON_HELP``

    def get_version(self) -> str:
        return f"Appraise {find_version()}"

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        program = Path(prog_name).name
        lines = [f"  {program} {example}" for example in self.examples]
        kwargs.setdefault("epilog", "\n".join(["Examples:", *lines]) if lines else None)
        kwargs.setdefault("formatter_class", HelpFormatter)
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        add_help(parser, {**COMMON_HELP, **self.option_help})
        return parser

    def run_from_argv(self, argv: list[str]) -> None:
        """As in Django, but errors are printed without prefix: scripts parse ``file:line:column: code:
        …``."""
        self._called_from_command_line = True  # the parser then prints its usage and exits with 2
        parser = self.create_parser(argv[0], argv[1])
        options = parser.parse_args(argv[2:])
        handle_default_options(options)
        if not self.is_service:
            remove_pool(connections["default"])
        elif (error := find_connection_error()) is not None:
            self.note(f"{unreachable_database(error)}\nWaiting for it …")
        values = vars(options)
        try:
            self.execute(*values.pop("args", ()), **values)
            sys.stdout.flush()  # detects a closed pipe here, not at exit, where it cannot be caught
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
            message = f"{error.filename}: cannot_open: {error.strerror}; check the path and its permissions"
            raise CommandError(message, returncode=2) from error

    def write_json(self, document: object) -> None:
        """Print one JSON document; NaN is a programming error, not a value."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False))

    def refuse(self, message: str) -> NoReturn:
        """Exit with status 2 because of an invalid value."""
        raise CommandError(message, returncode=2)

    def note(self, message: str) -> None:
        """Print a line on standard error."""
        print(message, file=sys.stderr)


class CommandLine(ManagementUtility):
    """Reports a missing extra, and database errors of Django's own commands, too."""

    def execute(self) -> None:
        if self.argv[1:] in (["--version"], ["version"]):  # ours, and not Django's
            print(f"Appraise {find_version()}")
            return
        try:
            super().execute()
        except ModuleNotFoundError as error:
            if (problem := explain_missing_package(error)) is None:
                raise
            print(problem, file=sys.stderr)
            sys.exit(2)

    def fetch_command(self, subcommand: str) -> BaseCommand:
        command = super().fetch_command(subcommand)
        if not isinstance(command, AppraiseCommand):  # ours know whether they are services
            remove_pool(connections["default"])
        if not isinstance(command, DatabaseCommand):
            makes_tables = subcommand == "migrate"
            bases = (DatabaseCommand, type(command))
            command = type("Command", bases, {"needs_tables": not makes_tables})()
        return command


class HelpFormatter(DjangoHelpFormatter):
    """Keeps the lines of the examples, and adds the default of each option."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("Examples:") else super()._fill_text(text, width, indent)

    def _get_help_string(self, action: Action) -> str:
        return help_with_default(action)


def add_help(parser: ArgumentParser, help_of: Mapping[str, str]) -> None:
    """Give its help to every option and argument that was added without."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for subparser in action.choices.values():
                subparser.formatter_class = HelpFormatter
                add_help(subparser, help_of)
        elif not action.help:
            names = action.option_strings or [action.dest]
            action.help = next((help_of[name] for name in names if name in help_of), None)


def help_with_default(action: Action) -> str:
    """Return the help of an option with its default, if there is one (argparse inserts the value)."""
    text = action.help or ""
    if not action.option_strings or action.default in (None, False, "", [], SUPPRESS) or "default" in text:
        return text
    return f"{text} (default: %(default)s)"


def remove_pool(database: BaseDatabaseWrapper) -> bool:
    """Use a plain connection: a pool would retry a server that is down for 20 seconds.

    Returns whether there was a pool.
    """
    options = database.settings_dict["OPTIONS"]
    if not options.pop("pool", None):
        return False
    options.setdefault("connect_timeout", CONNECT_TIMEOUT)
    return True


def find_connection_error() -> DatabaseError | None:
    """Return why PostgreSQL cannot be reached; a pool would retry silently."""
    probe = connections["default"].copy()
    try:
        if remove_pool(probe):
            probe.ensure_connection()
    except DatabaseError as error:
        return error
    finally:
        probe.close()
    return None


def has_unapplied_migrations() -> bool:
    """Return whether the database lacks tables or columns of this version."""
    from django.db.migrations.executor import MigrationExecutor  # seldom needed, and slow to import

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def unreachable_database(error: DatabaseError) -> Problem:
    """Return the problem that the database cannot be opened; the message does not contain the password."""
    database = connection.settings_dict
    address = ":".join(str(part) for part in (database["HOST"], database["PORT"]) if part)
    name = f"the database {database['NAME']}" + (f" at {address}" if address else "")
    remedy = "check that it is reachable, or correct DATABASE_URL or APPRAISE_HOME"
    return Problem(
        "unreachable_database", f"{name} cannot be opened ({' '.join(str(error).split())})", remedy
    )


def unprepared_database() -> Problem:
    """Return the problem that tables are missing; the message names the database."""
    message = f"the database {connection.settings_dict['NAME']} lacks tables of this Appraise"
    remedy = "make them with `manage.py migrate` (`manage.py start` does so, too), or check APPRAISE_HOME"
    return Problem("unprepared_database", message, remedy)


def whole_number(least: int, most: int = MOST) -> Callable[[str], int]:
    """Return the argparse type of whole numbers in these bounds.

    >>> whole_number(1)("12")
    12
    """

    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) <= 10 and least <= int(text) <= most:
            return int(text)
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {least} to {most}")

    return read
