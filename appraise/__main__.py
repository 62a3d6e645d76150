"""The program ``appraise``: ``run`` is ``start --demo``, the rest are the commands of ``manage.py``."""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    run(["appraise", *expand_arguments(sys.argv[1:])])


def run(argv: list[str]) -> None:
    """Run Django's command line; Ctrl+C ends it without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
    try:
        from evaluation.management.base import CommandLine

        CommandLine(argv).execute()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def expand_arguments(arguments: list[str]) -> list[str]:
    """Replace ``run`` by the command that it abbreviates.

    >>> expand_arguments(["run", "--port", "8001"])
    ['start', '--demo', '--port', '8001']
    >>> expand_arguments(["score", "--list"])
    ['score', '--list']
    """
    return ["start", "--demo", *arguments[1:]] if arguments[:1] == ["run"] else arguments


if __name__ == "__main__":
    main()
