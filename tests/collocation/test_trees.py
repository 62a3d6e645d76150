"""Which collocations a tree keeps: against scipy, brute force and a plain Kruskal; laws of crossing."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree

from benchmarks.studies.collocation_branches import Branch, select_branches
from metrics.collocation import loops
from metrics.collocation.scoring import Method

Sentence = tuple[int, list[Branch]]


@st.composite
def sentences(draw: st.DrawFn, most: int = 9, most_branches: int | None = None) -> Sentence:
    words = draw(st.integers(0, most))
    possible = list(combinations(range(words), 2))
    kept = draw(st.lists(st.sampled_from(possible), unique=True, max_size=most_branches)) if possible else []
    weights = draw(st.lists(st.integers(1, 30), min_size=len(kept), max_size=len(kept)))
    return words, [Branch(*pair, float(weight)) for pair, weight in zip(kept, weights, strict=True)]


def crossing(a: Branch, b: Branch) -> bool:
    """Whether one begins strictly inside the other and ends strictly outside."""
    return a.left < b.left < a.right < b.right or b.left < a.left < b.right < a.right


def slow_kruskal(words: int, branches: list[Branch], start: Branch | None, no_crossing: bool) -> list[Branch]:
    """The slides' algorithm, word for word, with sets for trees."""
    trees = [{word} for word in range(words)]
    kept: list[Branch] = []
    for branch in sorted(branches, key=lambda b: (-b.weight, b.left, b.right)):
        a, b = (next(tree for tree in trees if end in tree) for end in branch[:2])
        blockers = [*kept, *([start] if start else [])] if no_crossing else []
        if a is not b and not any(crossing(branch, other) for other in blockers):
            kept.append(branch)
            trees = [tree for tree in trees if tree is not a and tree is not b] + [a | b]
    return kept


@given(sentences())
def test_simple_keeps_every_collocation(sentence: Sentence) -> None:
    words, branches = sentence
    assert sorted(select_branches(Method.SIMPLE, branches, words)) == sorted(branches)


@given(sentences())
def test_mst_equals_the_plain_kruskal(sentence: Sentence) -> None:
    words, branches = sentence
    assert list(select_branches(Method.MST, branches, words)) == slow_kruskal(words, branches, None, False)


@given(sentences())
def test_ncb_equals_the_plain_kruskal_without_crossings(sentence: Sentence) -> None:
    words, branches = sentence
    assert list(select_branches(Method.MST_NCB, branches, words)) == slow_kruskal(words, branches, None, True)


@given(sentences(), st.integers(0, 8))
def test_ncb2_is_ncb_with_a_branch_from_before_the_sentence_to_the_verb(
    sentence: Sentence, verb: int
) -> None:
    words, branches = sentence
    if verb < words:
        start = Branch(-1, verb, 0.0)
        assert list(select_branches(Method.MST_NCB2, branches, words, verb)) == slow_kruskal(
            words, branches, start, True
        )


@given(sentences())
def test_ncb2_without_a_verb_is_ncb(sentence: Sentence) -> None:
    words, branches = sentence
    assert select_branches(Method.MST_NCB2, branches, words) == select_branches(
        Method.MST_NCB, branches, words
    )


@given(sentences(most=14))
def test_mst_weighs_as_much_as_scipys(sentence: Sentence) -> None:
    words, branches = sentence
    if words:
        graph = np.zeros((words, words))
        for branch in branches:
            graph[branch.left, branch.right] = -branch.weight
        kept = select_branches(Method.MST, branches, words)
        assert sum(branch.weight for branch in kept) == -minimum_spanning_tree(graph).sum()


@given(sentences(), st.sampled_from(Method), st.integers(0, 8))
def test_the_uncompiled_kernel_chooses_the_same(sentence: Sentence, method: Method, verb: int) -> None:
    words, branches = sentence
    branches = sorted(branches)
    left, right = (np.array([branch[end] for branch in branches], np.int32) for end in (0, 1))
    weight = np.array([branch.weight for branch in branches], np.float64)
    order = loops.strongest_first(weight)
    arguments = (method.code, left, right, order, words, verb)
    loop = loops.select
    np.testing.assert_array_equal(loop(*arguments), getattr(loop, "py_func", loop)(*arguments))


def test_equal_weights_are_taken_from_left_to_right() -> None:
    triangle = [Branch(1, 2, 1.0), Branch(0, 2, 1.0), Branch(0, 1, 1.0)]
    assert select_branches(Method.MST, triangle, 3) == (Branch(0, 1, 1.0), Branch(0, 2, 1.0))


@pytest.mark.parametrize(
    "branch", [Branch(0, 0, 1.0), Branch(1, 0, 1.0), Branch(0, 3, 1.0), Branch(-1, 1, 1.0)]
)
def test_a_branch_outside_the_sentence_is_refused(branch: Branch) -> None:
    with pytest.raises(ValueError, match="does not join two of 3 words"):
        select_branches(Method.MST, [branch], 3)


def test_a_sentence_of_several_hundred_words_is_no_problem() -> None:
    rng = np.random.default_rng(3)
    pairs = {tuple(sorted(rng.choice(300, 2, replace=False).tolist())) for _ in range(4000)}
    branches = [
        Branch(a, b, float(weight)) for (a, b), weight in zip(sorted(pairs), rng.random(4000), strict=False)
    ]
    for method in Method:
        assert select_branches(method, branches, 300, 150)
