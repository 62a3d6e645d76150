"""Packages that a base installation lacks, and the command that adds them.

Modules import such a package where they use it. Commands, pages and jobs turn its absence into one problem,
with ``explain_missing_package``; they need not know who imports what.
"""

from __future__ import annotations

from importlib.util import find_spec

from appraise.lib.problems import Problem

EXTRA_OF = {
    "numba": "metrics",
    "scipy": "metrics",
    "sklearn": "metrics",
    "pyarrow": "parquet",
}


def explain_missing_package(error: ImportError) -> Problem | None:
    """Return the problem if an import failed because an extra is not installed.

    >>> print(explain_missing_package(ModuleNotFoundError(name="scipy.special")))
    missing_extra: scipy is not installed; run: pip install 'appraise-mt[metrics]'
    """
    package = (error.name or "").partition(".")[0]
    if not isinstance(error, ModuleNotFoundError) or package not in EXTRA_OF:
        return None
    return _missing_extra(package)


def find_missing_package(package: str) -> Problem | None:
    """Return the problem that a package of an extra is not installed, or None if it is."""
    return None if find_spec(package) else _missing_extra(package)


def _missing_extra(package: str) -> Problem:
    command = f"pip install 'appraise-mt[{EXTRA_OF[package]}]'"
    return Problem("missing_extra", f"{package} is not installed", f"run: {command}")
