"""The compiled loops in every way they can run, chosen per module."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

MODES = {"compiled": "1", "source": "source"}


@pytest.fixture(scope="module", params=MODES)
def compiled_loops(request: pytest.FixtureRequest) -> Iterator[str]:
    """Load the loops afresh: compiled, or the same source uncompiled."""
    patch = pytest.MonkeyPatch()
    patch.setenv("APPRAISE_NUMBA", MODES[request.param])
    package = importlib.import_module("metrics")
    names = [name for name in sys.modules if name.split(".")[:2] == ["metrics", "compiled"]]
    for name in names:
        patch.delitem(sys.modules, name)
    patch.setattr(package, "compiled", importlib.import_module("metrics.compiled"), raising=False)
    yield request.param
    for name in [name for name in sys.modules if name.split(".")[:2] == ["metrics", "compiled"]]:
        del sys.modules[name]
    patch.undo()
