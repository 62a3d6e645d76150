"""The metric that docs/extending.md shows is taken as it stands there."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from metrics import registry
from metrics.base import Metric
from tests.metrics import test_laws

PAGE = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
LAWS = [
    law
    for name, law in vars(test_laws).items()
    if name.startswith("test_") and list(inspect.signature(law).parameters) == ["metric"]
]


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Metric:
    found = re.search(r"```python\n(.+?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert found
    registry.list_names()  # every family has registered its own before they are copied
    monkeypatch.setattr(registry, "_metrics", dict(registry._metrics))
    exec(compile(found[1], PAGE.name, "exec"), {"__name__": "example"})
    return registry.get("length-ratio")


@pytest.mark.parametrize("law", LAWS)
def test_the_smallest_metric_keeps_every_law(example: Metric, law: Callable[[Metric], None]) -> None:
    law(example)
