"""Modified Kneser–Ney, ARPA files and scoring, against slow obvious twins and laws."""

from __future__ import annotations

import gzip
import json
import math
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from appraise.lib.problems import InputError
from metrics.ranking.language_model import (
    FALLBACK_DISCOUNTS,
    START,
    estimate_discounts,
    train_language_model,
)
from metrics.ranking.models import load_language_model, save_language_model
from metrics.tools import base

Corpus = list[list[str]]
CORPORA: st.SearchStrategy[Corpus] = st.lists(
    st.lists(st.sampled_from("abcd"), max_size=6), min_size=1, max_size=12
).filter(any)
PROSE = [
    sentence.split()
    for sentence in (
        "the red house is small",
        "the small house is red",
        "a red dog sees the house",
        "the dog is small",
        "a small dog sees a red house",
        "the house",
    )
]


class SlowKneserNey:
    """The textbook's definition with dictionaries and recursion."""

    def __init__(self, corpus: Corpus, order: int) -> None:
        self.order = order
        padded = [["<s>", *sentence, "</s>"] for sentence in corpus]
        raw: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(order + 1)]
        for sentence in padded:
            for n in range(1, order + 1):
                raw[n].update(tuple(sentence[i : i + n]) for i in range(len(sentence) - n + 1))
        self.vocabulary = {word for sentence in padded for word in sentence} - {"<s>"} | {"<unk>"}
        self.counts: list[Counter[tuple[str, ...]]] = [Counter() for _ in range(order + 1)]
        for n in range(1, order + 1):
            for gram, count in raw[n].items():
                left = len({longer[0] for longer in raw[n + 1] if longer[1:] == gram}) if n < order else count
                self.counts[n][gram] = count if gram[0] == "<s>" else left
        del self.counts[1][("<s>",)]
        self.discounts = [
            estimate_discounts(np.array(list(counts.values()), float)) if counts else FALLBACK_DISCOUNTS
            for counts in self.counts
        ]
        self.followers: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
        for n in range(1, order + 1):
            for gram, count in self.counts[n].items():
                self.followers[gram[:-1]][gram[-1]] = count

    def probability(self, word: str, context: tuple[str, ...]) -> float:
        followers = {w: c for w, c in self.followers.get(context, {}).items() if c}
        lower = self.probability(word, context[1:]) if context else 1 / len(self.vocabulary)
        if not followers:
            return lower
        d = (0.0, *self.discounts[len(context) + 1])
        total = sum(followers.values())
        gamma = sum(d[min(count, 3)] for count in followers.values()) / total
        count = followers.get(word, 0)
        return (count - d[min(count, 3)]) / total + gamma * lower

    def log10(self, sentence: Sequence[str], order: int) -> float:
        words = ["<s>", *(w if w in self.vocabulary else "<unk>" for w in sentence), "</s>"]
        return sum(
            math.log10(self.probability(words[i], tuple(words[max(0, i - order + 1) : i])))
            for i in range(1, len(words))
        )


@given(CORPORA, st.lists(st.sampled_from("abcdz"), max_size=6))
def test_scores_equal_the_textbook_definition(corpus: Corpus, sentence: list[str]) -> None:
    slow = SlowKneserNey(corpus, 3)
    scored = train_language_model(corpus, 3).score([sentence])
    assert scored.log_probs[0, 2] == pytest.approx(slow.log10(sentence, 3))
    assert scored.unknown[0] == sum(word not in slow.vocabulary for word in sentence)
    assert scored.lengths[0] == len(sentence)


@given(CORPORA, st.lists(st.sampled_from("abcdz"), max_size=3), st.integers(1, 4))
def test_after_any_context_the_probabilities_sum_to_one(
    corpus: Corpus, context: list[str], order: int
) -> None:
    model = train_language_model(corpus, order)
    start = [START, *(model.ids.get(word, 0) for word in context)]
    total = sum(
        10 ** model._per_word(np.array([*start, word]))[-1, -1]
        for word in range(len(model.words))
        if word != START
    )
    assert total == pytest.approx(1.0)


