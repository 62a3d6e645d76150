"""What a phrase study counts, and the figures that it reports."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from appraise.lib.resampling import Floats, Interval, percentile_interval, resample_totals
from appraise.lib.tables import Table
from evaluation.assessments.votes import SideWeights

EvidencePair = tuple[str, str]
UnitKey = tuple[tuple[str, ...], tuple[str, ...]]  # the words of both sides
# Columns of a segment: units on which both prefer a side, those with the same side, all units, agreeing
# labels, and labels that are a preference; first for distinct units, then for occurrences.
_BOTH, _SAME, _ALL, _AGREE, _DECIDED = range(5)
_COLUMNS = 5


@dataclass(slots=True)
class UnitCounts:
    """The counts of two sources at one level, in all and by segment."""

    counts: Counter[str] = field(default_factory=Counter)
    weights: dict[str, float] = field(default_factory=lambda: {"differing": 0.0, "asked": 0.0})
    columns: list[list[int]] = field(default_factory=list)
    units: dict[UnitKey, list[SideWeights]] = field(default_factory=dict)
    occurrences: list[int] = field(default_factory=lambda: [0] * _COLUMNS)

    def add(self, key: UnitKey, weights: list[SideWeights]) -> None:
        """Add an occurrence of a pair of texts, in any order, with the weights of both sources."""
        if key[0] > key[1]:
            key, weights = (key[1], key[0]), [source.mirrored for source in weights]
        _count_preferences(self.occurrences, weights)
        known = self.units.get(key)
        self.units[key] = (
            weights if known is None else [x.plus(y) for x, y in zip(known, weights, strict=True)]
        )

    def close_segment(self) -> None:
        """Count the distinct units of a segment."""
        distinct = [0] * _COLUMNS
        for weights in self.units.values():
            _count_preferences(distinct, weights)
        self.columns.append(distinct + self.occurrences)
        self.units, self.occurrences = {}, [0] * _COLUMNS


def _count_preferences(column: list[int], weights: Sequence[SideWeights]) -> None:
    first, second = (source.preference for source in weights)
    column[_ALL] += 1
    column[_BOTH] += bool(first and second)
    column[_SAME] += bool(first and first == second)
    column[_AGREE] += first == second
    column[_DECIDED] += bool(first) + bool(second)


@dataclass(frozen=True, slots=True)
class StudyRow:
    """Two sources at one level; the first three shares are of the spans of the first source."""

    evidence: EvidencePair
    coarseness: str
    questions: float | None
    in_one: float | None
    cut: float | None
    covered: float | None
    same_side: float | None
    same_side_ci: Interval | None
    n: int
    p_a: float | None
    scott_pi: float | None
    scott_pi_ci: Interval | None
    n_occurrences: int
    same_side_occurrences: float | None
    same_side_occurrences_ci: Interval | None
    scott_pi_occurrences: float | None
    n_scores: int | None
    same_side_scores: float | None
    same_side_scores_ci: Interval | None


@dataclass(frozen=True, slots=True)
class PhraseStudy:
    """All rows; ``sentence_pairs`` counts the pairs of outputs that were compared."""

    sentence_pairs: int
    rows: tuple[StudyRow, ...]

    def to_document(self) -> dict[str, object]:
        """The JSON document of the command ``phrase_study``."""
        return {"sentence_pairs": self.sentence_pairs, "rows": [asdict(row) for row in self.rows]}

    def to_table(self) -> Table:
        columns = (
            *("evidence", "coarseness", "questions", "in one", "cut", "covered"),
            *("same side", "low", "high", "n", "P(A)", "π", "π low", "π high"),
            *("same side, occurrences", "low", "high", "n", "π"),
            *("same side, scores", "low", "high", "n"),
        )
        rows = [
            (
                *(" / ".join(row.evidence), row.coarseness, row.questions, row.in_one, row.cut, row.covered),
                *(row.same_side, *(row.same_side_ci or (None, None)), row.n, row.p_a),
                *(row.scott_pi, *(row.scott_pi_ci or (None, None)), row.same_side_occurrences),
                *(*(row.same_side_occurrences_ci or (None, None)), row.n_occurrences),
                *(row.scott_pi_occurrences, row.same_side_scores, *(row.same_side_scores_ci or (None, None))),
                row.n_scores,
            )
            for row in self.rows
        ]
        return Table(f"{self.sentence_pairs:,} sentence pairs", columns, tuple(rows))


def make_row(
    pair: EvidencePair, name: str, level: UnitCounts, by_scores: UnitCounts | None, resamples: int, seed: int
) -> StudyRow:
    """The figures of a level; those by scores are None without ``by_scores`` or any score."""
    (totals, occurrences), (distinct, repeated) = _resample(level, resamples, seed)
    scores = by_scores if by_scores and any(column[_ALL] for column in by_scores.columns) else None
    (of_scores, _), (resampled, _) = _resample(scores or UnitCounts(), resamples, seed)
    counts, weights = level.counts, level.weights
    return StudyRow(
        evidence=pair,
        coarseness=name,
        questions=_share(counts["units"], counts["pairs"]),
        in_one=_share(counts["in one"], counts["spans"]),
        cut=_share(counts["cut"], counts["spans"]),
        covered=_share(weights["asked"], weights["differing"]),
        same_side=_none_if_nan(same_side(totals)),
        same_side_ci=_interval(same_side, distinct),
        n=int(totals[_BOTH]),
        p_a=_share(totals[_AGREE], totals[_ALL]),
        scott_pi=_none_if_nan(scott_pi(totals)),
        scott_pi_ci=_interval(scott_pi, distinct),
        n_occurrences=int(occurrences[_BOTH]),
        same_side_occurrences=_none_if_nan(same_side(occurrences)),
        same_side_occurrences_ci=_interval(same_side, repeated),
        scott_pi_occurrences=_none_if_nan(scott_pi(occurrences)),
        n_scores=int(of_scores[_BOTH]) if scores else None,
        same_side_scores=_none_if_nan(same_side(of_scores)),
        same_side_scores_ci=_interval(same_side, resampled),
    )


def _resample(
    level: UnitCounts, resamples: int, seed: int
) -> tuple[Sequence[Floats], Sequence[Floats] | tuple[None, None]]:
    """The totals of distinct units and of occurrences, and those of resampled segments."""
    columns = np.array([column for column in level.columns if column[_ALL]], dtype=np.float64)
    columns = columns.reshape(-1, 2 * _COLUMNS).T
    resampled = resample_totals(columns, resamples, seed)
    return np.split(columns.sum(axis=1), 2), (None, None) if resampled is None else np.split(resampled, 2)


def _interval(statistic: Callable[[Floats], Floats], resampled: Floats | None) -> Interval | None:
    return None if resampled is None else percentile_interval(statistic(resampled))


def scott_pi(totals: Floats) -> Floats:
    """Scott's π of the counted columns, with A and B equally likely.

    >>> float(scott_pi(np.array([2.0, 2.0, 4.0, 4.0, 4.0])))
    1.0
    """
    agreement = _ratio(totals[_AGREE], totals[_ALL])
    decided = _ratio(totals[_DECIDED], 2 * totals[_ALL])
    chance = decided**2 / 2 + (1 - decided) ** 2
    return _ratio(agreement - chance, 1 - chance)


def same_side(totals: Floats) -> Floats:
    """The share of the same preference among units on which both sources prefer a side."""
    return _ratio(totals[_SAME], totals[_BOTH])


def _ratio(part: Floats, of: Floats) -> Floats:
    return np.divide(part, of, out=np.full_like(np.asarray(part, dtype=np.float64), np.nan), where=of != 0)


def _share(part: float, of: float) -> float | None:
    return float(part) / float(of) if of else None


def _none_if_nan(value: Floats) -> float | None:
    return None if np.isnan(value) else float(value)
