"""Finding metrics by name, and what the engine refuses."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from metrics import registry
from metrics.base import MetricUnavailable, Needs, Scores, Segment, score_systems
from metrics.learned.features import BASIC, Preparation, compute
from metrics.registry import UnknownMetric, parse
from tests.conftest import ROOT

EXPECTED = (
    "bleu bleu-paper chrf chrf++ fms-1 fms-2 meteor nist nist-paper per per-count precision-1 precision-2 "
    "precision-3 precision-4 precision-5 rouge-l rouge-w ter wer wer-count"
)


def test_every_name_of_the_interface_is_there() -> None:
    assert set(EXPECTED.split()) <= set(registry.list_names())


def test_listing_metrics_imports_no_compiler() -> None:
    code = "import sys; from metrics import registry; registry.list_names(); sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_a_specification_sets_parameters_by_their_type() -> None:
    metric = parse("bleu:order=2:length=shortest:lowercase=true:tokenize=intl")
    assert "order:2|length:shortest|tok:intl|case:lc" in metric.signature
    assert "beta:3.0" in parse("chrf:beta=3").signature


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        ("bleux", "unknown metric 'bleux'"),
        ("bleu:ordre=2", "no parameter 'ordre=2'"),
        ("bleu:order", "no parameter 'order'"),
        ("bleu:order=two", "order is a whole number, not 'two'"),
        ("bleu:lowercase=yes", "true or false"),
        ("meteor:alpha=nan", "alpha is a finite number, not 'nan'"),
        ("fms-2:e=inf", "e is a finite number, not 'inf'"),
    ],
)
def test_a_bad_specification_is_explained(specification: str, said: str) -> None:
    with pytest.raises(UnknownMetric, match=said):
        parse(specification)


@pytest.mark.parametrize(
    "specification",
    [
        "bleu:order=0",
        "bleu-paper:length=longest",
        "wer:tokenize=moses",
        "chrf:beta=0",
        "fms-2:e=0.5",
        "rouge-w:weight=0",
        "meteor:alpha=2",
        "meteor:beta=-1",
    ],
)
def test_a_senseless_value_is_refused(specification: str) -> None:
    with pytest.raises(ValueError, match=r"must|needs|unknown"):
        parse(specification)


def test_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(UnknownMetric, match="does not take"):
        registry.get("wer", order=3)


def test_two_metrics_cannot_share_a_name() -> None:
    with pytest.raises(ValueError, match="two metrics"):
        registry.register_factory("wer", registry.get)


def test_texts_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="system 's' has 2, reference 1 has 1"):
        score_systems(registry.get("wer"), {"s": ["a", "b"]}, [["a"]])


def test_a_segment_without_reference_is_named() -> None:
    with pytest.raises(MetricUnavailable, match="segment 2 has none"):
        registry.get("wer").score([Segment("a", ("a",)), Segment("b")])


def test_what_a_metric_lacks_is_said() -> None:
    assert Needs(source=True).explain_missing(references=1, source=False) == "it needs the source"
    assert Needs(reference=False).explain_missing(references=0, source=False) is None


def test_a_plain_metric_needs_nothing_but_score() -> None:
    class Length:
        name, title, higher_is_better = "length", "words", True
        needs, signature = Needs(reference=False), "length|v:1"

        def score(self, segments: list[Segment]) -> Scores:
            values = np.array([float(len(s.hypothesis.split())) for s in segments])
            return Scores(values, float(values.mean()), self.signature)

    scores = score_systems(Length(), {"s": ["a b", "c"]})  # type: ignore[arg-type]  # a list is a sequence enough
    assert scores["s"].segments.tolist() == [2, 1]


def test_basic_features_are_those_of_the_thesis() -> None:
    segment = Segment("he walked the dog", ("he took the dog for a walk", "he walked"))
    features = dict(zip(BASIC, compute(BASIC, [segment], Preparation("none"))[0], strict=True))
    assert features["length-ratio-min"] == pytest.approx(4 / 7)
    assert features["length-ratio-max"] == 2
    assert (features["precision-1"], features["precision-2"]) == (1, 2 / 3)
    assert (features["wer-count"], features["per-count"]) == (2, 2)
