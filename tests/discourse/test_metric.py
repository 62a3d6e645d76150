"""``dr`` and ``dr-lex`` as registered metrics; the contract's laws are checked with all other metrics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics import registry
from metrics.base import MetricUnavailable, Segment, score_systems
from metrics.discourse.trees import edu, join
from tests.discourse.corpus import write_dis

REFERENCE = "He stayed at home because it was raining."
SAME_SHAPE = "She was at school because nobody was coming."
OTHER_SHAPE = "He stayed at home in the rain."


def one(name: str, hypothesis: str, *references: str, **parameters: registry.Value) -> float:
    return float(registry.get(name, **parameters).score([Segment(hypothesis, references)]).segments[0])


def test_dr_sees_the_same_structure_under_other_words() -> None:
    assert one("dr", SAME_SHAPE, REFERENCE) == pytest.approx(1.0)
    assert one("dr", OTHER_SHAPE, REFERENCE) < 0.5


def test_dr_lex_sees_the_words_as_well() -> None:
    assert one("dr-lex", REFERENCE, REFERENCE) == pytest.approx(1.0)
    assert one("dr-lex", SAME_SHAPE, REFERENCE) < 1
    assert one("dr-lex", REFERENCE.upper(), REFERENCE, lowercase=True) == 1.0
    assert one("dr-lex", REFERENCE.upper(), REFERENCE) < 1


def test_with_several_references_the_best_one_counts() -> None:
    both = one("dr-lex", OTHER_SHAPE, REFERENCE, OTHER_SHAPE)
    assert both == pytest.approx(1.0)
    assert both >= one("dr-lex", OTHER_SHAPE, REFERENCE)


@pytest.mark.parametrize("name", ["dr", "dr-lex"])
def test_an_empty_side_is_similar_only_to_an_empty_side(name: str) -> None:
    assert one(name, "", REFERENCE) == 0
    assert one(name, REFERENCE, "") == 0
    assert one(name, "", "") == 1


def test_systems_scored_together_get_the_same_scores_and_a_mean() -> None:
    metric = registry.get("dr-lex")
    together = score_systems(metric, {"a": [REFERENCE, ""], "b": [OTHER_SHAPE, "x"]}, [[REFERENCE, "x"]])
    alone = metric.score([Segment(OTHER_SHAPE, (REFERENCE,)), Segment("x", ("x",))])
    assert np.array_equal(together["b"].segments, alone.segments)
    assert together["a"].corpus == pytest.approx(0.5)


def test_no_segments_have_no_corpus_score() -> None:
    assert registry.get("dr").score([]).corpus is None


def test_a_missing_reference_is_said() -> None:
    with pytest.raises(MetricUnavailable, match="needs a reference"):
        registry.get("dr").score([Segment("a")])


def test_imported_trees_can_be_scored(tmp_path: Path) -> None:
    trees = [join("Cause", "NS", [edu("a"), edu("b")]), join("Cause", "NS", [edu("c"), edu("d")])]
    path = tmp_path / "trees.dis"
    path.write_text("".join(map(write_dis, trees)))
    assert one("dr", "c d", "a b", parser="imported", model=str(path)) == pytest.approx(1.0)
    assert "(imported, model " in registry.get("dr", parser="imported", model=str(path)).signature


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"parser": "oracle"}, "oracle"), ({"decay": 0.0}, "decay"), ({"decay": -1.0}, "decay")],
)
def test_a_bad_parameter_is_refused(parameters: dict[str, registry.Value], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        registry.get("dr", **parameters)


def test_a_parser_without_its_file_is_unavailable() -> None:
    metric = registry.get("dr", parser="imported")
    with pytest.raises(MetricUnavailable, match="need a file"):
        metric.score([Segment("a", ("b",))])


def test_an_absent_real_parser_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from metrics.discourse import external_parser

    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path))
    external_parser.shared_parser.cache_clear()
    with pytest.raises(MetricUnavailable, match="make tools"):
        registry.get("dr", parser="real").score([Segment("a", ("b",))])


def test_the_signature_names_the_parser_and_its_mode() -> None:
    assert registry.get("dr-lex").signature == (
        "dr-lex|parser:appraise-connectives 1 (heuristic)|case:mixed|decay:0.1"
        "|refs:best|corpus:mean|scale:0-1|v:1"
    )
