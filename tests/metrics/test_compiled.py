"""Every compiled loop against a slow, obvious twin, in each way it can run."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st

from benchmarks.peers import greedy_runs
from metrics.lexical import blocks
from metrics.lexical.blocks import Block
from metrics.lexical.tokenizers import block_text
from tests.metrics import twins

Texts = list[list[str]]
pytestmark = pytest.mark.usefixtures("compiled_loops")


def block(references: Texts, systems: Texts) -> Block:
    return Block(block_text([*references, *systems]), len(systems[0]), len(references), len(systems))


def pairs(references: Texts, systems: Texts) -> list[tuple[list[str], list[list[str]]]]:
    """Words and reference words of every output, system by system."""
    return [
        (outputs[i].split(), [texts[i].split() for texts in references])
        for outputs in systems
        for i in range(len(outputs))
    ]


@settings(max_examples=40)
@given(twins.sets(), st.integers(1, 5))
@example(([["", "a"]], [["", ""]]), 4)
@example(([["a b a b a b"]], [["a b a b a b"]]), 1)
def test_clipped_matches_equal_counters(texts: tuple[Texts, Texts], order: int) -> None:
    matches, lengths = blocks.ngram_matches(block(*texts), order)
    expected = [
        [twins.clipped(words, known, n) for n in range(1, order + 1)] for words, known in pairs(*texts)
    ]
    assert matches.reshape(-1, order).tolist() == expected
    assert lengths.systems.ravel().tolist() == [len(words) for words, _ in pairs(*texts)]


@settings(max_examples=25)
@given(twins.sets())
def test_character_matches_equal_counters(texts: tuple[Texts, Texts]) -> None:
    matches, lengths = blocks.ngram_matches(block(*texts), 6, characters=True)
    plain = [["".join(words), *map("".join, known)] for words, known in pairs(*texts)]
    assert matches.reshape(-1, 6).tolist() == [
        [twins.clipped(hypothesis, known, n) for n in range(1, 7)] for hypothesis, *known in plain
    ]
    assert lengths.systems.ravel().tolist() == [len(hypothesis) for hypothesis, *_ in plain]


@settings(max_examples=40)
@given(twins.sets(max_references=1))
@example(([["a " * 64, "b " * 65]], [["a " * 65, "a b " * 40]]))
def test_word_errors_equal_the_dynamic_programme(texts: tuple[Texts, Texts]) -> None:
    errors, _ = blocks.word_errors(block(*texts))
    expected = [
        [twins.distance(words, known[0]), twins.bag_errors(words, known[0])] for words, known in pairs(*texts)
    ]
    assert errors.reshape(-1, 2).tolist() == expected


@settings(max_examples=30)
@given(twins.sets(max_references=1), st.sampled_from([1.0, 1.2, 2.0]))
def test_common_subsequences_equal_the_dynamic_programmes(texts: tuple[Texts, Texts], weight: float) -> None:
    plain, _ = blocks.common_lengths(block(*texts))
    assert plain.ravel().tolist() == [twins.common(words, known[0]) for words, known in pairs(*texts)]
    weighted, _ = blocks.common_lengths(block(*texts), weight)
    expected = [twins.weighted_common(words, known[0], weight) for words, known in pairs(*texts)]
    np.testing.assert_allclose(weighted.ravel(), expected, rtol=1e-12)


@settings(max_examples=30)
@given(twins.sets(max_references=1))
@example(([["a b a b a b c"]], [["b a b c a b a b"]]))
def test_runs_equal_looking_for_the_longest_again_and_again(texts: tuple[Texts, Texts]) -> None:
    sums, _ = blocks.matched_runs(block(*texts), 2.0)
    expected = [sum(n**2 for n in greedy_runs(words, known[0])) for words, known in pairs(*texts)]
    assert sums.ravel().tolist() == expected


@settings(max_examples=30)
@given(twins.sets(max_references=1))
def test_matches_and_chunks_equal_the_plain_search(texts: tuple[Texts, Texts]) -> None:
    found, _ = blocks.matches_and_chunks([block(*texts)])
    expected = [twins.matches_and_chunks(words, known[0]) for words, known in pairs(*texts)]
    assert [tuple(row) for row in found.reshape(-1, 2).tolist()] == expected


@settings(max_examples=25)
@given(twins.sets(), st.booleans())
def test_information_equals_counters(texts: tuple[Texts, Texts], given_corpus: bool) -> None:
    from metrics.compiled.information import weighted_matches

    references, systems = ([[" ".join(line.split()) for line in part] for part in side] for side in texts)
    corpus = ["a b a", "the a b"] if given_corpus else []
    matched, _ = weighted_matches(corpus, references, systems, 3)
    weights = [line.split() for line in corpus or itertools.chain(*references)]
    expected = [
        [twins.nist_matches(words, known, weights, n) for n in (1, 2, 3)]
        for words, known in pairs(references, systems)
    ]
    np.testing.assert_allclose(matched.reshape(-1, 3), expected, rtol=1e-12, atol=1e-12)


def test_an_alphabet_too_large_to_pack_is_still_exact() -> None:
    text = "".join(chr(0x4E00 + 7 * i % 5000) for i in range(3000))
    other = text[500:1200] + text[:300]
    matches, _ = blocks.ngram_matches(block([[text]], [[other]]), 6, characters=True)
    assert matches[0, 0].tolist() == [twins.clipped(other, [text], n) for n in range(1, 7)]


def test_a_line_feed_inside_a_segment_is_white_space() -> None:
    matches, _ = blocks.ngram_matches(block([["a b", "c"]], [["a\nb", "c"]]), 2)
    assert matches.tolist() == [[[2, 1], [1, 0]]]
