"""Which candidates of an item are compared when there are more than two.

``all``             every pair: n(n−1)/2
``baseline:NAME``   everybody against one system: n−1
``round-robin:K``   each system meets K others, the same number for everyone; which ones rotates by item
``block:K``         a balanced incomplete block: K systems of each item, all their pairs, and over the items
                    every two systems meet equally often, as nearly as the number of items allows

Pure and deterministic: the seed and the texts decide who meets whom, never the order of upload, and never a
name except the baseline's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from evaluation.problems import InputError, Problem

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Design:
    """A rule that names the pairs of systems to compare in one item, given what each system wrote."""

    name: str
    pairs: Callable[[Mapping[str, str]], list[Pair]]


def design(text: str, seed: int = 1) -> Design:
    """The design behind its name.

    >>> design("baseline:x").pairs({"x": "a car", "y": "an auto", "z": "a coach"})
    [('x', 'y'), ('x', 'z')]
    >>> len(design("all").pairs({"w": "a car", "x": "an auto", "y": "a coach", "z": "car"}))
    6
    """
    kind, _, argument = text.partition(":")
    if kind == "all" and not argument:
        return Design(text, lambda outputs: list(combinations(sorted(outputs), 2)))
    if kind == "baseline" and argument:
        return Design(text, lambda outputs: _against(argument, sorted(outputs)))
    if kind in {"round-robin", "block"} and argument.isascii() and argument.isdigit() and int(argument) >= 1:
        rule = _round_robin if kind == "round-robin" else _block
        return Design(text, lambda outputs: rule(_shuffled(outputs, seed), int(argument)))
    raise InputError(
        Problem(
            "bad_design",
            f"{text!r} is no design for comparisons",
            "use all, baseline:NAME, round-robin:K or block:K",
        )
    )


def _against(baseline: str, systems: Sequence[str]) -> list[Pair]:
    if baseline not in systems:
        return []
    return [(baseline, system) for system in systems if system != baseline]


def _round_robin(ring: Sequence[str], k: int) -> list[Pair]:
    """A ring through the systems in an order that differs by item; each meets its K nearest neighbours.

    An odd K on an odd number of systems cannot give everybody the same number; then it is K + 1.
    """
    n = len(ring)
    if n < 2:
        return []
    k = min(k, n - 1)
    pairs = {_sorted(ring[i], ring[(i + d) % n]) for d in range(1, k // 2 + 1) for i in range(n)}
    if k % 2:
        opposite = n // 2 if n % 2 == 0 else k // 2 + 1
        pairs |= {_sorted(ring[i], ring[(i + opposite) % n]) for i in range(n)}
    return sorted(pairs)


def _block(shuffled: Sequence[str], k: int) -> list[Pair]:
    """All pairs of K systems; every K-subset is equally likely, so every two meet equally often."""
    return list(combinations(sorted(shuffled[: max(2, k)]), 2))


def _sorted(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def _shuffled(outputs: Mapping[str, str], seed: int) -> list[str]:
    """The systems in an order that the seed and all the item's texts decide."""
    texts = sorted(outputs.values())
    return sorted(sorted(outputs), key=lambda system: _digest(str(seed), *texts, outputs[system]))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()
