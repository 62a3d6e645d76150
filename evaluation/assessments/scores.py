"""Scores of people as columns: means of outputs and systems, z-scores of annotators, intervals.

An output that several annotators scored has the mean of their scores; the mean of a system is that of its
outputs, so that each counts once. A z-score is the distance from the annotator's mean in standard deviations.
Intervals resample segments, or whole documents, the same ones for all systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import Floats, Interval, Ints, percentile_interval, resample_totals
from evaluation.assessments.values import OutputRating

ScoreRating = Callable[[OutputRating], float | None]


@dataclass(frozen=True, slots=True, eq=False)
class ScoreColumns:
    """One score per row; annotator, system and segment are codes, ``segments`` counts those of the source."""

    annotators: tuple[str, ...]
    systems: tuple[str, ...]
    segments: int
    annotator: Ints
    system: Ints
    segment: Ints
    value: Floats

    @classmethod
    def of(
        cls, ratings: Iterable[OutputRating], score: ScoreRating, segments: int | None = None
    ) -> ScoreColumns:
        """Collect the ratings that have a score, systems and annotators in alphabetical order."""
        scored = [(rating, value) for rating in ratings if (value := score(rating)) is not None]
        annotators = sorted({rating.annotator for rating, _ in scored})
        systems = sorted({rating.system for rating, _ in scored})
        annotator_code = {name: code for code, name in enumerate(annotators)}
        system_code = {name: code for code, name in enumerate(systems)}
        last = max((rating.segment for rating, _ in scored), default=-1)
        return cls(
            tuple(annotators),
            tuple(systems),
            last + 1 if segments is None else segments,
            _codes([annotator_code[rating.annotator] for rating, _ in scored]),
            _codes([system_code[rating.system] for rating, _ in scored]),
            _codes([rating.segment for rating, _ in scored]),
            np.array([value for _, value in scored], dtype=np.float64),
        )

    def average_outputs(self, values: Floats) -> Floats:
        """Average values of rows by output: systems × segments, nan where there is none.

        >>> ratings = [OutputRating("ann", "s", 0, 4.0), OutputRating("bob", "s", 0, 2.0)]
        >>> columns = ScoreColumns.of(ratings, lambda rating: rating.score, segments=2)
        >>> columns.average_outputs(columns.value).tolist()
        [[3.0, nan]]
        """
        shape = len(self.systems), self.segments
        known = ~np.isnan(values)
        cells = (self.system * self.segments + self.segment)[known]
        times = np.bincount(cells, minlength=shape[0] * shape[1])
        sums = np.bincount(cells, values[known], minlength=shape[0] * shape[1])
        with np.errstate(invalid="ignore"):
            return np.asarray(np.where(times, sums / np.maximum(times, 1), np.nan).reshape(shape))

    def standardise(self) -> Floats:
        """The z-score of each row; nan for annotators whose scores are all equal."""
        z = np.full(len(self.value), np.nan)
        for code in range(len(self.annotators)):
            own = self.annotator == code
            scores = self.value[own]
            if len(scores) > 1 and np.ptp(scores) > 0:
                z[own] = (scores - scores.mean()) / scores.std(ddof=1)
        return z


@dataclass(frozen=True, slots=True)
class AnnotatorScores:
    """How many outputs an annotator scored, and how; ``sd`` is None for fewer than two scores."""

    n: int
    mean: float
    sd: float | None


def describe_annotators(columns: ScoreColumns) -> dict[str, AnnotatorScores]:
    """The scores of each annotator."""
    described = {}
    for code, name in enumerate(columns.annotators):
        scores = columns.value[columns.annotator == code]
        sd = float(scores.std(ddof=1)) if len(scores) > 1 else None
        described[name] = AnnotatorScores(len(scores), float(scores.mean()), sd)
    return described


def average_systems(outputs: Floats) -> list[float | None]:
    """The mean of each system over its outputs; None without any.

    >>> average_systems(np.array([[1.0, 3.0], [np.nan, np.nan]]))
    [2.0, None]
    """
    return [
        float(row[known].mean()) if (known := ~np.isnan(row)).any() else None  # the mean of one pass
        for row in outputs
    ]


def estimate_intervals(
    outputs: Floats, *, units: Sequence[int] | None = None, resamples: int = 1000, seed: int = 1
) -> list[Interval | None]:
    """The interval of each system mean; ``units`` has the document of each segment if these are resampled."""
    known = ~np.isnan(outputs)
    judged = known.any(axis=0)  # segments that nobody scored are no units
    sums = np.vstack([np.where(known, outputs, 0.0), known.astype(np.float64)])[:, judged]
    if units is not None:
        groups = np.unique(np.asarray(units)[judged], return_inverse=True)[1]
        sums = np.vstack([np.bincount(groups, row) for row in sums])
    totals = resample_totals(sums, resamples, seed)
    if totals is None:
        return [None] * len(outputs)
    values, counts = np.split(totals, 2)
    means = np.divide(values, counts, out=np.full_like(values, np.nan), where=counts > 0)
    return [percentile_interval(row) for row in means]


def _codes(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)
