"""The laws that every metric keeps, for the tests of this project and for ``manage.py check_metric``.

A law takes a metric. It raises ``LawBroken`` with one sentence where the metric breaks it, and
``LawInapplicable`` where it does not concern the metric. ``LAWS`` contains them by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import FrozenInstanceError, dataclass
from enum import StrEnum

import numpy as np

from metrics import registry
from metrics.base import (
    AddableMetric,
    FloatArray,
    Metric,
    MetricUnavailable,
    Scores,
    Segment,
    compares_systems,
    depends_on_set,
    make_segments,
    may_be_undefined,
    score_systems,
)

REFERENCE = (
    "the quick brown fox jumps over the lazy dog near the old river bank",
    "she said that the committee would meet again on monday morning to discuss the budget",
    "it is raining",
    "prices rose by three percent in the second quarter of the year , the ministry said",
)
SECOND = (
    "a fast brown fox leaps over a lazy dog close to the old bank of the river",
    "the committee would , she said , meet again monday morning to talk about the budget",
    "there is rain",
    "in the second quarter , prices went up three percent , said the ministry",
)
SOURCE = (
    "der schnelle braune fuchs springt über den faulen hund am alten flussufer",
    "sie sagte , dass der ausschuss am montagmorgen erneut über den haushalt beraten werde",
    "es regnet",
    "die preise stiegen im zweiten quartal des jahres um drei prozent , teilte das ministerium mit",
)
WORSE = (
    "the quick fox over dog lazy jumps the near bank",
    "she would that committee said meet monday",
    "it raining raining",
    "prices by percent three of rose second ministry the",
)
NONSENSE = ("zzz qqq xxx", "yyy", "vvv vvv", "uuu ttt sss rrr")
EMPTY = ("",) * 4

Law = Callable[[Metric], None]
LAWS: dict[str, Law] = {}


class LawBroken(Exception):
    """The metric breaks a law; the message says how."""


class LawInapplicable(Exception):
    """A law does not concern the metric; the message says why."""


class Verdict(StrEnum):
    KEPT = "kept"
    BROKEN = "broken"
    INAPPLICABLE = "does not apply"


@dataclass(frozen=True, slots=True)
class LawResult:
    """What one law says of a metric."""

    law: str
    verdict: Verdict
    reason: str = ""


def check_laws(metric: Metric) -> list[LawResult]:
    """Try every law; an exception of the metric breaks the law that met it.

    >>> {result.verdict for result in check_laws(registry.get("wer"))}
    {<Verdict.KEPT: 'kept'>}
    """
    return [_try(name, law, metric) for name, law in LAWS.items()]


def _try(name: str, law: Law, metric: Metric) -> LawResult:
    try:
        law(metric)
    except LawInapplicable as reason:
        return LawResult(name, Verdict.INAPPLICABLE, str(reason))
    except LawBroken as reason:
        return LawResult(name, Verdict.BROKEN, str(reason))
    except Exception as error:  # the code of somebody else may raise anything
        return LawResult(name, Verdict.BROKEN, f"it raised {type(error).__name__}: {error}")
    return LawResult(name, Verdict.KEPT)


def law(function: Law) -> Law:
    LAWS[function.__name__] = function
    return function


def require(condition: object, message: str) -> None:
    if not condition:
        raise LawBroken(message)


def segments_of(outputs: Sequence[str]) -> list[Segment]:
    return make_segments(outputs, [REFERENCE], SOURCE)


@law
def is_registered_under_its_name(metric: Metric) -> None:
    require(metric.name in registry.list_names(), f"no metric is registered as {metric.name!r}")
    require(metric.title, "it has no title")
    require(
        metric.signature.startswith(metric.name),
        f"its signature {metric.signature!r} does not begin with its name {metric.name!r}",
    )


@law
def names_every_parameter_in_its_signature(metric: Metric) -> None:
    for name, default in registry.parameters_of(metric.name).items():
        if isinstance(default, bool):
            changed: registry.Value = not default
        elif isinstance(default, float) and 0 < default < 1:
            changed = default / 2  # a share stays one
        elif isinstance(default, int | float):
            changed = default + 1
        else:
            continue
        other = registry.get(metric.name, **{name: changed})
        plain = registry.get(metric.name)
        require(other.signature != plain.signature, f"its signature does not depend on {name}")


@law
def cannot_be_changed(metric: Metric) -> None:
    try:
        metric.name = "other"  # type: ignore[misc]  # that it is read-only is the point
    except (FrozenInstanceError, AttributeError):
        return
    raise LawBroken("its name can be changed; write @dataclass(frozen=True)")


@law
def scores_have_the_shape_of_the_contract(metric: Metric) -> None:
    scores = metric.score(segments_of(WORSE))
    require(scores.segments.shape == (4,), f"four segments have scores of shape {scores.segments.shape}")
    _require_numbers(metric, scores)
    require(scores.corpus is None or np.isfinite(scores.corpus), f"its corpus score is {scores.corpus}")
    require(
        scores.signature.startswith(metric.signature),
        "the signature of its scores does not begin with its own",
    )


@law
def an_identical_output_is_best(metric: Metric) -> None:
    _need_reference(metric)
    best = metric.score(segments_of(REFERENCE))
    for other in (WORSE, NONSENSE, EMPTY):
        scores = metric.score(segments_of(other))
        for number, pair in enumerate(zip(best.segments, scores.segments, strict=True)):
            message = (
                f"{other[number]!r} is scored better ({pair[1]}) than a copy of the reference ({pair[0]})"
            )
            require(_is_better(metric, *pair), message)
        if best.corpus is not None and scores.corpus is not None:
            require(
                _is_better(metric, best.corpus, scores.corpus), "another output has a better corpus score"
            )


@law
def its_direction_is_what_it_says(metric: Metric) -> None:
    _need_reference(metric)
    best, worst = metric.score(segments_of(REFERENCE)).corpus, metric.score(segments_of(NONSENSE)).corpus
    if best is None or worst is None:
        raise LawBroken("it has no corpus score")
    require(
        _is_better(metric, best, worst) and best != worst,
        f"higher_is_better is {metric.higher_is_better}, but the reference has {best} and nonsense {worst}",
    )


@law
def an_empty_output_has_a_score(metric: Metric) -> None:
    _require_numbers(metric, metric.score(segments_of(EMPTY)))
    _require_numbers(metric, metric.score(segments_of(["", WORSE[1], " ", WORSE[3]])))


@law
def an_empty_reference_gives_a_score(metric: Metric) -> None:
    both = [Segment("", ("",), "x"), Segment("a b", ("",), "x"), Segment("a b", ("a b",), "x")]
    _require_numbers(metric, metric.score(both))


@law
def no_segments_have_no_score(metric: Metric) -> None:
    scores = metric.score([])
    require(scores.corpus is None, f"the corpus score of no segments is {scores.corpus}, not None")
    require(len(scores.segments) == 0, "no segments have scores")


@law
def the_same_input_gives_the_same_output(metric: Metric) -> None:
    one, two = metric.score(segments_of(WORSE)), metric.score(segments_of(WORSE))
    _require_equal(one.segments, two.segments, "the same segments are scored differently the second time", 0)
    require(one.corpus == two.corpus, "the corpus score is different the second time")


@law
def the_order_of_segments_does_not_matter(metric: Metric) -> None:
    forward = metric.score(segments_of(WORSE))
    backward = metric.score(segments_of(WORSE)[::-1])
    _require_equal(forward.segments, backward.segments[::-1], "the order of segments changes scores", 1e-9)
    require(_is_close(forward.corpus, backward.corpus), "the order of segments changes the corpus score")


@law
def statistics_add_up_to_the_corpus_score(metric: Metric) -> None:
    if not isinstance(metric, AddableMetric):
        raise LawInapplicable("it has no addable statistics")
    scores = metric.score(segments_of(WORSE))
    if scores.statistics is None:
        raise LawBroken("it has from_statistics, but its scores have no statistics")
    total = scores.statistics.sum(axis=0)
    corpus = float(metric.from_statistics(total))
    message = f"the sum of its statistics gives {corpus}, its corpus score is {scores.corpus}"
    require(_is_close(corpus, scores.corpus), message)
    own = metric.statistics(segments_of(WORSE))
    _require_equal(own, scores.statistics, "statistics() differs from the statistics of score()", 0)
    stacked = metric.from_statistics(np.stack([total] * 3))
    require(stacked.shape == (3,), f"from_statistics turns three sums into the shape {stacked.shape}")


@law
def systems_together_score_as_each_alone(metric: Metric) -> None:
    systems = {"worse": WORSE, "same": REFERENCE, "empty": EMPTY}
    for references in ([REFERENCE], [REFERENCE, SECOND]):
        together = score_systems(metric, systems, references, SOURCE)
        threads = score_systems(metric, systems, references, SOURCE, workers=3)
        for name, outputs in systems.items():
            _require_equal(
                together[name].segments, threads[name].segments, "scores depend on the number of workers", 0
            )
            if compares_systems(metric):
                continue  # only then does the score of one system depend on the others
            alone = metric.score(make_segments(outputs, references, SOURCE))
            message = "a system alone has other scores than together with others"
            _require_equal(together[name].segments, alone.segments, message, 1e-12)
            require(_is_close(together[name].corpus, alone.corpus), message)


@law
def another_reference_never_hurts_the_best_output(metric: Metric) -> None:
    _need_reference(metric)
    _need_independent_segments(metric)
    one = score_systems(metric, {"s": REFERENCE}, [REFERENCE], SOURCE)["s"].segments
    two = score_systems(metric, {"s": REFERENCE}, [REFERENCE, SECOND], SOURCE)["s"].segments
    pairs = zip(one, two, strict=True)
    require(
        all(_is_better(metric, b, a) for a, b in pairs),
        "a second reference makes a copy of the first one worse",
    )


@law
def segments_may_differ_in_their_references(metric: Metric) -> None:
    _need_reference(metric)
    _need_independent_segments(metric)
    mixed = [
        Segment(WORSE[0], (REFERENCE[0], SECOND[0]), SOURCE[0]),
        Segment(WORSE[1], (REFERENCE[1],), SOURCE[1]),
    ]
    together = metric.score(mixed).segments
    alone = np.array([metric.score([segment]).segments[0] for segment in mixed])
    _require_equal(together, alone, "a segment with fewer references changes the score of another", 1e-9)


@law
def a_missing_text_is_refused(metric: Metric) -> None:
    _need_reference(metric)
    try:
        score_systems(metric, {"s": WORSE}, [], SOURCE)
    except MetricUnavailable as error:
        require("needs a reference" in str(error), f"without a reference it says only {str(error)!r}")
        return
    raise LawBroken("it scores without the reference that it needs")


def _need_reference(metric: Metric) -> None:
    if not metric.needs.reference:
        raise LawInapplicable("it compares with no reference")


def _need_independent_segments(metric: Metric) -> None:
    if depends_on_set(metric):
        raise LawInapplicable("the score of a segment depends on the set")


def _require_numbers(metric: Metric, scores: Scores) -> None:
    """Every score is finite, or NaN where the metric declares that it may be undefined."""
    known = np.isfinite(scores.segments) | (np.isnan(scores.segments) & may_be_undefined(metric))
    require(known.all(), f"scores are not finite: {scores.segments.tolist()}")


def _require_equal(one: FloatArray, other: FloatArray, message: str, tolerance: float) -> None:
    is_equal = one.shape == other.shape and np.allclose(one, other, rtol=tolerance, atol=0, equal_nan=True)
    require(is_equal, f"{message}: {one.tolist()}, {other.tolist()}")


def _is_close(one: float | None, other: float | None) -> bool:
    """Equal up to rounding, as ``pytest.approx`` has it."""
    if one is None or other is None:
        return one is other
    return bool(np.isclose(one, other, rtol=1e-6, atol=1e-12))


def _is_better(metric: Metric, one: float, other: float) -> bool:
    """At least as good, up to rounding."""
    sign = 1 if metric.higher_is_better else -1
    return bool(sign * one >= sign * other - 1e-9)
