"""A pytest plugin that puts a bug into the product before the tests run: ``pytest -p faults.planted``."""

from __future__ import annotations

import os


def pytest_collection_finish() -> None:
    """Late enough that Django is ready, early enough that no test has begun."""
    from faults import bugs

    if name := os.environ.get("FAULTS_BUG"):
        bugs.plant(name)
