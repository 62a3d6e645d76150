"""The manners that all our management commands share.

Unknown options, bad files and bad values exit 2 with clear lines on standard error and change nothing;
``write_json`` prints one document on standard output and nothing else.
"""

from __future__ import annotations

import json
import sys
from typing import Any, NoReturn

from django.core.management.base import BaseCommand, CommandError, handle_default_options
from django.db import connections

from evaluation.problems import InputError


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

    def write_json(self, document: object) -> None:
        """Print one JSON document; NaN is a programming error, not a value."""
        self.stdout.write(json.dumps(document, ensure_ascii=False, allow_nan=False))

    def refuse(self, message: str) -> NoReturn:
        """Stop with exit status 2 because a value makes no sense."""
        raise CommandError(message, returncode=2)

    def note(self, message: str) -> None:
        """Say something to the person at the terminal without disturbing standard output."""
        print(message, file=sys.stderr)
