"""Voters compared with each other, two at a time, also on pairs that nobody has ranked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from appraise.lib.tables import Table
from evaluation.schemes import Choice


@dataclass(frozen=True, slots=True)
class VoterPair:
    """Two voters: the pairs on which both voted; of these, how many both decided, and how often alike.

    ``same_side`` is the share of the decided pairs on which they prefer the same side, ``p_a`` the share of
    all pairs with equal votes, ties included; ``scott_pi`` corrects it by chance.
    """

    a: str
    b: str
    pairs: int
    decided: int
    same_side: float | None
    p_a: float | None
    scott_pi: float | None


def compare_voters(votes: Mapping[str, Mapping[int, Choice]]) -> list[VoterPair]:
    """Compare every two voters on the pairs on which both voted.

    >>> a, b, tie = Choice.A_BETTER, Choice.B_BETTER, Choice.EQUAL
    >>> (pair,) = compare_voters({"x": {1: a, 2: b, 3: tie}, "y": {1: a, 2: a, 3: tie, 4: a}})
    >>> pair.pairs, pair.decided, pair.same_side, round(pair.p_a, 3), round(pair.scott_pi, 3)
    (3, 2, 0.5, 0.667, 0.455)
    """
    return [_compare(a, b, votes[a], votes[b]) for a, b in combinations(votes, 2)]


def _compare(a: str, b: str, first: Mapping[int, Choice], second: Mapping[int, Choice]) -> VoterPair:
    both = [(first[pair].sign, second[pair].sign) for pair in first.keys() & second.keys()]
    known = [(x, y) for x, y in both if x is not None and y is not None]  # N/A is no vote
    decided = [x == y for x, y in known if x and y]
    same_side, p_a = _share(decided), _share([x == y for x, y in known])
    counts = Counter(sign for signs in known for sign in signs)
    p_e = sum((n / (2 * len(known))) ** 2 for n in counts.values())
    pi = None if p_a is None or p_e == 1 else (p_a - p_e) / (1 - p_e)
    return VoterPair(a, b, len(known), len(decided), same_side, p_a, pi)


def _share(hits: list[bool]) -> float | None:
    return sum(hits) / len(hits) if hits else None


def build_voter_table(pairs: Sequence[VoterPair]) -> Table:
    columns = ("voter", "other voter", "pairs", "both decided", "same side", "P(A)", "Scott’s π")
    rows = tuple((p.a, p.b, p.pairs, p.decided, p.same_side, p.p_a, p.scott_pi) for p in pairs)
    return Table("Voters compared with each other", columns, rows)
