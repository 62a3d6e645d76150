"""The contract: what holds for every registered metric, whoever wrote it.

A metric whose tool, model or data is absent is skipped, visibly, with its own sentence.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from metrics import registry
from metrics.base import (
    AddableMetric,
    Metric,
    MetricUnavailable,
    Scores,
    Segment,
    make_segments,
    may_be_undefined,
    score_systems,
)

REFERENCE = [
    "the quick brown fox jumps over the lazy dog near the old river bank",
    "she said that the committee would meet again on monday morning to discuss the budget",
    "it is raining",
    "prices rose by three percent in the second quarter of the year , the ministry said",
]
SECOND = [
    "a fast brown fox leaps over a lazy dog close to the old bank of the river",
    "the committee would , she said , meet again monday morning to talk about the budget",
    "there is rain",
    "in the second quarter , prices went up three percent , said the ministry",
]
SOURCE = [
    "der schnelle braune fuchs springt über den faulen hund am alten flussufer",
    "sie sagte , dass der ausschuss am montagmorgen erneut über den haushalt beraten werde",
    "es regnet",
    "die preise stiegen im zweiten quartal des jahres um drei prozent , teilte das ministerium mit",
]
WORSE = [
    "the quick fox over dog lazy jumps the near bank",
    "she would that committee said meet monday",
    "it raining raining",
    "prices by percent three of rose second ministry the",
]
NONSENSE = ["zzz qqq xxx", "yyy", "vvv vvv", "uuu ttt sss rrr"]
EMPTY = [""] * 4

ENTRIES = {entry.name: entry for entry in registry.list_metrics()}


READY = sorted(name for name, entry in ENTRIES.items() if not entry.missing)


@pytest.fixture(params=READY)
def metric(request: pytest.FixtureRequest) -> Metric:
    return registry.get(request.param)


@pytest.mark.parametrize("name", sorted(set(ENTRIES) - set(READY)))
def test_an_absent_metric_says_why(name: str) -> None:
    reason = ENTRIES[name].missing or ""
    assert len(reason.split()) > 3
    pytest.skip(f"no laws checked for {name}: {reason}")


def segments(outputs: list[str]) -> list[Segment]:
    return make_segments(outputs, [REFERENCE], SOURCE)


def better(metric: Metric, one: float, other: float) -> bool:
    """At least as good, up to rounding."""
    sign = 1 if metric.higher_is_better else -1
    return sign * one >= sign * other - 1e-9


def all_numbers(metric: Metric, scores: Scores) -> bool:
    """Finite, or NaN where the metric declares that it may say nothing of a segment."""
    known = np.isfinite(scores.segments) | (np.isnan(scores.segments) & may_be_undefined(metric))
    return bool(known.all())


def test_it_is_called_what_it_is_registered_as(metric: Metric) -> None:
    assert metric.name in registry.list_names()
    assert registry.get(metric.name).signature == metric.signature
    assert metric.title
    assert metric.signature.startswith(metric.name)


def test_its_signature_names_every_parameter(metric: Metric) -> None:
    for name, default in registry.parameters_of(metric.name).items():
        if isinstance(default, bool):
            changed: registry.Value = not default
        elif isinstance(default, float) and 0 < default < 1:
            changed = default / 2  # a share stays one
        elif isinstance(default, int | float):
            changed = default + 1
        else:
            continue
        assert registry.get(metric.name, **{name: changed}).signature != metric.signature, name


def test_it_cannot_be_changed_after_it_was_made(metric: Metric) -> None:
    with pytest.raises((dataclasses.FrozenInstanceError, AttributeError)):
        metric.name = "other"  # type: ignore[misc]  # that it is read-only is the point


def test_scores_have_the_shape_of_the_contract(metric: Metric) -> None:
    scores = metric.score(segments(WORSE))
    assert scores.segments.shape == (4,)
    assert all_numbers(metric, scores)
    assert scores.corpus is None or np.isfinite(scores.corpus)
    assert scores.signature.startswith(metric.signature)


def test_an_identical_output_is_best(metric: Metric) -> None:
    if not metric.needs.reference:
        pytest.skip(f"{metric.name} compares with no reference")
    best = metric.score(segments(REFERENCE))
    for other in (WORSE, NONSENSE, EMPTY):
        scores = metric.score(segments(other))
        for one, two in zip(best.segments, scores.segments, strict=True):
            assert better(metric, one, two)
        if best.corpus is not None and scores.corpus is not None:
            assert better(metric, best.corpus, scores.corpus)


def test_its_direction_is_what_it_says(metric: Metric) -> None:
    if not metric.needs.reference:
        pytest.skip(f"{metric.name} compares with no reference")
    best, worst = metric.score(segments(REFERENCE)).corpus, metric.score(segments(NONSENSE)).corpus
    assert best is not None
    assert worst is not None
    assert better(metric, best, worst)
    assert best != worst


def test_an_empty_output_is_finite(metric: Metric) -> None:
    assert all_numbers(metric, metric.score(segments(EMPTY)))
    assert all_numbers(metric, metric.score(segments(["", WORSE[1], " ", WORSE[3]])))


def test_an_empty_reference_is_finite(metric: Metric) -> None:
    both = [Segment("", ("",), "x"), Segment("a b", ("",), "x"), Segment("a b", ("a b",), "x")]
    assert all_numbers(metric, metric.score(both))


def test_no_segments_have_no_score(metric: Metric) -> None:
    scores = metric.score([])
    assert scores.corpus is None
    assert len(scores.segments) == 0


def test_the_same_input_gives_the_same_output(metric: Metric) -> None:
    one, two = metric.score(segments(WORSE)), metric.score(segments(WORSE))
    np.testing.assert_array_equal(one.segments, two.segments)
    assert one.corpus == two.corpus


def test_the_order_of_segments_does_not_matter(metric: Metric) -> None:
    forward = metric.score(segments(WORSE))
    backward = metric.score(segments(WORSE)[::-1])
    np.testing.assert_allclose(forward.segments, backward.segments[::-1], rtol=1e-9)
    assert forward.corpus == pytest.approx(backward.corpus)


def test_statistics_add_up_to_the_corpus_score(metric: Metric) -> None:
    if not isinstance(metric, AddableMetric):
        pytest.skip(f"{metric.name} has no addable statistics")
    scores = metric.score(segments(WORSE))
    assert scores.statistics is not None
    assert metric.from_statistics(scores.statistics.sum(axis=0)) == pytest.approx(scores.corpus)
    np.testing.assert_array_equal(metric.statistics(segments(WORSE)), scores.statistics)
    stacked = metric.from_statistics(np.stack([scores.statistics.sum(axis=0)] * 3))
    assert stacked.shape == (3,)


def test_systems_together_score_as_each_alone_whatever_the_workers(metric: Metric) -> None:
    systems = {"worse": WORSE, "same": REFERENCE, "empty": EMPTY}
    for references in ([REFERENCE], [REFERENCE, SECOND]):
        together = score_systems(metric, systems, references, SOURCE)
        threads = score_systems(metric, systems, references, SOURCE, workers=3)
        for name, outputs in systems.items():
            alone = metric.score(make_segments(outputs, references, SOURCE))
            np.testing.assert_array_equal(together[name].segments, threads[name].segments)
            np.testing.assert_allclose(together[name].segments, alone.segments, rtol=1e-12)
            assert together[name].corpus == pytest.approx(alone.corpus)


def test_another_reference_never_hurts_the_best_output(metric: Metric) -> None:
    if not metric.needs.reference or metric.name.startswith("nist"):
        pytest.skip(f"{metric.name}: references are no choice of the best one")
    one = score_systems(metric, {"s": REFERENCE}, [REFERENCE])["s"].segments
    two = score_systems(metric, {"s": REFERENCE}, [REFERENCE, SECOND])["s"].segments
    assert all(better(metric, b, a) for a, b in zip(one, two, strict=True))


def test_segments_may_differ_in_their_references(metric: Metric) -> None:
    if not metric.needs.reference or metric.name.startswith("nist"):
        pytest.skip(f"{metric.name}: the set decides the weights, or there is no reference")
    mixed = [
        Segment(WORSE[0], (REFERENCE[0], SECOND[0]), SOURCE[0]),
        Segment(WORSE[1], (REFERENCE[1],), SOURCE[1]),
    ]
    together = metric.score(mixed).segments
    alone = [metric.score([segment]).segments[0] for segment in mixed]
    np.testing.assert_allclose(together, alone, rtol=1e-9)


def test_a_missing_text_is_refused_with_a_sentence(metric: Metric) -> None:
    if not metric.needs.reference:
        pytest.skip(f"{metric.name} needs no reference")
    with pytest.raises(MetricUnavailable, match="needs a reference"):
        score_systems(metric, {"s": WORSE}, [], SOURCE)
