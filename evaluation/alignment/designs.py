"""Comparison designs: which systems are compared on which item when there are more than two.

All pairs cost n(n−1)/2 comparisons per item. The other designs ask for fewer comparisons per item and balance
them over the items: each system pair is compared equally often, or as nearly as the number of items allows.
All designs are deterministic: the same seed and the same systems give the same comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

SystemPair = tuple[str, str]
"""Two system names, the smaller first."""


def plan_comparisons(
    design: str, items: Sequence[Sequence[str]], seed: int = 1
) -> list[tuple[SystemPair, ...]]:
    """Return the system pairs of each item; an item is given as the names of its systems.

    Designs: ``all``; ``none``; ``baseline:NAME``; ``round-robin:K``, where each system is compared with K
    others on each item; ``blocks:K``, where K systems of each item are compared with one another (balanced
    incomplete blocks).

    >>> plan_comparisons("baseline:b", [["a", "b", "c"]])
    [(('a', 'b'), ('b', 'c'))]
    """
    kind, _, value = design.partition(":")
    if kind == "all" and not value:
        return [list_pairs(systems) for systems in items]
    if kind == "none" and not value:
        return [() for _ in items]
    if kind == "baseline" and value:
        return _plan_baseline(items, value)
    if kind in ("round-robin", "blocks") and value.isascii() and value.isdigit():
        plan = _plan_rounds if kind == "round-robin" else _plan_blocks
        return plan(items, int(value), seed)
    raise ValueError(f"unknown design {design!r}; use all, none, baseline:NAME, round-robin:K or blocks:K")


def list_pairs(systems: Sequence[str]) -> tuple[SystemPair, ...]:
    """
    >>> list_pairs(["b", "a", "c"])
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    """
    return tuple(combinations(sorted(set(systems)), 2))


def _plan_baseline(items: Sequence[Sequence[str]], baseline: str) -> list[tuple[SystemPair, ...]]:
    """Compare each system with the baseline; an item without the baseline has no comparisons."""
    if not any(baseline in systems for systems in items):
        known = sorted({system for systems in items for system in systems})
        raise ValueError(f"no item has the baseline {baseline!r}; systems: {', '.join(known)}")
    return [tuple(pair for pair in list_pairs(systems) if baseline in pair) for systems in items]


def _plan_rounds(items: Sequence[Sequence[str]], k: int, seed: int) -> list[tuple[SystemPair, ...]]:
    """Take K rounds of a round-robin tournament for each item; the next item continues with the next rounds.

    In a round each system is compared once (with an odd number one pauses), so n−1 rounds cover all pairs.
    """
    if k < 1:
        raise ValueError(f"round-robin needs at least 1 round, not {k}")
    plan = []
    for number, systems in enumerate(items):
        rounds = _tournament(sorted(set(systems)), seed)
        chosen = {(number * k + r) % len(rounds) for r in range(k)} if rounds else set()
        plan.append(tuple(sorted(pair for r in chosen for pair in rounds[r])))
    return plan


def _plan_blocks(items: Sequence[Sequence[str]], size: int, seed: int) -> list[tuple[SystemPair, ...]]:
    """Compare all pairs within a block of ``size`` systems, a different block for each item.

    Each block starts with the system that was compared least often and grows by the system that was compared
    least often with those in the block. Where an exactly balanced design needs more items than there are,
    counts differ slightly (see the tests).
    """
    if size < 2:
        raise ValueError(f"a block needs at least 2 systems, not {size}")
    pair_counts: Counter[SystemPair] = Counter()
    system_counts: Counter[str] = Counter()
    random = Random(seed)
    plan = []
    for systems in items:
        pairs = list_pairs(_select_block(sorted(set(systems)), size, pair_counts, system_counts, random))
        pair_counts.update(pairs)
        system_counts.update(system for pair in pairs for system in pair)
        plan.append(pairs)
    return plan


def _select_block(
    systems: list[str],
    size: int,
    pair_counts: Counter[SystemPair],
    system_counts: Counter[str],
    random: Random,
) -> list[str]:
    random.shuffle(systems)  # breaks ties differently on each item
    block: list[str] = []

    def cost(system: str) -> tuple[int, int]:
        squares = [pair_counts[min(system, other), max(system, other)] ** 2 for other in block]
        return sum(squares), system_counts[system]

    while len(block) < size and systems:
        chosen = min(systems, key=cost)
        systems.remove(chosen)
        block.append(chosen)
    return block


def _tournament(names: list[str], seed: int) -> list[list[SystemPair]]:
    """Return the rounds of the circle method: one name stays, the others rotate around the table."""
    Random(seed).shuffle(names)
    table: list[str | None] = [*names, None] if len(names) % 2 else [*names]
    half = len(table) // 2
    rounds = []
    for _ in range(len(table) - 1):
        facing = zip(table[:half], reversed(table[half:]), strict=True)
        rounds.append([(min(x, y), max(x, y)) for x, y in facing if x is not None and y is not None])
        table = [table[0], table[-1], *table[1:-1]]
    return rounds
