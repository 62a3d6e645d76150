"""``python -m endurance.exploration SIZE [BUG]``: explores on the database of the environment."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

import django


def main(size: str, bug: str = "") -> None:
    django.setup()
    from django.core.management import call_command

    from endurance.explorer import run_explorer
    from faults import bugs

    call_command("migrate", verbosity=0)
    if bug:
        bugs.plant(bug)
    print(json.dumps([asdict(run_explorer(size, overlap=overlap)) for overlap in (1, 2)]))


if __name__ == "__main__":
    main(*sys.argv[1:])