def test_scoring_many_sentences_equals_scoring_each() -> None:
    model = train_language_model(PROSE, 5)
    together = model.score(PROSE)
    for row, sentence in enumerate(PROSE):
        assert np.allclose(model.score([sentence]).log_probs[0], together.log_probs[row])


def test_an_order_longer_than_every_sentence_backs_off() -> None:
    short, long = train_language_model([["a"]], 3), train_language_model([["a"]], 5)
    assert long.score([["a"], ["b"]]).log_probs[:, -1] == pytest.approx(
        short.score([["a"], ["b"]]).log_probs[:, -1]
    )


def test_seen_order_is_more_probable_than_shuffled() -> None:
    model = train_language_model(PROSE, 3)
    good, bad = model.score([["the", "red", "house"], ["house", "red", "the"]]).log_probs[:, -1]
    assert good > bad


def test_nothing_to_score_is_an_empty_table() -> None:
    assert train_language_model(PROSE, 2).score([]).log_probs.shape == (0, 2)


def test_marks_of_the_model_inside_a_text_are_not_words() -> None:
    assert train_language_model([["<s>", "a", "</s>", "<unk>"]], 2).words == ("<unk>", "<s>", "</s>", "a")


def test_no_words_or_no_order_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one word"):
        train_language_model([[], []], 2)
    with pytest.raises(ValueError, match="at least 1, got 0"):
        train_language_model(PROSE, 0)


def test_discounts_fall_back_where_counts_are_too_few() -> None:
    assert estimate_discounts(np.array([1.0, 1.0, 2.0])) == FALLBACK_DISCOUNTS


def test_a_model_survives_the_disk(tmp_path: Path) -> None:
    model = train_language_model(PROSE, 4)
    save_language_model(model, tmp_path / "m.npz")
    again = load_language_model(tmp_path / "m.npz")
    assert again.words == model.words
    texts = [*PROSE, ["unseen", "red"], []]
    assert np.allclose(again.score(texts).log_probs, model.score(texts).log_probs, atol=1e-5)


def test_arpa_lists_every_ngram_with_its_logarithm_and_its_weight(tmp_path: Path) -> None:
    model = train_language_model([["a", "b"], ["a", "c"]], 2)
    save_language_model(model, tmp_path / "m.arpa")
    save_language_model(model, tmp_path / "m.arpa.gz")
    text = (tmp_path / "m.arpa").read_text(encoding="utf-8")
    assert gzip.decompress((tmp_path / "m.arpa.gz").read_bytes()).decode() == text
    assert text.startswith("\\data\\\nngram 1=6\nngram 2=5\n\n\\1-grams:\n")
    assert f"{model.log_probs[0][3]:.7g}\ta\t{model.backoffs[0][3]:.7g}\n" in text
    assert f"{model.log_probs[1][0]:.7g}\t<s> a\n" in text
    assert text.endswith("\n\\end\\\n")


def test_arpa_is_refused_with_the_remedy(tmp_path: Path) -> None:
    save_language_model(train_language_model(PROSE, 2), tmp_path / "m.arpa")
    with pytest.raises(InputError, match=r"m\.arpa: bad_model: .*; train it again"):
        load_language_model(tmp_path / "m.arpa")


KENLM = """
import json, sys, kenlm
model = kenlm.Model(sys.argv[1])
texts = json.loads(sys.argv[2])
print(json.dumps([(model.score(text), sum(word not in model for word in text.split())) for text in texts]))
"""


@pytest.mark.slow
def test_kenlm_gives_the_same_scores_where_it_is_installed(tmp_path: Path) -> None:
    if base.find_distribution_version("camel-kenlm") is None:
        pytest.skip("kenlm is not installed (make tools)")
    model = train_language_model(PROSE, 4)
    save_language_model(model, tmp_path / "m.arpa")
    texts = [*PROSE, ["the", "unseen", "dog"], []]
    command = [
        str(base.find_python()),
        "-c",
        KENLM,
        str(tmp_path / "m.arpa"),
        json.dumps([*map(" ".join, texts)]),
    ]
    theirs = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    ours = model.score(texts)
    assert [score for score, _ in theirs] == pytest.approx(ours.log_probs[:, -1].tolist(), abs=1e-4)
    assert [unknown for _, unknown in theirs] == ours.unknown.tolist()
