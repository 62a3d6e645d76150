"""What assessments say about systems and annotators, as values, as a JSON document and as tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

import numpy as np

from appraise.lib.resampling import Floats, Interval
from appraise.lib.tables import Cell, Table
from evaluation.assessments.annotator_agreement import AnnotatorPairAgreement
from evaluation.assessments.ranking import (
    PairTest,
    SystemRank,
    SystemTest,
    compare_systems,
    order_systems,
    rank_systems,
    signed_rank,
)
from evaluation.assessments.scores import (
    AnnotatorScores,
    ScoreColumns,
    average_systems,
    describe_annotators,
    estimate_intervals,
)

QualityControl = Mapping[str, float | int | None]


@dataclass(frozen=True, slots=True)
class RatedSystem:
    """The figures of one system; ``z`` is None where scores are not standardised."""

    name: str
    mean: float
    z: float | None
    n: int
    interval: Interval | None
    rank: SystemRank


@dataclass(frozen=True, slots=True, eq=False)
class RatingSummary:
    """The systems, the best first, with all tests between them, and the annotators."""

    protocol: str
    systems: tuple[RatedSystem, ...]
    tests: tuple[PairTest, ...]
    segments: dict[str, list[float | None]]
    annotators: dict[str, AnnotatorScores] = field(default_factory=dict)
    quality: Mapping[str, QualityControl] = field(default_factory=dict)
    agreement: Mapping[str, AnnotatorPairAgreement] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RatingOptions:
    """How systems are compared: the test, what is resampled (``units`` has the document of each segment)."""

    test: SystemTest = signed_rank
    units: Sequence[int] | None = None
    resamples: int = 1000
    seed: int = 1


def summarise_outputs(
    protocol: str,
    systems: Sequence[str],
    outputs: Floats,
    options: RatingOptions,
    z_scores: Floats | None = None,
    annotators: Mapping[str, AnnotatorScores] | None = None,
) -> RatingSummary:
    """Summarise scores by system and segment, nan where there is none; systems without any are left out."""
    means = average_systems(outputs)
    z = [None] * len(systems) if z_scores is None else average_systems(z_scores)
    intervals = estimate_intervals(
        outputs, units=options.units, resamples=options.resamples, seed=options.seed
    )
    order = order_systems(means)
    tests = compare_systems(systems, means, outputs, options.test)
    ranks = rank_systems([systems[code] for code in order], tests)
    rows = [
        RatedSystem(
            systems[code], mean, z[code], int((~np.isnan(outputs[code])).sum()), intervals[code],
            ranks[systems[code]],
        )
        for code in order
        if (mean := means[code]) is not None
    ]  # fmt: skip
    segments = {systems[code]: _as_list(outputs[code]) for code in order}
    return RatingSummary(protocol, tuple(rows), tuple(tests), segments, dict(annotators or {}))


def summarise_ratings(
    protocol: str, columns: ScoreColumns, options: RatingOptions, z_values: Floats | None = None
) -> RatingSummary:
    """Summarise the scores of people; ``z_values`` are the z-scores of the rows, if they have any."""
    z_scores = None if z_values is None else columns.average_outputs(z_values)
    outputs = columns.average_outputs(columns.value)
    annotators = describe_annotators(columns)
    return summarise_outputs(protocol, columns.systems, outputs, options, z_scores, annotators)


def to_document(summary: RatingSummary) -> dict[str, object]:
    """The JSON document of the command ``ratings``."""
    document: dict[str, object] = {
        "protocol": summary.protocol,
        "segments": summary.segments,
        "systems": {
            system.name: {
                "mean": system.mean,
                "z": system.z,
                "n": system.n,
                "ci": system.interval,
                "rank": [system.rank.best, system.rank.worst],
                "cluster": system.rank.cluster,
            }
            for system in summary.systems
        },
        "tests": [{"a": test.a, "b": test.b, "p": test.p} for test in summary.tests],
        "annotators": {
            name: {**asdict(scores), "quality_control": summary.quality.get(name)}
            for name, scores in summary.annotators.items()
        },
    }
    if summary.agreement:
        document["agreement"] = {group: asdict(row) for group, row in summary.agreement.items()}
    return document


def build_rating_tables(summary: RatingSummary) -> list[Table]:
    """Tables of systems, of tests, of annotators and of their agreement, as far as there is any."""
    systems = [
        (s.name, s.mean, *(s.interval or (None, None)), s.z, s.n, s.rank.best, s.rank.worst, s.rank.cluster)
        for s in summary.systems
    ]
    tests = [(test.a, test.b, test.p, test.p_one_sided) for test in summary.tests]
    annotators = [
        (name, s.n, s.mean, s.sd, *_get_quality(summary, name)) for name, s in summary.annotators.items()
    ]
    agreement = [(group, *asdict(row).values()) for group, row in summary.agreement.items()]
    columns = ("system", "mean", "low", "high", "z", "n", "best rank", "worst rank", "cluster")
    tables = [
        Table(f"Systems, {summary.protocol}", columns, tuple(systems)),
        Table("Wilcoxon’s tests", ("a", "b", "p", "p, one-sided"), tuple(tests)),
        Table("Annotators", ("annotator", "n", "mean", "sd", "quality p"), tuple(annotators)),
        Table("Agreement", ("group", "pairs", "τ_c", "Pearson", "character F1", "α_u"), tuple(agreement)),
    ]
    return [table for table in tables if table.rows]


def _get_quality(summary: RatingSummary, name: str) -> tuple[Cell]:
    return ((summary.quality.get(name) or {}).get("p"),)


def _as_list(row: Floats) -> list[float | None]:
    return [None if np.isnan(value) else value for value in row.tolist()]
