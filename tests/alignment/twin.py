"""A slow, obvious twin of complete mode, written from its definition with sets and exhaustive search.

It shares no code with the real one. ``touching=False`` leaves out the rules that we added to the definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

Pair = tuple[range, range]
Links = set[tuple[int, int]]


def twin(a: str, b: str, links: Iterable[tuple[int, int]], touching: bool = True) -> list[tuple[Pair, bool]]:
    """Two-sided phrases with their moved marks, in order of A; every character is a token."""
    pairs = _joined(a, b, _cut(a, b, _tight(a, b, set(links))))
    while found := _runs_paired(a, b, pairs, touching):
        pairs = _joined(a, b, _cut(a, b, pairs + found))
    core = _core(pairs)
    return [(pair, pair not in core) for pair in pairs]


def _tight(a: str, b: str, links: Links) -> list[Pair]:
    equal = {(i, j) for i, j in links if a[i] == b[j]}
    anchors = {
        (i, j) for i, j in equal if sum(x == i for x, _ in equal) == 1 and sum(y == j for _, y in equal) == 1
    }
    links = {(i, j) for i, j in links if (i, j) in anchors or not any(x == i or y == j for x, y in anchors)}
    groups = [{link} for link in links]
    for one, other in [(x, y) for x in links for y in links if x[0] == y[0] or x[1] == y[1]]:
        first = next(group for group in groups if one in group)
        second = next(group for group in groups if other in group)
        if first is not second:
            first |= second
            groups.remove(second)
    while clashing := [g for g in groups if any(_overlap(g, h) for h in groups if h is not g)]:
        most = max(map(_looseness, clashing))
        groups = [g for g in groups if g not in clashing or _looseness(g) < most]
    return sorted(map(_hull, groups), key=lambda pair: pair[0].start)


def _hull(group: Links) -> Pair:
    of_a, of_b = {i for i, _ in group}, {j for _, j in group}
    return range(min(of_a), max(of_a) + 1), range(min(of_b), max(of_b) + 1)


def _looseness(group: Links) -> int:
    of_a, of_b = _hull(group)
    return len(of_a) + len(of_b) - len({i for i, _ in group}) - len({j for _, j in group})


def _overlap(one: Links, other: Links) -> bool:
    return any(set(x) & set(y) for x, y in zip(_hull(one), _hull(other), strict=True))


def _core(pairs: list[Pair]) -> list[Pair]:
    """Pairs that are in every heaviest chain, by looking at every chain."""
    heaviest: list[tuple[Pair, ...]] = [()]
    best = 0
    for size in range(1, len(pairs) + 1):
        for chain in combinations(pairs, size):
            if all(x[1].stop <= y[1].start for x, y in pairwise(chain)):
                weight = sum(len(x) + len(y) for x, y in chain)
                if weight > best:
                    heaviest, best = [], weight
                if weight == best:
                    heaviest.append(chain)
    return [pair for pair in pairs if all(pair in chain for chain in heaviest)]


def _free_runs(length: int, covered: Iterable[range]) -> Iterator[range]:
    taken = {k for span in covered for k in span}
    start = None
    for k in range(length + 1):
        if k < length and k not in taken:
            start = k if start is None else start
        elif start is not None:
            yield range(start, k)
            start = None


def _runs_paired(a: str, b: str, pairs: list[Pair], touching: bool) -> list[Pair]:
    runs_a = list(_free_runs(len(a), [x for x, _ in pairs]))
    runs_b = list(_free_runs(len(b), [y for _, y in pairs]))
    core = _core(pairs)
    for neighbours in (pairs, core):
        found = [
            (x, y)
            for x in runs_a
            for y in runs_b
            if (here := _between(x, neighbours, 0)) == _between(y, neighbours, 1)
            and sum(_between(z, neighbours, 0) == here for z in runs_a) == 1
            and sum(_between(z, neighbours, 1) == here for z in runs_b) == 1
        ]
        if found:
            return found
    if not touching:
        return []
    begin, end = (range(0), range(0)), (range(len(a), len(a)), range(len(b), len(b)))
    for neighbours in (core, pairs):
        after = [
            (x, y)
            for x in runs_a
            for y in runs_b
            for p, q in [*neighbours, begin]
            if p.stop == x.start and q.stop == y.start
        ]
        before = [
            (x, y)
            for x in runs_a
            for y in runs_b
            for p, q in [*neighbours, end]
            if p.start == x.stop and q.start == y.stop
        ]
        if after or before:
            return after or before
    return []


def _between(run: range, neighbours: list[Pair], side: int) -> tuple[Pair | None, Pair | None]:
    left = [pair for pair in neighbours if pair[side].stop <= run.start]
    right = [pair for pair in neighbours if pair[side].start >= run.stop]
    return (
        max(left, key=lambda pair: pair[side].start, default=None),
        min(right, key=lambda pair: pair[side].start, default=None),
    )


def _cut(a: str, b: str, pairs: list[Pair]) -> list[Pair]:
    parts = []
    for x, y in pairs:
        left, right = [a[i] for i in x], [b[j] for j in y]
        n = next(
            (k for k, (p, q) in enumerate(zip(left, right, strict=False)) if p != q), min(len(x), len(y))
        )
        parts += [(x[k : k + 1], y[k : k + 1]) for k in range(n)]
        x, y, left, right = x[n:], y[n:], left[::-1], right[::-1]
        n = 0
        while n < min(len(x), len(y)) and left[n] == right[n]:
            n += 1
        parts += [(x[len(x) - k - 1 : len(x) - k], y[len(y) - k - 1 : len(y) - k]) for k in range(n)]
        x, y = x[: len(x) - n], y[: len(y) - n]
        if not x or not y:
            continue
        if len(x) != len(y):
            parts.append((x, y))
            continue
        marks = [a[i] == b[j] for i, j in zip(x, y, strict=True)]
        cuts = [0, *[k for k in range(1, len(marks)) if marks[k] != marks[k - 1]], len(marks)]
        parts += [(x[p:q], y[p:q]) for p, q in pairwise(cuts)]
    return sorted(parts, key=lambda pair: pair[0].start)


def _joined(a: str, b: str, pairs: list[Pair]) -> list[Pair]:
    for k in range(len(pairs) - 1):
        (x, y), (v, w) = pairs[k : k + 2]
        equal = all([a[i] for i in p] == [b[j] for j in q] for p, q in pairs[k : k + 2])
        if equal and x.stop == v.start and y.stop == w.start:
            merged = (range(x.start, v.stop), range(y.start, w.stop))
            return _joined(a, b, [*pairs[:k], merged, *pairs[k + 2 :]])
    return pairs
