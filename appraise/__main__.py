"""The program ``appraise``: ``appraise run`` starts a site with its demo, the rest is Django's commands.

``appraise run`` is ``start --demo``; ``appraise start``, ``appraise backup DIR``, ``appraise score …`` and so
on are what ``manage.py`` offers in a checkout.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "appraise.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(["appraise", *arguments(sys.argv[1:])])


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
