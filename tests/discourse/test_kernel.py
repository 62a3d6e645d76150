"""The all-subtree kernel against counting and recursion, and its laws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from metrics.discourse.kernel import DECAY, Forest, Tree, to_dr_lex_tree, to_dr_tree
from metrics.discourse.trees import Node, edu, join
from tests.discourse.strategies import trees
from tests.discourse.twins import counted_kernel, production_kernel, recursive_kernel


def random_tree(random: Random, depth: int = 3) -> Tree:
    """A small tree over few labels, so that fragments repeat; made from a seed, which is quick."""
    label = random.choice("AB")
    if not depth or random.random() < 0.2:
        return Tree(label)
    return Tree(label, tuple(random_tree(random, depth - 1) for _ in range(random.randint(1, 3))))


seeds = st.integers(0, 2**32)
decays = st.sampled_from((1.0, 0.5, DECAY, 0.01))


def kernel(a: Tree, b: Tree, decay: float) -> float:
    return float(np.exp(Forest.of([a, b]).log_kernel(0, 1, decay)))


@settings(deadline=None)
@given(seeds, decays)
def test_the_kernel_counts_the_common_fragments(seed: int, decay: float) -> None:
    random = Random(seed)
    a, b = random_tree(random), random_tree(random)
    expected = counted_kernel(a, b, decay)
    assert kernel(a, b, decay) == pytest.approx(expected, rel=1e-12)
    assert recursive_kernel(a, b, decay) == pytest.approx(expected, rel=1e-12)
    assert production_kernel(a, b, decay) == pytest.approx(expected, rel=1e-12)


@settings(deadline=None)
@given(trees(12), trees(12), decays, st.sampled_from((to_dr_tree, to_dr_lex_tree)))
def test_the_kernel_of_discourse_trees_is_the_recursion(a: Node, b: Node, decay: float, form: object) -> None:
    assert callable(form)
    assert kernel(form(a), form(b), decay) == pytest.approx(
        recursive_kernel(form(a), form(b), decay), rel=1e-12
    )


def test_a_worked_example_after_collins_and_duffy() -> None:
    """NP → D N, D → the, N → apple has six fragments; with "a" for "the", three of them are shared."""

    def phrase(word: str) -> Tree:
        return Tree("NP", (Tree("D", (Tree(word),)), Tree("N", (Tree("apple"),))))

    assert kernel(phrase("the"), phrase("the"), 1.0) == pytest.approx(6)
    assert kernel(phrase("the"), phrase("a"), 1.0) == pytest.approx(3)


def gram_matrix(forest: Forest) -> np.ndarray:
    """The similarity of every tree with every other."""
    trees = len(forest.starts) - 1
    return forest.similarity(*np.indices((trees, trees)))


@settings(deadline=None)
@given(st.lists(trees(8), min_size=1, max_size=6))
def test_a_gram_matrix_is_symmetric_and_positive_with_ones_on_its_diagonal(nodes: list[Node]) -> None:
    gram = gram_matrix(Forest.of(map(to_dr_lex_tree, nodes)))
    assert np.allclose(gram, gram.T, rtol=1e-12, atol=0)
    assert np.allclose(np.diag(gram), 1.0, atol=1e-12)
    assert gram.min() >= 0
    assert gram.max() <= 1
    assert np.linalg.eigvalsh(gram).min() > -1e-9


def test_the_empty_tree_is_similar_only_to_itself() -> None:
    forest = Forest.of([to_dr_tree(edu("")), to_dr_tree(edu("a")), to_dr_tree(edu(" "))])
    assert gram_matrix(forest).tolist() == [[1, 0, 1], [0, 1, 0], [1, 0, 1]]


def test_trees_without_a_common_fragment_have_the_value_zero() -> None:
    forest = Forest.of([Tree("A", (Tree("x"),)), Tree("B", (Tree("x"),))])
    assert forest.similarity(0, 1) == 0
    assert forest.log_kernel(0, 1) == -np.inf


def test_a_sentence_of_ten_thousand_words_does_not_overflow() -> None:
    long = edu(" ".join(f"w{n}" for n in range(10_000)))
    forest = Forest.of([to_dr_lex_tree(long), to_dr_lex_tree(edu("w1 w2")), to_dr_lex_tree(long)])
    assert np.isfinite(forest.log_kernel(0, 2, 1.0))
    assert forest.similarity(0, 2, 1.0) == 1.0
    assert 0 <= forest.similarity(0, 1) < 1e-9


def test_pairs_do_not_disturb_each_other() -> None:
    """Buffers are reused from pair to pair: any order of the pairs gives the same values."""
    words = [edu(" ".join(f"w{n % size}" for n in range(size * 7))) for size in range(1, 9)]
    forest = Forest.of([to_dr_lex_tree(join("Joint", "NN", [a, b])) for a in words for b in words[:3]])
    gram = gram_matrix(forest)
    order = np.random.default_rng(1).permutation(gram.size)
    a, b = np.unravel_index(order, gram.shape)
    assert np.allclose(forest.similarity(a, b), gram[a, b], rtol=1e-12, atol=0)


@pytest.mark.parametrize("decay", [0.0, -1.0, float("inf"), float("nan")])
def test_a_decay_outside_its_range_is_refused(decay: float) -> None:
    with pytest.raises(ValueError, match="decay"):
        Forest.of([]).log_kernel([], [], decay)


@pytest.mark.parametrize("number", [-1, 2])
def test_a_tree_that_does_not_exist_is_refused(number: int) -> None:
    with pytest.raises(IndexError, match="tree numbers"):
        Forest.of([Tree("A"), Tree("B")]).log_kernel(0, number)


def test_no_pairs_give_no_values() -> None:
    assert Forest.of([]).similarity([], []).size == 0
    assert gram_matrix(Forest.of([])).shape == (0, 0)


def test_the_same_source_runs_uncompiled() -> None:
    code = (
        "from metrics.discourse.kernel import Forest, Tree\n"
        "t = Tree('NP', (Tree('D', (Tree('the'),)), Tree('N', (Tree('apple'),))))\n"
        "print(round(2.718281828459045 ** float(Forest.of([t, t]).log_kernel(0, 1, 1.0)), 9))\n"
        "import sys; assert 'numba' not in sys.modules"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        env={"APPRAISE_NUMBA": "source"},
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "6.0\n"
