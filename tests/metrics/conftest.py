"""The kernels in every way they can run, chosen per module."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator

import pytest

MODES = {"compiled": "1", "source": "source"}


@pytest.fixture(scope="module", params=MODES)
def kernels(request: pytest.FixtureRequest) -> Iterator[str]:
    """Load the kernels afresh: compiled, or the same source uncompiled."""
    patch = pytest.MonkeyPatch()
    patch.setenv("APPRAISE_NUMBA", MODES[request.param])
    package = importlib.import_module("metrics")
    names = [name for name in sys.modules if name.split(".")[:2] == ["metrics", "kernels"]]
    for name in names:
        patch.delitem(sys.modules, name)
    patch.setattr(package, "kernels", importlib.import_module("metrics.kernels"), raising=False)
    yield request.param
    for name in [name for name in sys.modules if name.split(".")[:2] == ["metrics", "kernels"]]:
        del sys.modules[name]
    patch.undo()
