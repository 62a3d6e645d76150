"""METEOR, NIST, ROUGE, WER equal other tools wherever the definitions agree."""

from __future__ import annotations

import random

import numpy as np
import pytest
from nltk.translate.meteor_score import meteor_score
from nltk.translate.nist_score import corpus_nist
from rapidfuzz.distance import Levenshtein
from rouge_score.rouge_scorer import RougeScorer

from metrics import registry
from metrics.base import MetricUnavailable, score_systems
from metrics.lexical import meteor
from metrics.lexical.meteor import MeteorSynonyms, stem
from metrics.tools.base import ToolAbsent

WORDS = ["the", "walks", "walked", "walking", "dog", "dogs", "runs", "running", "nation", "national", "of"]


def text(seed: int, size: int = 60) -> list[str]:
    source = random.Random(seed)
    return [" ".join(source.choices(WORDS, k=source.randint(5, 20))) for _ in range(size)]


OUTPUTS, REFERENCES = text(1), [text(2), text(3)]


class NoSynonyms:
    """In place of WordNet: the stages of our ``meteor`` are words and stems."""

    def synsets(self, word: str) -> list[object]:
        return []


@pytest.mark.parametrize("references", [1, 2])
def test_meteor_equals_nltk(references: int) -> None:
    known = REFERENCES[:references]
    ours = score_systems(registry.get("meteor"), {"s": OUTPUTS}, known)["s"].segments
    theirs = [
        meteor_score([line.split() for line in r], o.split(), wordnet=NoSynonyms())
        for o, r in zip(OUTPUTS, zip(*known, strict=True), strict=True)
    ]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_stems_join_what_surfaces_part() -> None:
    assert stem("walking") == stem("walks") == "walk"
    exact = score_systems(registry.get("fms-1"), {"s": ["dogs"]}, [["dog"]])["s"].corpus
    assert exact == 0
    assert score_systems(registry.get("meteor"), {"s": ["dogs"]}, [["dog"]])["s"].corpus == 0.5


def test_synonyms_join_what_stems_part() -> None:
    metric = registry.get("meteor-synonyms")
    if reason := MeteorSynonyms().unavailable_because():
        pytest.skip(reason)
    same = score_systems(metric, {"s": ["the large automobile halted"]}, [["the big car stopped"]])["s"]
    assert same.statistics is not None
    assert same.statistics[0].tolist() == [4, 1, 4, 4]


def test_without_synonyms_the_third_stage_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("metrics.lexical.meteor.synsets", lambda word: frozenset())
    plain = score_systems(registry.get("meteor"), {"s": OUTPUTS}, REFERENCES)["s"]
    other = score_systems(MeteorSynonyms(), {"s": OUTPUTS}, REFERENCES)["s"]
    assert plain.segments.tolist() == other.segments.tolist()


def test_a_missing_wordnet_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent() -> None:
        raise ToolAbsent("WordNet")

    monkeypatch.setattr("metrics.tools.base.load_wordnet", absent)
    meteor.synsets.cache_clear()
    assert "WordNet is not installed" in (MeteorSynonyms().unavailable_because() or "")
    assert "wordnet:absent" in MeteorSynonyms().signature
    with pytest.raises(MetricUnavailable, match="needs WordNet"):
        score_systems(MeteorSynonyms(), {"s": ["x"]}, [["y"]])


def test_any_white_space_parts_words_for_the_stemmer_too() -> None:
    plain = score_systems(registry.get("meteor"), {"s": ["the dogs ran"]}, [["dog the run runs"]])["s"]
    odd = score_systems(
        registry.get("meteor"), {"s": ["the\u00a0dogs\tran "]}, [["dog\u2003the\x1frun runs\t"]]
    )["s"]
    assert plain.corpus == odd.corpus


def test_nist_equals_nltk_with_one_reference() -> None:
    ours = score_systems(registry.get("nist"), {"s": OUTPUTS}, REFERENCES[:1])["s"].corpus
    theirs = corpus_nist([[line.split()] for line in REFERENCES[0]], [line.split() for line in OUTPUTS])
    assert ours == pytest.approx(theirs, rel=1e-12)


def test_rouge_l_equals_rouge_score() -> None:
    scorer = RougeScorer(["rougeL"])
    ours = score_systems(registry.get("rouge-l"), {"s": OUTPUTS}, REFERENCES)["s"].segments
    known = zip(*REFERENCES, strict=True)
    theirs = [scorer.score_multi(r, o)["rougeL"].fmeasure for o, r in zip(OUTPUTS, known, strict=True)]
    np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_rouge_w_undoes_the_weight_once() -> None:
    """A package in use weighs the reference length twice; an identical output must score 1."""
    assert score_systems(registry.get("rouge-w"), {"s": ["a b c d e"]}, [["a b c d e"]])["s"].corpus == 1
    half = score_systems(registry.get("rouge-w", weight=2.0), {"s": ["a b"]}, [["a b c d"]])["s"].corpus
    assert half == pytest.approx(2 * 1 * 0.5 / 1.5)


def test_wer_equals_rapidfuzz() -> None:
    ours = score_systems(registry.get("wer-count"), {"s": OUTPUTS}, REFERENCES)["s"].segments
    theirs = [
        min(Levenshtein.distance(o.split(), line.split()) for line in r)
        for o, r in zip(OUTPUTS, zip(*REFERENCES, strict=True), strict=True)
    ]
    assert ours.tolist() == theirs


def test_of_equally_close_references_the_longest_divides() -> None:
    scores = score_systems(registry.get("wer"), {"s": ["a b c"]}, [["a b"], ["a b c d"]])["s"]
    assert scores.corpus == 1 / 4
