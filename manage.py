#!/usr/bin/env python3
"""Django's command line for Appraise, in the environment that ``make`` made, whatever Python starts it."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

VENV = Path(__file__).resolve().parent / ".venv"


def main() -> None:
    if find_spec("django") is None:
        ours = VENV / "bin" / "python"
        if not ours.exists() or Path(sys.prefix) == VENV:
            sys.exit("Appraise has no environment here yet; make one with: make setup")
        os.execv(ours, [str(ours), *sys.argv])
    from appraise.__main__ import run

    run(sys.argv)


if __name__ == "__main__":
    main()
