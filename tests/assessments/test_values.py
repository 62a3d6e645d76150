"""Marked spans, protocols and weightings."""

from __future__ import annotations

import json

import pytest

from appraise.lib.problems import InputError
from evaluation.assessments import PROTOCOLS, WEIGHTINGS, MarkedSpan, SpanSide
from evaluation.assessments.protocols import read_protocol
from evaluation.assessments.weights import weigh_as_stated


@pytest.mark.parametrize(("start", "end"), [(3, 2), (-1, 2), (None, 2), (2, None)])
def test_impossible_offsets_are_refused(start: int | None, end: int | None) -> None:
    with pytest.raises(ValueError, match="span"):
        MarkedSpan("minor", "", start, end)


def test_an_empty_span_is_possible_and_no_omission() -> None:
    assert not MarkedSpan("minor", "", 3, 3).is_omission


@pytest.mark.parametrize("name", PROTOCOLS)
def test_a_protocol_survives_json(name: str) -> None:
    assert read_protocol(json.loads(json.dumps(PROTOCOLS[name].to_json()))) == PROTOCOLS[name]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": " "}, "'name'"),
        ({"title": 5}, "'title'"),
        ({"severities": "minor"}, "'severities'"),
        ({"severities": ["minor", "minor"]}, "twice"),
        ({"has_omissions": 1}, "'has_omissions'"),
        ({"colour": "red"}, "'colour'"),
        ({"scale": 100}, "'scale'"),
        ({"scale": {"lowest": 0}}, "'highest'"),
        ({"scale": {"lowest": 5, "highest": 5}}, "below"),
        ({"scale": {"lowest": 0, "highest": True}}, "numbers"),
        ({"scale": {"lowest": 0, "highest": 9, "anchors": [["bad"]]}}, "'anchors'"),
        ({"scale": None, "severities": []}, "score"),
    ],
)
def test_a_bad_protocol_is_refused_with_the_key(change: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_protocol(PROTOCOLS["esa"].to_json() | change)


def test_a_protocol_that_is_no_object_is_refused() -> None:
    with pytest.raises(InputError, match="object"):
        read_protocol([1])


@pytest.mark.parametrize(
    ("weighting", "severity", "category", "weight"),
    [
        ("mqm-google", "Major", "Accuracy/Mistranslation", 5),
        ("mqm-google", "Major", "Fluency/Punctuation", 5),
        ("mqm-google", "Minor", "Fluency/Punctuation", 0.1),
        ("mqm-google", "minor", "style/awkward", 1),
        ("mqm-google", "major", "non-translation!", 25),
        ("mqm-google", "major", "source issue", 0),
        ("mqm-google", "minor", "accuracy/creative reinterpretation", 0),
        ("mqm-google", "No-error", "No-error", 0),
        ("mqm-esa", "critical", "", 25),
        ("mqm-esa", "major", "", 5),
        ("mqm-esa", "minor", "punctuation", 0.1),
        ("esa-spans", "minor", "", 1),
        ("esa-spans", "undecided", "", 0),
    ],
)
def test_weights(weighting: str, severity: str, category: str, weight: float) -> None:
    assert WEIGHTINGS[weighting].weigh(MarkedSpan(severity, category)) == weight


def test_an_unknown_severity_is_not_weighed_silently() -> None:
    with pytest.raises(ValueError, match="'grave'"):
        WEIGHTINGS["mqm-esa"].weigh(MarkedSpan("grave"))


def test_no_errors_score_zero_without_a_sign() -> None:
    assert str(WEIGHTINGS["mqm-google"].score([])) == "0.0"


def test_a_stated_weight_is_needed_where_no_weighting_is_named() -> None:
    assert weigh_as_stated(MarkedSpan("x", side=SpanSide.SOURCE, weight=2.5)) == 2.5
    with pytest.raises(ValueError, match="weighting"):
        weigh_as_stated(MarkedSpan("minor"))
