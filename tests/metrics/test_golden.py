"""Numbers from the papers.

Kulesza 2004 (paper 000), section 1.2; Papineni et al. 2002, section 2; NIST's penalty from Doddington 2002.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from metrics import registry
from metrics.base import Segment, score_systems

WALK = Segment("he walked the dog", ("he took the dog for a walk",))
STORE = Segment("he went to the store", ("to the store he went",))


def score(specification: str, *segments: Segment) -> list[float]:
    scores: list[float] = registry.parse(specification).score(segments).segments.tolist()
    return scores


def test_word_errors_of_the_thesis() -> None:
    assert score("wer-count", WALK, STORE) == [4, 4]
    assert score("per-count", WALK, STORE) == [4, 0]
    assert score("wer", WALK) == [4 / 7]


def test_several_references_give_the_fewest_errors() -> None:
    both = Segment(WALK.hypothesis, (*WALK.references, "he walked a dog", "who"))
    assert score("wer-count", both) == [1]
    assert score("mwer", both) == [1 / 4]


def test_bleu_of_the_thesis() -> None:
    assert score("bleu-paper", WALK) == [0]
    assert score("bleu-paper:order=2:length=none", WALK) == pytest.approx([0.5])
    assert score("precision-1", WALK) == [3 / 4]
    assert score("precision-2", WALK) == [1 / 3]


def test_f_measure_of_the_thesis() -> None:
    assert score("fms-1", WALK) == pytest.approx([6 / 11])
    assert score("fms-2", WALK) == pytest.approx([2 * math.sqrt(5) / 11])


def test_clipping_as_papineni_shows_it() -> None:
    references = ("the cat is on the mat", "there is a cat on the mat")
    assert score("precision-1", Segment("the the the the the the the", references)) == [2 / 7]
    first = (
        "it is a guide to action that ensures that the military will forever heed party commands",
        "it is the guiding principle which guarantees the military forces always being under the command "
        "of the party",
        "it is the practical guide for the army always to heed the directions of the party",
    )
    good = "it is a guide to action which ensures that the military always obeys the commands of the party"
    poor = "it is to insure the troops forever hearing the activity guidebook that party direct"
    assert score("precision-1", Segment(good, first), Segment(poor, first)) == [17 / 18, 8 / 14]
    assert score("precision-2", Segment(good, first), Segment(poor, first)) == [10 / 17, 1 / 13]


@pytest.mark.parametrize(
    ("rule", "expected"), [("closest", 12.0), ("shortest", 9.0), ("average", 12.25), ("none", 0.0)]
)
def test_length_rules(rule: str, expected: float) -> None:
    references = tuple(" ".join("x" * n) for n in (9, 12, 14, 14))
    metric = registry.get("bleu-paper", order=1, length=rule)
    scores = metric.score([Segment(" ".join("x" * 13), references)])
    assert scores.statistics is not None
    assert scores.statistics[0, -1] == expected


def test_nist_is_named_as_sum_and_as_mean_over_five() -> None:
    total, mean = (registry.get(name).score([WALK, STORE]).corpus for name in ("nist", "nist-paper"))
    assert total is not None
    assert mean == pytest.approx(total / 5)


def test_lin_2004_prefers_consecutive_matches() -> None:
    """Lin 2004, section 4: ROUGE-L cannot tell these two apart, ROUGE-W can."""
    reference = ("a b c d e f g",)
    together, apart = Segment("a b c d h i k", reference), Segment("a h b k c i d", reference)
    assert score("rouge-l", together, apart) == [4 / 7, 4 / 7]
    values = score("rouge-w:weight=2", together, apart)
    assert values == pytest.approx([4 / 7, 2 / 7])


def test_corpus_bleu_is_no_mean_of_sentences() -> None:
    scores = score_systems(registry.get("bleu-paper", order=1), {"s": ["a b c d", "x"]}, [["a b c d", "a"]])[
        "s"
    ]
    assert scores.corpus == pytest.approx(4 / 5)
    assert np.mean(scores.segments) == pytest.approx(1 / 2)


def test_meteor_weighs_stems_and_function_words() -> None:
    """By hand from Denkowski & Lavie 2014: one function word, a stem and an equal word in one chunk."""
    metric = registry.get("meteor-1.5")
    if reason := metric.unavailable_because():  # type: ignore[attr-defined]  # every metric with tools has it
        pytest.skip(reason)
    matched, own, theirs = 0.25 + 0.6 * 0.75 + 0.75, 0.25 + 2 * 0.75, 0.25 + 3 * 0.75
    precision, recall = matched / own, matched / theirs
    f_mean = precision * recall / (0.85 * precision + 0.15 * recall)
    pair = Segment("the dogs ran", ("the dog ran home",))
    assert score("meteor-1.5", pair) == [pytest.approx(f_mean * (1 - 0.6 * (1 / 3) ** 0.2))]
    same = "the small house is red"
    assert score("meteor-1.5", Segment(same, (same,))) == [pytest.approx(1)]
