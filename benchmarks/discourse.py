"""Discourse: the tree kernel against plain Python, and the speed of the parsers that ship with the project.

The peer of the kernel is the usual plain-Python speed-up, matching by production. No installable Python
package of the all-subtree kernel is known, so the peer is ours; the numbers are equal, which is checked
first. Parsers have no peer: their row compares with what is demanded of them.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from random import Random

import numpy as np

from benchmarks.base import Result, race
from metrics.discourse.kernel import DECAY, Forest, Tree
from metrics.discourse.parsers import parse_by_rules

TREES = 400
ROUNDS = 5
WORDS = """the a house people government said that it was because although which report to by and , not
economy year new would have been he they who when if before after market bank growth is are"""
DEMANDED = 2000.0  # µs a sentence


def run() -> list[Result]:
    """All races of this area."""
    return [kernel_race(), heuristic_speed()]


def kernel_race() -> Result:
    """µs per pair over the Gram matrix of 400 random binary trees with 9 to 39 inner nodes."""
    random = Random(1)
    trees = [random_tree(random, random.randint(9, 39)) for _ in range(TREES)]
    above, beside = np.triu_indices(TREES)
    some = Random(2).sample(range(len(above)), 4000)  # the peer is timed on a sample: it needs seconds for it
    sample = [(trees[above[n]], trees[beside[n]]) for n in some]
    forest = Forest.of(trees)
    expected = [math.log(value) if value else -math.inf for value in map(_by_production, sample)]
    assert np.allclose(forest.log_kernel(above[some], beside[some]), expected, rtol=1e-9)
    ours, theirs = race(
        lambda: Forest.of(trees).log_kernel(above, beside), lambda: [*map(_by_production, sample)], ROUNDS
    )
    mine = [seconds / len(above) * 1e6 for seconds in ours]
    peer = [seconds / len(sample) * 1e6 for seconds in theirs]
    ratios = [b / a for a, b in zip(mine, peer, strict=True)]
    middle = (float(np.median(mine)), float(np.median(peer)))
    found = (min(ratios), float(np.median(ratios)))
    return Result(
        f"tree kernel, {TREES}-tree Gram", "plain Python, by production", "µs/pair", *middle, *found, 7.0
    )


def heuristic_speed() -> Result:
    """µs a sentence of the always-present parser on made-up text of 25 words; 500 a second are demanded."""
    random = Random(3)
    sentences = [" ".join(random.choices(WORDS.split(), k=25)) + " ." for _ in range(2000)]
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for sentence in sentences:
            parse_by_rules.__wrapped__(sentence)  # without its cache
        times.append((time.process_time() - start) / len(sentences) * 1e6)
    middle = float(np.median(times))
    ratios = (DEMANDED / max(times), DEMANDED / middle)
    return Result("heuristic discourse parser", "demand", "µs/sentence", middle, DEMANDED, *ratios, 1.0)


def random_tree(random: Random, inner: int) -> Tree:
    """A binary tree with this many inner nodes over few labels."""
    if inner == 0:
        return Tree(random.choice("xyz"))
    left = random.randint(0, inner - 1)
    return Tree(random.choice("ABCD"), (random_tree(random, left), random_tree(random, inner - 1 - left)))


def _by_production(pair: tuple[Tree, Tree]) -> float:
    a, b = pair
    by_rule = defaultdict(list)
    for node in _inner(b):
        by_rule[_rule(node)].append(node)
    return math.fsum(_common(n, m) for n in _inner(a) for m in by_rule.get(_rule(n), ()))


def _common(n: Tree, m: Tree) -> float:
    if not n.children or not m.children or _rule(n) != _rule(m):
        return 0.0
    return DECAY * math.prod(1 + _common(x, y) for x, y in zip(n.children, m.children, strict=True))


def _rule(tree: Tree) -> tuple[str, ...]:
    return (tree.label, *(child.label for child in tree.children))


def _inner(tree: Tree) -> list[Tree]:
    return [tree, *(node for child in tree.children for node in _inner(child))] if tree.children else []


if __name__ == "__main__":
    for result in run():
        print(result)
