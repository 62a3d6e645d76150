"""The program ``appraise``: ``appraise run`` starts a site with its demo, the rest is Django's commands.

``appraise run`` is ``start --demo``; ``appraise start``, ``appraise backup DIR``, ``appraise score …`` and so
on are what ``manage.py`` offers in a checkout.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    run(["appraise", *arguments(sys.argv[1:])])


def run(argv: list[str]) -> None:
    """Django's command line; Ctrl+C ends it at any time, without a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
    try:
        from appraise.commands import CommandLine

        CommandLine(argv).execute()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def arguments(given: list[str]) -> list[str]:
    """
    >>> arguments(["run", "--port", "8001"])
    ['start', '--demo', '--port', '8001']
    >>> arguments(["score", "--list"])
    ['score', '--list']
    """
    return ["start", "--demo", *given[1:]] if given[:1] == ["run"] else given


if __name__ == "__main__":
    main()
