"""Sentence scores against a slow twin that looks up one pair at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from benchmarks.studies.collocation_branches import Branch, find_branches, select_branches
from metrics.collocation.association import CUTOFFS, FUNCTIONS, AssociationMeasure
from metrics.collocation.content_words import ContentWords
from metrics.collocation.scoring import Method, score_sentences
from metrics.collocation.table import CollocationTable

from .toys import co_occurrences, content, count

WORDS = [f"w{number}" for number in range(10)]
texts = st.lists(st.sampled_from([*WORDS, "unknown"]), max_size=8, unique=True)
corpora = st.lists(st.lists(st.sampled_from(WORDS), min_size=2, max_size=6), min_size=1, max_size=15)


def slow_branches(
    table: CollocationTable, words: tuple[str, ...], measure: AssociationMeasure, cutoff: bool
) -> list[Branch]:
    found = []
    limit = CUTOFFS[measure] if cutoff else None
    for i, a in enumerate(words):
        for j in range(i + 1, len(words)):
            counts = co_occurrences(table, a, words[j])
            if counts[0]:
                strength = float(FUNCTIONS[measure](*counts, table.corpus.sentences))
                if limit is None or strength >= limit:
                    found.append(Branch(i, j, strength))
    return found


@given(corpora, st.lists(texts, max_size=5), st.booleans(), st.integers(0, 7))
@settings(max_examples=60)
def test_all_combinations_equal_the_slow_twin(
    corpus: list[list[str]], sentences: list[list[str]], cutoff: bool, verb: int
) -> None:
    table = count(corpus)
    read = [content(" ".join(words), verb if verb < len(words) else None) for words in sentences]
    for (measure, method), scores in score_sentences(table, read, cutoff=cutoff).items():
        for sentence, value, kept in zip(read, scores.averages.tolist(), scores.kept.tolist(), strict=True):
            pairs = slow_branches(table, sentence.words, measure, cutoff)
            chosen = select_branches(method, pairs, len(sentence.words), sentence.first_verb)
            assert kept == len(chosen)
            if chosen:
                assert value == pytest.approx(math.fsum(b.weight for b in chosen) / kept, abs=1e-12)
            else:
                assert math.isnan(value)


@given(corpora, texts, st.sampled_from(AssociationMeasure))
@settings(max_examples=30)
def test_the_branches_of_one_sentence_are_those_that_are_scored(
    corpus: list[list[str]], words: list[str], measure: AssociationMeasure
) -> None:
    table, sentence = count(corpus), content(" ".join(words))
    assert list(find_branches(table, sentence, measure)) == slow_branches(
        table, sentence.words, measure, True
    )


def test_a_sentence_without_a_known_collocation_is_undefined_and_never_zero() -> None:
    table = count([["a", "b"], ["c"]])
    scores = score_sentences(table, [content("a c"), content("x y"), content(""), content("a b")])
    for found in scores.values():
        assert np.isnan(found.averages[:3]).all()
    assert scores[AssociationMeasure.DICE, Method.MST].averages[3] == 1.0


def test_insignificant_pairs_count_only_without_the_cutoff() -> None:
    table = count([["a", "b"], ["a", "c"], ["b", "c"], ["a"], ["b"]])
    with_cutoff = score_sentences(table, [content("a b")], [AssociationMeasure.T], [Method.SIMPLE])
    without = score_sentences(table, [content("a b")], [AssociationMeasure.T], [Method.SIMPLE], cutoff=False)
    assert with_cutoff[AssociationMeasure.T, Method.SIMPLE].kept.tolist() == [0]
    assert without[AssociationMeasure.T, Method.SIMPLE].averages[0] == pytest.approx((1 - 9 / 5) / 1)


def test_no_sentences_give_no_scores() -> None:
    scores = score_sentences(count([["a", "b"]]), [])
    assert len(scores) == 16
    assert all(found.averages.size == 0 for found in scores.values())


def test_the_place_of_an_unknown_word_is_kept() -> None:
    table = count([["a", "b"]])
    assert find_branches(table, ContentWords(("a", "x", "b"), (0, 1, 2), None), AssociationMeasure.DICE) == (
        Branch(0, 2, 1.0),
    )
