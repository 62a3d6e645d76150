"""The statistical aligner learns from a task's own sentence pairs."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from evaluation.alignment import load_aligner
from evaluation.alignment.hmm import NULL_SHARE, Direction
from evaluation.alignment.statistical import StatisticalAligner
from evaluation.alignment.values import alignment_error_rate, mirror_links
from tests.alignment.test_symmetry import gold, lines

WORDS = {"cat": "kato", "dog": "hundo", "red": "ruĝa", "big": "granda", "sees": "vidas", "runs": "kuras"}


def invented_corpus(size: int) -> list[tuple[list[str], list[str]]]:
    """Random sentences in a language that swaps adjective and noun."""
    random = Random(7)
    corpus = []
    for _ in range(size):
        subject, verb, object_ = (
            random.choice(["cat", "dog"]),
            random.choice(["sees", "runs"]),
            random.choice(["cat", "dog"]),
        )
        adjective = random.choice(["red", "big"])
        corpus.append(
            (
                [subject, verb, adjective, object_],
                [WORDS[subject], WORDS[verb], WORDS[object_], WORDS[adjective]],
            )
        )
    return corpus


def test_it_learns_a_dictionary_and_a_swap_from_sixty_sentences() -> None:
    made = StatisticalAligner(invented_corpus(60))
    assert made.links(["dog", "sees", "red", "cat"], ["hundo", "vidas", "kato", "ruĝa"]) == (
        (0, 0), (1, 1), (2, 3), (3, 2),
    )  # fmt: skip


def test_for_one_language_it_does_not_matter_which_side_is_a() -> None:
    corpus = [
        (["the", "cat", "sat"], ["a", "cat", "sat", "down"]),
        (["the", "dog", "ran"], ["a", "dog", "ran", "off"]),
    ]
    made = load_aligner("statistical", "en", corpus)
    for a, b in [*corpus, (["unseen", "words"], ["the", "cat"])]:
        assert mirror_links(made.links(b, a)) == made.links(a, b)
    assert {(1, 1), (2, 2)} <= set(made.links(*corpus[0]))


def test_same_corpus_same_links_and_the_version_names_the_corpus() -> None:
    corpus = invented_corpus(20)
    one, other = StatisticalAligner(corpus), StatisticalAligner(corpus)
    assert one.version == other.version
    assert one.version != StatisticalAligner(corpus[1:]).version
    assert all(one.links(a, b) == other.links(a, b) for a, b in corpus)


def test_empty_sentences_and_an_empty_corpus() -> None:
    made = StatisticalAligner([(["x"], []), (["x"], ["y"])])
    assert made.links([], ["y"]) == made.links(["x"], []) == ()
    with pytest.raises(ValueError, match="at least one sentence pair"):
        StatisticalAligner([([], [])])


def test_forward_backward_equals_the_sum_over_all_alignments() -> None:
    source, target = np.array([1, 2, 1]), np.array([3, 4, 3, 5])
    direction = Direction([source], [target], 8)
    random = np.random.default_rng(1)
    direction.t[:-1] = random.random(len(direction.keys))
    direction.jumps = random.random(len(direction.jumps))
    batches = direction.batches([source], [target])
    ((words, null),), jumps = direction.hmm(batches)
    slow_words, slow_null, slow_jumps = _by_enumeration(direction, source, target)
    np.testing.assert_allclose(words[0], slow_words)
    np.testing.assert_allclose(null[0], slow_null)
    np.testing.assert_allclose(jumps.sum(), slow_jumps)


def _by_enumeration(
    direction: Direction,
    source: np.ndarray[tuple[int], np.dtype[np.int64]],
    target: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> tuple[
    np.ndarray[tuple[int, int], np.dtype[np.float64]], np.ndarray[tuple[int], np.dtype[np.float64]], float
]:
    """Posteriors from every sequence of states, a state being a source position and whether NULL speaks."""
    n, m = len(source), len(target)
    entry = direction.batches([source], [target])[0].entries[0]
    moves = direction._transition(n)
    words, null, jumps, total = np.zeros((m, n)), np.zeros(m), 0.0, 0.0
    for path in product(product(range(n), (False, True)), repeat=m):
        chance = 1.0 / n
        for j, (i, silent) in enumerate(path):
            if j and silent:
                chance *= path[j - 1][0] == i
            elif j:
                chance *= moves[path[j - 1][0], i]
            chance *= (
                NULL_SHARE * direction.t[entry[j, n]]
                if silent
                else (1 - NULL_SHARE) * direction.t[entry[j, i]]
            )
        total += chance
        jumps += chance * sum(not silent for _, silent in path[1:])
        for j, (i, silent) in enumerate(path):
            if silent:
                null[j] += chance
            else:
                words[j, i] += chance
    return words / total, null / total, jumps / total


@pytest.mark.realdata
@pytest.mark.parametrize(("pair", "at_most"), [("enfr", 12.5), ("roen", 34.0)])
def test_error_rate_after_learning_from_the_test_sentences_alone(
    real_data: Path, pair: str, at_most: float
) -> None:
    """For scale: fast_align, trained on more than a thousand times as much, has 10.5 and 32.1."""
    folder = real_data / "align"
    corpus = [
        (left.split(), right.split())
        for left, _, right in (line.partition("|||") for line in lines(folder / f"{pair}.src-tgt.gz"))
    ]
    made = StatisticalAligner(corpus)
    rate = alignment_error_rate(
        (sure, possible, made.links(a, b))
        for (a, b), (sure, possible) in zip(corpus, gold(folder, pair), strict=True)
    )
    assert rate is not None
    assert 100 * rate <= at_most
