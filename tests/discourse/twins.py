"""Slow, obvious versions of the tree kernel, straight from its definitions."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from itertools import product

from metrics.discourse.kernel import Tree


def fragments(tree: Tree) -> Counter[tuple[str, int]]:
    """Every fragment of the tree, written out, with the number of its productions."""
    found: Counter[tuple[str, int]] = Counter(rooted(tree))
    for child in tree.children:
        found += fragments(child)
    return found


def rooted(tree: Tree) -> list[tuple[str, int]]:
    """The fragments that begin at the root: each child is cut off or expanded."""
    if not tree.children:
        return []
    choices = [[(child.label, 0), *rooted(child)] for child in tree.children]
    return [
        (f"({tree.label} {' '.join(text for text, _ in parts)})", 1 + sum(size for _, size in parts))
        for parts in product(*choices)
    ]


def counted_kernel(a: Tree, b: Tree, decay: float) -> float:
    """K by counting: Σ over common fragments of λ^size · count in a · count in b."""
    of_a, of_b = fragments(a), fragments(b)
    return math.fsum(decay ** key[1] * count * of_b[key] for key, count in of_a.items())


def recursive_kernel(a: Tree, b: Tree, decay: float) -> float:
    """K by the recursion over all pairs of nodes."""
    return math.fsum(common(n, m, decay) for n in nodes(a) for m in nodes(b))


def common(n: Tree, m: Tree, decay: float) -> float:
    if not n.children or rule(n) != rule(m):
        return 0.0
    return decay * math.prod(1 + common(x, y, decay) for x, y in zip(n.children, m.children, strict=True))


def production_kernel(a: Tree, b: Tree, decay: float) -> float:
    """The same recursion, but only from nodes of equal production: the usual plain-Python speed-up."""
    by_rule = defaultdict(list)
    for m in nodes(b):
        by_rule[rule(m)].append(m)
    return math.fsum(common(n, m, decay) for n in nodes(a) if n.children for m in by_rule.get(rule(n), ()))


def rule(tree: Tree) -> tuple[str, ...]:
    return (tree.label, *(child.label for child in tree.children))


def nodes(tree: Tree) -> list[Tree]:
    return [tree, *(node for child in tree.children for node in nodes(child))]
