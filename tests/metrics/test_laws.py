"""The contract: what holds for every registered metric, whoever wrote it.

A metric whose tool, model or data is absent is skipped, visibly, with its own sentence.
"""

from __future__ import annotations

import pytest

from metrics import registry
from metrics.laws import LAWS, LawInapplicable, Verdict, check_laws
from tests.metrics.breaches import BREACHES, LengthGap

ENTRIES = {entry.name: entry for entry in registry.list_metrics()}


READY = sorted(name for name, entry in ENTRIES.items() if not entry.missing)


@pytest.mark.parametrize("name", sorted(set(ENTRIES) - set(READY)))
def test_an_absent_metric_says_why(name: str) -> None:
    reason = ENTRIES[name].missing or ""
    assert len(reason.split()) > 3
    pytest.skip(f"no laws checked for {name}: {reason}")


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", READY)
def test_every_metric_keeps(law: str, name: str) -> None:
    try:
        LAWS[law](registry.get(name))
    except LawInapplicable as reason:
        pytest.skip(f"{name}: {reason}")


@pytest.mark.parametrize("name", READY)
def test_a_name_gives_the_same_metric_again(name: str) -> None:
    assert registry.get(name).name == name
    assert registry.get(name).signature == registry.get(name).signature


@pytest.fixture(params=[LengthGap, *BREACHES])
def example(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[LengthGap]:
    registry.list_names()
    monkeypatch.setattr(registry, "_metrics", {**registry._metrics, "length-gap": request.param})
    return request.param  # type: ignore[no-any-return]  # one of the classes above


def test_a_breach_is_reported_by_its_law(example: type[LengthGap]) -> None:
    broken = {result.law for result in check_laws(example()) if result.verdict is Verdict.BROKEN}
    assert broken == set() if example is LengthGap else BREACHES[example] in broken
