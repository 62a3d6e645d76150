"""Counting pairs: against a Counter and scipy, in blocks of any size, compiled and not."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings, strategies as st

from metrics.collocation import loops
from metrics.collocation.counting import PairCounter
from metrics.collocation.table import CollocationTable

from .toys import CORPUS, co_occurrences, count

words = st.sampled_from([f"w{number}" for number in range(12)])
corpora = st.lists(st.lists(words, max_size=7), max_size=20)


def slow_counts(sentences: list[list[str]]) -> Counter[tuple[str, str]]:
    return Counter(pair for sentence in sentences for pair in combinations(sorted(set(sentence)), 2))


def all_counts(table: CollocationTable) -> dict[tuple[str, str], int]:
    rows = np.repeat(np.arange(len(table.words)), np.diff(table.rows))
    found = zip(rows.tolist(), table.partners.tolist(), table.counts.tolist(), strict=True)
    return {(min(pair), max(pair)): n for a, b, n in found for pair in [(table.words[a], table.words[b])]}


@given(corpora, st.sampled_from([1, 5, 30, 1 << 20]))
def test_counts_equal_a_counter_whatever_the_size_of_blocks(sentences: list[list[str]], block: int) -> None:
    table = count(sentences, block)
    assert all_counts(table) == slow_counts(sentences)
    frequency = Counter(word for sentence in sentences for word in set(sentence))
    assert dict(zip(table.words, table.frequency.tolist(), strict=True)) == frequency
    assert table.corpus.sentences == len(sentences)


@given(corpora)
def test_rows_hold_smaller_partners_in_ascending_order(sentences: list[list[str]]) -> None:
    table = count(sentences)
    for word in range(len(table.words)):
        row = table.partners[table.rows[word] : table.rows[word + 1]].tolist()
        assert row == sorted(set(row))
        assert all(partner < word for partner in row)


@given(corpora)
@settings(max_examples=20)
def test_the_uncompiled_kernel_gives_the_same_table(sentences: list[list[str]]) -> None:
    table = count(sentences)
    numbers = [[table.numbers[word] for word in dict.fromkeys(sentence)] for sentence in sentences]
    ids = np.array([n for sentence in numbers for n in sentence], np.int32)
    offsets = np.concatenate([[0], np.cumsum([len(sentence) for sentence in numbers])]).astype(np.int64)
    loop = loops.count_pairs
    plain = getattr(loop, "py_func", loop)(ids, offsets, len(table.words))
    for array, name in zip(plain, ("rows", "partners", "counts"), strict=True):
        np.testing.assert_array_equal(array, getattr(table, name))


def test_counts_equal_the_product_of_the_occurrence_matrix() -> None:
    rng = np.random.default_rng(7)
    sentences = [rng.choice(40, rng.integers(0, 9), replace=False).tolist() for _ in range(300)]
    table = count([[f"w{number}" for number in sentence] for sentence in sentences])
    rows = np.repeat(np.arange(300), [len(sentence) for sentence in sentences])
    x = scipy.sparse.csr_matrix(
        (np.ones(rows.size, np.int64), (rows, np.concatenate(sentences).astype(np.int64))), shape=(300, 40)
    )
    product = (x.T @ x).toarray()
    for (a, b), n in all_counts(table).items():
        assert product[int(a[1:]), int(b[1:])] == n
    assert table.pairs == np.count_nonzero(np.triu(product, 1))


def test_a_corpus_without_sentences_gives_an_empty_table() -> None:
    table = count([])
    assert (table.pairs, table.words, table.corpus.sentences) == (0, (), 0)


def test_new_words_without_pairs_after_the_last_block_still_have_rows() -> None:
    table = count([["a", "b"], ["c"]], block_pairs=1)
    assert co_occurrences(table, "a", "b") == (1, 1, 1)
    assert co_occurrences(table, "a", "c") == (0, 1, 1)


def test_unknown_words_and_a_word_with_itself_co_occur_with_nothing() -> None:
    table = count([["a", "b"]])
    assert co_occurrences(table, "a", "x") == (0, 1, 0)
    assert co_occurrences(table, "a", "a") == (0, 1, 1)


def test_a_block_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one pair, not 0"):
        PairCounter(0)


def test_a_table_can_be_taken_more_than_once() -> None:
    counter = PairCounter()
    counter.add(["a", "b"])
    first = counter.table(CORPUS)
    counter.add(["a", "b", "c"])
    assert co_occurrences(first, "a", "b") == (1, 1, 1)
    assert co_occurrences(counter.table(CORPUS), "a", "b") == (2, 2, 2)
