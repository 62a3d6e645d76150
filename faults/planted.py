"""A pytest plugin that installs a seeded bug before the tests run: ``pytest -p faults.planted``."""

from __future__ import annotations

import os


def pytest_collection_finish() -> None:
    """Install the bug when Django is ready and no test has begun."""
    from faults import bugs

    if name := os.environ.get("FAULTS_BUG"):
        bugs.plant(name)
