"""The interface of every automatic metric, and what it returns.

A metric is one class with a name, a direction, a list of what it needs and one method, ``score``. Segment
statistics are kept apart from the score, because they add up and scores do not: corpus BLEU is a function
of summed counts, never a mean of sentence scores, and a bootstrap costs one matrix product.

A metric that is fast because it encodes the references once offers ``score_many`` as well
(``ManySystemsMetric``); callers always use the function ``score_systems``, which knows both kinds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from metrics.spreading import engine_is_there, spread

FloatArray = npt.NDArray[np.float64]


class MetricUnavailable(Exception):
    """A metric cannot score here; the message is one sentence that tells a person what to do."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One translation with what it may be compared with."""

    hypothesis: str
    references: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a metric cannot do without; ``resource`` names a tool, a model or a data set in words.

    >>> Needs(source=True).lacking(references=0, source=False)
    'it needs a reference and the source'
    """

    reference: bool = True
    source: bool = False
    resource: str | None = None

    def lacking(self, *, references: int, source: bool) -> str | None:
        """What is missing among the texts, in words, or ``None`` when the metric can score."""
        missing = ["a reference"] if self.reference and not references else []
        missing += ["the source"] if self.source and not source else []
        return f"it needs {' and '.join(missing)}" if missing else None


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """One score per segment, the score of the whole set, and how both were computed.

    ``corpus`` is ``None`` where there was nothing to score. ``statistics`` has one row per segment; rows add
    up, and the metric's ``from_statistics`` turns any sum of them into a score.
    """

    segments: FloatArray
    corpus: float | None
    signature: str
    statistics: FloatArray | None = None


class Metric(Protocol):
    """The contract; ``tests/metrics/test_laws.py`` holds every registered metric to it."""

    @property
    def name(self) -> str:
        """The name used by commands, files and pages, for instance ``chrf++``."""

    @property
    def title(self) -> str:
        """A few words for people."""

    @property
    def higher_is_better(self) -> bool: ...

    @property
    def needs(self) -> Needs: ...

    @property
    def signature(self) -> str:
        """Name, version and every parameter that can change a number."""

    def score(self, segments: Sequence[Segment]) -> Scores:
        """Every score is a finite number, unless the class says ``may_be_undefined = True``: then a segment
        that the metric cannot score is NaN, and readers of the scores leave it out and count it.
        """


def may_be_undefined(metric: Metric) -> bool:
    """Whether the metric declares that it cannot score some segments."""
    return bool(getattr(metric, "may_be_undefined", False))


def compares_systems(metric: Metric) -> bool:
    """Whether the metric declares that the score of one system depends on the others."""
    return bool(getattr(metric, "compares_systems", False))


@runtime_checkable
class AddableMetric(Metric, Protocol):
    """A metric whose corpus score is a function of summed segment statistics."""

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        """One row of k numbers per segment."""

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        """Scores of sums of rows; works on the last axis of an array of any shape, NaN where undefined."""


@runtime_checkable
class ManySystemsMetric(Metric, Protocol):
    """A metric that encodes the references once for all systems."""

    def score_many(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        workers: int,
    ) -> list[Scores]:
        """Scores of each system; ``references[r][i]`` is the r-th reference of segment i.

        Where the score of one system depends on the others, ``compares_systems = True`` says so: then they
        are never scored apart.
        """


class Ranker(Protocol):
    """Orders the outputs of one source without a reference."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def needs(self) -> Needs: ...

    @property
    def signature(self) -> str: ...

    def rank(self, source: str, outputs: Sequence[str]) -> tuple[int, ...]:
        """Ranks of the outputs: 1 is best, equal ranks are ties."""


def score_systems(
    metric: Metric,
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]] = (),
    sources: Sequence[str] | None = None,
    *,
    workers: int = 1,
) -> dict[str, Scores]:
    """Score several systems on one test set; ``references[r][i]`` is the r-th reference of segment i.

    The result does not depend on ``workers``. Raises ``ValueError`` when the texts differ in length and
    ``MetricUnavailable`` when the metric needs texts that are not given.
    """
    _check_parallel(systems, references, sources)
    if lacking := metric.needs.lacking(references=len(references), source=sources is not None):
        raise MetricUnavailable(f"{metric.name} cannot score here: {lacking}")
    if len(systems) > 1 and not compares_systems(metric) and engine_is_there():
        alone = partial(_score_alone, metric, references, sources, workers)
        return dict(zip(systems, spread(alone, systems.values()), strict=True))
    if isinstance(metric, ManySystemsMetric):
        scores = metric.score_many(list(systems.values()), references, sources, workers)
        return dict(zip(systems, scores, strict=True))
    return {
        name: metric.score(segments_of(outputs, references, sources)) for name, outputs in systems.items()
    }


def _score_alone(
    metric: Metric,
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    workers: int,
    outputs: Sequence[str],
) -> Scores:
    return score_systems(metric, {"": outputs}, references, sources, workers=workers)[""]


def segments_of(
    outputs: Sequence[str], references: Sequence[Sequence[str]] = (), sources: Sequence[str] | None = None
) -> list[Segment]:
    """Put parallel texts together, segment by segment.

    >>> segments_of(["a b"], [["a c"], ["a d"]])
    [Segment(hypothesis='a b', references=('a c', 'a d'), source=None)]
    """
    of_segment: Sequence[tuple[str, ...]] = list(zip(*references, strict=True)) or [()] * len(outputs)
    given: Sequence[str | None] = [None] * len(outputs) if sources is None else sources
    return [Segment(*parts) for parts in zip(outputs, of_segment, given, strict=True)]


def mean_or_none(values: FloatArray) -> float | None:
    """The mean, or ``None`` without data.

    >>> mean_or_none(np.array([1.0, 3.0])), mean_or_none(np.array([]))
    (2.0, None)
    """
    return float(values.mean()) if values.size else None


def _check_parallel(
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
) -> None:
    sizes = {f"system {name!r}": len(outputs) for name, outputs in systems.items()}
    sizes |= {f"reference {number}": len(texts) for number, texts in enumerate(references, 1)}
    if sources is not None:
        sizes["the source"] = len(sources)
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"texts of one test set must have equally many segments: {found}")
