"""Tests between systems: laws, the peer's numbers, and published p-values."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from appraise.lib.resampling import p_value
from metrics import registry
from metrics.base import AddableMetric, FloatArray, score_systems
from metrics.collocation.metric import Collocation
from metrics.scoring.significance import (
    SignificanceResult,
    approximate_randomisation,
    bootstrap_scores,
    paired_bootstrap,
)
from tests.metrics.test_peers import text

SYSTEMS = {"base": text(1, 80), "other": text(4, 80), "same": text(1, 80), "good": text(2, 80)}
REFERENCES = [[" ".join(line.split()[:9]) for line in text(2, 80)]]


def bleu() -> AddableMetric:
    metric = registry.get("bleu", tokenize="none")
    assert isinstance(metric, AddableMetric)
    return metric


def statistics() -> dict[str, FloatArray]:
    scored = score_systems(bleu(), SYSTEMS, REFERENCES)
    return {name: scores.statistics for name, scores in scored.items() if scores.statistics is not None}


def test_bootstrap_equals_sacrebleu_with_the_same_draws() -> None:
    metrics = {"BLEU": BLEU(tokenize="none", references=REFERENCES)}
    theirs = PairedTest(list(SYSTEMS.items()), metrics, None, test_type="bs", n_samples=300)()[1]["BLEU"]
    ours = paired_bootstrap(bleu(), statistics(), "base", resamples=300, seed=12345)
    for mine, other in zip(ours, theirs, strict=True):
        assert not isinstance(other, str)
        assert mine.score == pytest.approx(other.score)
        assert mine.mean == pytest.approx(other.mean, rel=1e-5)
        if mine.system in ("other", "good"):
            assert mine.p == pytest.approx(other.p_value, abs=2 / 301)


def test_a_system_is_never_better_than_itself() -> None:
    for test in (paired_bootstrap, approximate_randomisation):
        results = {result.system: result for result in test(bleu(), statistics(), "base", seed=3)}
        assert results["base"].p is None
        assert results["same"].p == 1
        assert results["same"].difference == 0


def test_one_segment_is_never_significant() -> None:
    """Every resample of it is itself, so that nothing would seem to vary."""
    alone = {name: rows[:1] for name, rows in statistics().items()}
    for result in paired_bootstrap(bleu(), alone, "base", resamples=100):
        assert (result.p, result.mean, result.interval) == (None, None, None)


def test_a_clear_difference_is_significant() -> None:
    boot = {r.system: r for r in paired_bootstrap(bleu(), statistics(), "base", resamples=500)}
    swap = {r.system: r for r in approximate_randomisation(bleu(), statistics(), "base", trials=500)}
    for results in (boot, swap):
        found = results["good"].p
        assert found is not None
        assert found < 0.01
        assert (results["good"].difference or 0) > 0
    low, high = boot["good"].interval or (0, 0)
    assert low < (boot["good"].score or 0) < high


def test_the_seed_alone_decides() -> None:
    one, two, other = (
        paired_bootstrap(bleu(), statistics(), "base", resamples=50, seed=s) for s in (1, 1, 2)
    )
    assert one == two
    assert one != other


def test_parts_do_not_change_the_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bootstrap_scores(bleu(), statistics(), resamples=20, seed=5)
    monkeypatch.setattr("metrics.scoring.significance.CELLS", 7 * 80)
    parts = bootstrap_scores(bleu(), statistics(), resamples=20, seed=5)
    for name in whole:
        np.testing.assert_allclose(whole[name], parts[name], rtol=1e-12)


def test_where_the_metric_is_undefined_nothing_is_said() -> None:
    """A mean over the sentences that have a value: one system has none, another few."""
    rows = {
        "base": np.array([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]]),
        "few": np.array([[9.0, 1.0], [0.0, 0.0], [0.0, 0.0]]),
        "none": np.zeros((3, 2)),
    }
    for test in (paired_bootstrap, approximate_randomisation):
        results = {result.system: result for result in test(Collocation(), rows, "base")}
        assert results["none"] == SignificanceResult("none", None, None, None)
        assert results["few"].difference == 7.0
        assert results["few"].p is not None
        assert results["base"].difference == 0.0
    low, high = paired_bootstrap(Collocation(), rows, "base")[1].interval or (0, 0)
    assert low == high == 9.0


def test_p_is_never_zero() -> None:
    assert p_value(np.zeros(99), 1.0) == 1 / 100


@pytest.mark.parametrize(
    ("change", "said"),
    [({"baseline": "none"}, "'none'"), ({"resamples": 0}, "at least one sample")],
)
def test_senseless_questions_are_refused(change: dict[str, object], said: str) -> None:
    arguments: dict[str, object] = {"baseline": "base"} | change
    with pytest.raises(ValueError, match=said):
        paired_bootstrap(bleu(), statistics(), **arguments)  # type: ignore[arg-type]  # one of them is wrong


def test_systems_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="same number of segments"):
        paired_bootstrap(bleu(), statistics() | {"short": np.zeros((3, 10))}, "base")
