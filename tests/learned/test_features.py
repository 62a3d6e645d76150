"""Features: golden values of the thesis, slow twins, the parse features with a parser that is known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from metrics.base import MetricUnavailable, Segment
from metrics.learned import features, matching, syntax
from metrics.learned.features import BASIC, EXTENDED, Preparation, compute, parse_names
from metrics.registry import UnknownMetric
from metrics.tools.constituency import Parse, shared_parser

DOG = Segment("he walked the dog", ("he took the dog for a walk",))
PLAIN = Preparation("none", False)


def test_the_basic_features_of_the_thesis() -> None:
    """Kulesza 2004: nine features; p1 = 3/4, p2 = 1/3, WER 4 and PER 4 in the examples of chapter 1."""
    assert len(BASIC) == 9
    (row,) = compute(BASIC, [DOG], PLAIN)
    assert row == pytest.approx([4 / 7, 4 / 7, 3 / 4, 1 / 3, 0, 0, 0, 4, 4])


def test_length_ratios_take_the_least_and_the_greatest_over_the_references() -> None:
    (row,) = compute(["length-ratio-min", "length-ratio-max"], [Segment("a b", ("a", "a b c d"))], PLAIN)
    assert row.tolist() == [0.5, 2.0]


def test_without_the_parser_the_extended_set_is_refused_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("APPRAISE_TOOLS", str(tmp_path))
    shared_parser.cache_clear()
    with pytest.raises(MetricUnavailable, match="the extended features need the constituency parser"):
        compute(EXTENDED, [DOG], PLAIN)
    shared_parser.cache_clear()


def test_the_extended_set_adds_score_ratios_counts_and_a_flag() -> None:
    assert len(EXTENDED) == 9 + 3 + 2 * 7 + 1


def test_any_metric_is_a_feature_turned_so_that_higher_is_better() -> None:
    table = compute(["chrf", "wer"], [DOG, Segment("he took the dog for a walk", DOG.references)], PLAIN)
    assert (table[1] > table[0]).all()
    assert table[1].tolist() == [100.0, 0.0]


def test_segments_with_different_numbers_of_references_keep_their_order() -> None:
    mixed = [DOG, Segment("he took", ("x", "he took")), DOG]
    table = compute(["precision-1"], mixed, PLAIN)
    assert table.ravel().tolist() == [0.75, 1.0, 0.75]


def test_an_empty_output_has_finite_features() -> None:
    table = compute(features.RICH, [Segment("", ("a b",), ""), Segment("a", ("",), "a")])
    assert np.isfinite(table).all()


def test_no_segments_give_an_empty_table() -> None:
    assert compute(BASIC, []).shape == (0, 9)


def test_a_segment_without_a_reference_is_refused() -> None:
    with pytest.raises(MetricUnavailable, match="segment 2 has none"):
        compute(BASIC, [DOG, Segment("a")])


def test_unknown_features_are_refused_before_anything_is_computed() -> None:
    with pytest.raises(UnknownMetric, match="nonsense"):
        compute(["wer", "nonsense"], [DOG])
    with pytest.raises(ValueError, match="no feature"):
        parse_names(" , ")


def test_sets_and_names_can_be_mixed() -> None:
    assert parse_names("basic,chrf,basic") == (*BASIC, "chrf")


def test_definitions_name_version_tokenisation_and_case() -> None:
    found = features.signatures(["wer-count", "chrf"], Preparation("intl", True))
    assert found["wer-count"] == "v:1|tok:intl|case:lc"
    assert found["chrf"].startswith("chrf|")


sentences = st.lists(st.sampled_from(["a", "b", "ab", "B", "running", "runs", "."]), max_size=8).map(" ".join)


def slow(hypothesis: Sequence[str], reference: Sequence[str], order: int) -> tuple[float, float, float]:
    def grams(tokens: Sequence[str]) -> Counter[tuple[str, ...]]:
        return Counter(tuple(tokens[i : i + order]) for i in range(len(tokens) - order + 1))

    own, theirs = grams(hypothesis), grams(reference)
    shared, n, m = (own & theirs).total(), own.total(), theirs.total()
    return shared / n if n else 0.0, shared / m if m else 0.0, 2 * shared / (n + m) if n + m else 0.0


@settings(max_examples=40)
@given(sentences, sentences)
def test_matches_equal_those_of_a_counter(hypothesis: str, reference: str) -> None:
    found = matching.match_features([Segment(hypothesis, (reference,), "")], "none")
    own, theirs = hypothesis.lower().split(), reference.lower().split()
    spaced = "\u2581".join(own), "\u2581".join(theirs)
    for order in (1, 2, 3):
        words = slow(hypothesis.split(), reference.split(), order)
        for view, expected in (
            ("words", words),
            ("lower", slow(own, theirs, order)),
            ("spaced", slow(spaced[0], spaced[1], order)),
        ):
            assert [found[f"{view}-{order}-{part}"][0] for part in "prf"] == pytest.approx(expected)


def test_with_several_references_the_best_one_counts_order_by_order() -> None:
    both = matching.match_features([Segment("a b c", ("a b x y", "c b a"), "")], "none")
    assert both["words-1-f"][0] == 1
    assert both["words-2-p"][0] == 0.5


def test_words_left_in_the_source_language_are_counted() -> None:
    segment = Segment(
        "the Hund barks at 1984 Berlin", ("the dog barks at 1984 Berlin",), "der Hund bellt 1984 Berlin an"
    )
    found = matching.match_features([segment], "none")
    assert found["copied"][0] == -1
    assert found["copied-share"][0] == pytest.approx(-1 / 6)


def test_lengths_are_right_at_zero_and_one_sided() -> None:
    references = ("a b c d",)
    found = matching.match_features(
        [Segment(text, references, "") for text in ("a b", "a b c d", "a b c d e f g h")], "none"
    )
    assert found["words-short"] == pytest.approx([np.log(0.5), 0, 0])
    assert found["words-long"] == pytest.approx([0, 0, np.log(0.5)])


TREES = {
    "good": Parse("(ROOT (S (NP (DT the) (NN dog)) (VP (VBZ is) (ADJP (JJ old)))))", (-20.0,)),
    "long": Parse("(ROOT (S (NP (NP (NN a)) (PP (IN of) (NP (NN b)))) (VP (VBZ is))))", (-40.0,)),
}


def parse(sentences: Sequence[str]) -> list[Parse]:
    """Parses two sentences and fails at the rest."""
    return [TREES.get(sentence, Parse(None, ())) for sentence in sentences]


def parsed(hypothesis: str, *references: str) -> dict[str, float]:
    found = syntax.syntax_features([Segment(hypothesis, references)], parse)
    return {name: float(column[0]) for name, column in found.items()}


def test_parse_scores_and_counts_are_ratios_to_the_references() -> None:
    found = parsed("long", "good", "long")
    assert found["parse-score"] == -40
    assert (found["parse-score-ratio-min"], found["parse-score-ratio-max"]) == (1, 2)
    assert (found["parse-NP-ratio-min"], found["parse-NP-ratio-max"]) == (1, 3)
    assert (found["parse-NPB-ratio-min"], found["parse-NPB-ratio-max"]) == (1, 2)
    assert (found["parse-ADJP-ratio-min"], found["parse-PP-ratio-max"]) == (0, 1)
    assert found["parse-failed"] == 0


def test_a_failed_parse_counts_nothing_and_says_so() -> None:
    found = parsed("jumbled", "good", "long")
    assert found["parse-failed"] == 1
    assert all(found[f"parse-{label}-ratio-max"] == 0 for label in syntax.LABELS)
    assert (found["parse-score"], found["parse-score-ratio-min"]) == (-30, 1)


def test_references_that_fail_do_not_break_the_ratios() -> None:
    assert all(np.isfinite(value) for value in parsed("good", "jumbled").values())
    assert all(np.isfinite(value) for value in parsed("jumbled", "jumbled").values())
