"""Comparison designs: complete where they promise it, balanced, deterministic."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from evaluation.alignment.designs import SystemPair, list_pairs, plan_comparisons


def count_pairs(plan: list[tuple[SystemPair, ...]]) -> Counter[SystemPair]:
    return Counter(pair for pairs in plan for pair in pairs)


def systems(n: int) -> list[str]:
    return [f"s{k:02}" for k in range(n)]


def test_all_pairs_of_every_item() -> None:
    assert plan_comparisons("all", [["c", "a", "b"], ["a"]]) == [(("a", "b"), ("a", "c"), ("b", "c")), ()]


def test_baseline_is_in_every_comparison_and_may_be_absent_from_an_item() -> None:
    plan = plan_comparisons("baseline:b", [["a", "b", "c"], ["a", "c"]])
    assert plan == [(("a", "b"), ("b", "c")), ()]


@pytest.mark.parametrize(
    "design", ["", "some", "baseline:", "baseline:nobody", "round-robin", "round-robin:0", "round-robin:-1",
               "round-robin:²", "blocks:1", "blocks:x", "all:3"],
)  # fmt: skip
def test_an_unknown_design_is_refused(design: str) -> None:
    with pytest.raises(ValueError, match=r"design|baseline|round|block"):
        plan_comparisons(design, [["a", "b", "c"]])


@given(n=st.integers(2, 13), k=st.integers(1, 14), seed=st.integers(0, 3))
def test_round_robin_lets_everyone_meet_k_others_and_balances_over_items(n: int, k: int, seed: int) -> None:
    rounds = n - 1 if n % 2 == 0 else n
    plan = plan_comparisons(f"round-robin:{k}", [systems(n)] * rounds, seed)
    for pairs in plan:
        assert len(set(pairs)) == len(pairs)
        games = Counter(system for pair in pairs for system in pair)
        assert max(games.values()) <= min(k, n - 1)
        if n % 2 == 0:
            assert set(games.values()) == {min(k, n - 1)}
    assert len(set(count_pairs(plan).values())) == 1, "after a full tournament every pair met equally often"
    assert set(count_pairs(plan)) == set(list_pairs(systems(n)))


@given(n=st.integers(3, 12), size=st.integers(2, 5), seed=st.integers(0, 3))
def test_blocks_have_the_asked_size_and_stay_nearly_balanced(n: int, size: int, seed: int) -> None:
    plan = plan_comparisons(f"blocks:{size}", [systems(n)] * 60, seed)
    assert all(len({s for pair in pairs for s in pair}) == min(size, n) for pairs in plan)
    counts = count_pairs(plan)
    times = [counts[pair] for pair in list_pairs(systems(n))]
    assert max(times) - min(times) <= 3


def test_seven_systems_in_blocks_of_three_are_balanced_after_seven_items_or_nearly() -> None:
    counts = count_pairs(plan_comparisons("blocks:3", [systems(7)] * 70, 1))
    assert set(counts.values()) <= {9, 10, 11}


@pytest.mark.parametrize("design", ["all", "baseline:s01", "round-robin:2", "blocks:3"])
def test_the_order_in_which_systems_are_named_does_not_matter(design: str) -> None:
    names = systems(6)
    assert plan_comparisons(design, [names] * 9, 4) == plan_comparisons(design, [names[::-1]] * 9, 4)
