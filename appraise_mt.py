"""The program ``appraise``. It starts only if Python finds the packages that were installed with it.

``appraise``, ``evaluation`` and ``metrics`` are common names. A package of another project that comes first
on the path, or was installed over ours, would otherwise end in an import error that does not say why.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

PACKAGES = ("appraise", "evaluation", "metrics")
FIRST_WORDS = '"""Appraise: '  # of each package's __init__.py


def main() -> None:
    for name in PACKAGES:
        if place := find_foreign(name):
            sys.exit(
                f"foreign_package: Python finds another package named {name}, {place}, not that of Appraise; "
                "install appraise-mt in an environment of its own, for instance with uv tool install, "
                "and check PYTHONPATH"
            )
    from appraise.__main__ import main as run

    run()


def find_foreign(name: str) -> str | None:
    """Return where the package lies that takes the place of ours, or None if it is ours."""
    spec = find_spec(name)
    if spec is None or spec.origin is None:  # absent, or a folder without code
        return "which is empty"
    path = Path(spec.origin)
    is_beside_us = path.resolve().parent.parent == Path(__file__).resolve().parent
    return None if is_beside_us and path.read_text("utf-8").startswith(FIRST_WORDS) else str(path)
