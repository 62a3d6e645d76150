"""What the studies share: one JSON document on standard output, notes on standard error, exit status 2."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

from appraise.lib.problems import InputError


def write(compute: Callable[[], object]) -> None:
    """Print what ``compute`` returns; unsuitable data exit 2 with a line on standard error.

    A string is printed as it is, everything else as JSON.
    """
    try:
        document = compute()
    except InputError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    if not isinstance(document, str):
        document = json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
    sys.stdout.write(document)


def note(message: str) -> None:
    """Tell the person at the terminal how far it is."""
    print(message, file=sys.stderr)
