"""Which candidates of an item are compared with which, when there are more than two.

All pairs cost n(n−1)/2 comparisons an item. The other designs ask less of each item and balance over items:
every pair of systems meets equally often, or as nearly as the number of items allows. All are deterministic:
the same seed and the same systems give the same comparisons.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

Comparison = tuple[str, str]
"""Two system names, the smaller first."""


def comparisons(design: str, items: Sequence[Sequence[str]], seed: int = 1) -> list[tuple[Comparison, ...]]:
    """For each item, given as the names of its systems, the comparisons of a design.

    ``all``; ``baseline:NAME``; ``round-robin:K``, where every system meets K others on each item; and
    ``blocks:K``, where K systems of each item are compared with one another (balanced incomplete blocks).

    >>> comparisons("baseline:b", [["a", "b", "c"]])
    [(('a', 'b'), ('b', 'c'))]
    """
    kind, _, value = design.partition(":")
    if kind == "all" and not value:
        return [all_pairs(systems) for systems in items]
    if kind == "baseline" and value:
        return _against_baseline(items, value)
    if kind in ("round-robin", "blocks") and value.isascii() and value.isdigit():
        return (
            round_robin(items, int(value), seed) if kind == "round-robin" else blocks(items, int(value), seed)
        )
    raise ValueError(f"unknown design {design!r}; use all, baseline:NAME, round-robin:K or blocks:K")


def all_pairs(systems: Sequence[str]) -> tuple[Comparison, ...]:
    """
    >>> all_pairs(["b", "a", "c"])
    (('a', 'b'), ('a', 'c'), ('b', 'c'))
    """
    return tuple(combinations(sorted(set(systems)), 2))


def against(systems: Sequence[str], baseline: str) -> tuple[Comparison, ...]:
    """Every other system against one; nothing where that one is missing."""
    return tuple(pair for pair in all_pairs(systems) if baseline in pair)


def _against_baseline(items: Sequence[Sequence[str]], baseline: str) -> list[tuple[Comparison, ...]]:
    if not any(baseline in systems for systems in items):
        known = sorted({system for systems in items for system in systems})
        raise ValueError(f"no item has the baseline {baseline!r}; systems: {', '.join(known)}")
    return [against(systems, baseline) for systems in items]


def round_robin(items: Sequence[Sequence[str]], k: int, seed: int = 1) -> list[tuple[Comparison, ...]]:
    """K rounds of a tournament for each item, continuing with the next rounds on the next item.

    In a round everyone plays once (with an odd number one rests), so after n−1 rounds every pair has met.
    """
    if k < 1:
        raise ValueError(f"round-robin needs at least 1 round, not {k}")
    plan = []
    for number, systems in enumerate(items):
        rounds = _rounds(_shuffled(systems, seed))
        chosen = {(number * k + r) % len(rounds) for r in range(k)} if rounds else set()
        plan.append(tuple(sorted(pair for r in chosen for pair in rounds[r])))
    return plan


def blocks(items: Sequence[Sequence[str]], size: int, seed: int = 1) -> list[tuple[Comparison, ...]]:
    """All pairs within a block of ``size`` systems, a different block for each item.

    Each block is grown from the system that was compared least, always adding the one that met those in the
    block least often. Where an exactly balanced design needs more items than there are, counts differ by
    little (see the tests).
    """
    if size < 2:
        raise ValueError(f"a block needs at least 2 systems, not {size}")
    met: Counter[Comparison] = Counter()
    seen: Counter[str] = Counter()
    random = Random(seed)
    plan = []
    for systems in items:
        pairs = all_pairs(_block(sorted(set(systems)), size, met, seen, random))
        met.update(pairs)
        seen.update(system for pair in pairs for system in pair)
        plan.append(pairs)
    return plan


def _block(
    systems: list[str], size: int, met: Counter[Comparison], seen: Counter[str], random: Random
) -> list[str]:
    random.shuffle(systems)  # ties fall differently on each item
    block: list[str] = []
    while len(block) < size and systems:
        chosen = min(systems, key=lambda s: (sum(_times(met, s, t) ** 2 for t in block), seen[s]))
        systems.remove(chosen)
        block.append(chosen)
    return block


def _times(met: Counter[Comparison], one: str, other: str) -> int:
    return met[min(one, other), max(one, other)]


def _shuffled(systems: Sequence[str], seed: int) -> list[str]:
    names = sorted(set(systems))
    Random(seed).shuffle(names)
    return names


def _rounds(names: list[str]) -> list[list[Comparison]]:
    """The circle method: one player stays, the others rotate around the table."""
    table: list[str | None] = [*names, None] if len(names) % 2 else [*names]
    half = len(table) // 2
    rounds = []
    for _ in range(len(table) - 1):
        facing = zip(table[:half], reversed(table[half:]), strict=True)
        rounds.append([(min(x, y), max(x, y)) for x, y in facing if x is not None and y is not None])
        table = [table[0], table[-1], *table[1:-1]]
    return rounds
