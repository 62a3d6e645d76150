"""Random studies for property tests, and slow, obvious twins of the statistics."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from evaluation.agreement import Judgements

Row = tuple[str, int, str, int]


@st.composite
def rows(draw: st.DrawFn, labels: Sequence[str] = ("x", "y", "z"), repeats: bool = True) -> list[Row]:
    """(annotator, item, label, sentence) with gaps; an item belongs to sentence item // 2."""
    key = st.tuples(st.sampled_from("abcd"), st.integers(0, 6))
    unique = None if repeats else (lambda row: row[0])
    found = draw(st.lists(st.tuples(key, st.sampled_from(list(labels))), max_size=40, unique_by=unique))
    return [(who, item, label, item // 2) for (who, item), label in found]


def random_matrix(
    seed: int, annotators: int = 5, items: int = 60, size: int = 4, missing: float = 0.3
) -> np.ndarray:
    """Annotators × items who agree more often than chance, with gaps (−1)."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, size, items)
    shape = (annotators, items)
    given = np.where(rng.random(shape) < 0.5, truth, rng.integers(0, size, shape))
    return np.where(rng.random(shape) < missing, -1, given)


def pairs_of(found: Sequence[Row], different: bool = True) -> list[tuple[Row, Row]]:
    """Every two judgements on one item."""
    by_item = defaultdict(list)
    for row in found:
        by_item[row[1]].append(row)
    pairs = [pair for group in by_item.values() for pair in itertools.combinations(group, 2)]
    return [(one, two) for one, two in pairs if not different or one[0] != two[0]]


def kappa_of(p_a: float, p_e: float) -> float | None:
    return None if abs(1 - p_e) < 1e-12 else (p_a - p_e) / (1 - p_e)


def slow_fixed(found: Sequence[Row], size: int, different: bool = True) -> float | None:
    pairs = pairs_of(found, different)
    return kappa_of(sum(a[2] == b[2] for a, b in pairs) / len(pairs), 1 / size) if pairs else None


def slow_pi(found: Sequence[Row]) -> float | None:
    pairs = pairs_of(found)
    if not pairs:
        return None
    items = {a[1] for a, _ in pairs}
    labels = Counter(row[2] for row in found if row[1] in items)
    n = labels.total()
    return kappa_of(
        sum(a[2] == b[2] for a, b in pairs) / len(pairs), sum((c / n) ** 2 for c in labels.values())
    )


def slow_by_item(found: Sequence[Row], size: int) -> tuple[float | None, float | None]:
    """Fleiss' κ and AC1 with Pᵢ over pairs of different annotators."""
    agreement = defaultdict(list)
    for a, b in pairs_of(found):
        agreement[a[1]].append(a[2] == b[2])
    if not agreement:
        return None, None
    p_a = np.mean([np.mean(group) for group in agreement.values()])
    shares: Counter[str] = Counter()
    votes = Counter(row[1] for row in found)
    for row in found:
        shares[row[2]] += 1 / votes[row[1]]  # type: ignore[assignment]  # a Counter of fractions
    pi = [share / len(votes) for share in shares.values()]
    fleiss = kappa_of(float(p_a), sum(p * p for p in pi))
    return fleiss, kappa_of(float(p_a), sum(p * (1 - p) for p in pi) / (size - 1))


def slow_alpha(found: Sequence[Row]) -> float | None:
    """1 − D_o/D_e, where a judgement's disagreement is with the judgements it is compared to."""
    agreement = defaultdict(list)
    for a, b in pairs_of(found):
        agreement[a[1]].append(a[2] == b[2])
    values = [row for row in found if row[1] in agreement]
    n = len(values)
    if n < 2:
        return None
    seen = 1 - sum(np.mean(agreement[row[1]]) for row in values) / n
    labels = Counter(row[2] for row in values)
    by_chance = 1 - sum(c * (c - 1) for c in labels.values()) / (n * (n - 1))
    return None if by_chance < 1e-12 else float(1 - seen / by_chance)


def study(found: Sequence[Row], labels: Sequence[str] = ("x", "y", "z")) -> Judgements:
    return Judgements.from_rows(found, labels)
