"""Agreement of annotators who rated the same outputs, on their scores and on the errors that they marked.

Every pair of annotators of an output counts, in alphabetical order. Kendall's τ_c and Pearson's r compare
scores. Character F1 compares which characters were marked, whatever the severity; an output in which neither
marked any adds nothing. α for units also compares how the marked characters are cut (``unitizing``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from appraise.lib.resampling import Floats, Ints
from evaluation.assessments.scores import ScoreRating
from evaluation.assessments.unitizing import Continuum, Unit, measure_alpha
from evaluation.assessments.values import OutputRating, SpanSide

RatingPair = tuple[OutputRating, OutputRating]
MeasureText = Callable[[OutputRating], int]  # the length of the output in characters


@dataclass(frozen=True, slots=True)
class AnnotatorPairAgreement:
    """Agreement over pairs of ratings of one output; a statistic without data is None."""

    pairs: int
    kendall_tau_c: float | None
    pearson: float | None
    character_f1: float | None
    alpha_u: float | None


def pair_ratings(ratings: Iterable[OutputRating]) -> list[RatingPair]:
    """All pairs of ratings of one output by different annotators."""
    outputs: defaultdict[tuple[str, int], list[OutputRating]] = defaultdict(list)
    for rating in ratings:
        outputs[rating.system, rating.segment].append(rating)
    return [
        pair
        for _, together in sorted(outputs.items())
        for pair in combinations(sorted(together, key=lambda rating: rating.annotator), 2)
        if pair[0].annotator != pair[1].annotator
    ]


def measure_agreement(
    pairs: Sequence[RatingPair], score: ScoreRating, length: MeasureText
) -> AnnotatorPairAgreement:
    """Measure the agreement of pairs of ratings.

    >>> ann, bob = (OutputRating(name, "s", n, float(n)) for name, n in (("ann", 0), ("bob", 0)))
    >>> measure_agreement([(ann, bob)], lambda rating: rating.score, lambda rating: 9).pairs
    1
    """
    scored = [(x, y) for a, b in pairs if (x := score(a)) is not None and (y := score(b)) is not None]
    first, second = np.array(scored, dtype=np.float64).reshape(-1, 2).T
    marked = [(length(a), list_units(a), list_units(b)) for a, b in pairs]
    is_constant = not len(first) or np.ptp(first) == 0 or np.ptp(second) == 0
    return AnnotatorPairAgreement(
        len(pairs),
        None if is_constant else _kendall_tau_c(first, second),
        None if is_constant else float(np.corrcoef(first, second)[0, 1]),
        _character_f1(marked),
        measure_alpha(Continuum.of(marked)),
    )


def list_units(rating: OutputRating) -> list[Unit]:
    """The places that were marked in the output."""
    return [
        (span.start, span.end)
        for span in rating.spans
        if span.side is SpanSide.TARGET and span.start is not None and span.end is not None
    ]


def _character_f1(marked: Iterable[tuple[int, list[Unit], list[Unit]]]) -> float | None:
    both = total = 0
    for _, first, second in marked:
        one, other = ({place for unit in units for place in range(*unit)} for units in (first, second))
        both += len(one & other)
        total += len(one) + len(other)
    return 2 * both / total if total else None


def _kendall_tau_c(first: Floats, second: Floats) -> float:
    """τ_c = 2 (concordant − discordant) / (n² (m − 1)/m), with m different scores on the side with fewer."""
    (x_values, x), (y_values, y) = (np.unique(side, return_inverse=True) for side in (first, second))
    cells = np.unique(x * len(y_values) + y, return_counts=True)[1]
    tied = [_count_pairs(counts) for counts in (np.bincount(x), np.bincount(y), cells)]
    n, m = len(x), min(len(x_values), len(y_values))
    untied = n * (n - 1) // 2 - tied[0] - tied[1] + tied[2]
    discordant = _count_inversions(y[np.lexsort((y, x))])
    return 2 * (untied - 2 * discordant) / (n**2 * (m - 1) / m)


def _count_pairs(counts: Ints) -> int:
    return int((counts * (counts - 1) // 2).sum())


def _count_inversions(values: Ints) -> int:
    """Count the pairs of whole numbers whose first is larger, bit by bit.

    >>> _count_inversions(np.array([2, 0, 1, 1]))
    3
    """
    inversions = 0
    for bit in range(int(values.max(initial=0)).bit_length()):
        above = values >> (bit + 1)  # numbers that are equal here differ in this bit, or in lower ones
        order = np.argsort(above, kind="stable")
        is_set = (values[order] >> bit) & 1
        set_before = np.cumsum(is_set) - is_set
        starts = np.searchsorted(above[order], above[order])
        inversions += int(((set_before - set_before[starts]) * (1 - is_set)).sum())
    return inversions
