"""The interface of automatic metrics, and their results.

A metric is a class with a name, a direction, a description of what it needs, and a method ``score``. Segment
statistics are separate from scores, because statistics add up and scores do not: corpus BLEU is a function of
summed counts, not a mean of sentence scores, and a bootstrap is one matrix product.

A metric that encodes the references once for several systems also has ``score_many`` (``ManySystemsMetric``).
Callers use the function ``score_systems``, which handles both kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from appraise.lib.digests import find_version
from appraise.lib.parallel import is_parallel, parallel_map

FloatArray = npt.NDArray[np.float64]


class MetricUnavailable(Exception):
    """A metric cannot score; the message is one sentence for the user."""


def explain_unavailable(check: Callable[[], object]) -> str | None:
    """Return why a metric is unavailable, in one sentence; None if the check succeeds."""
    try:
        check()
        return None
    except MetricUnavailable as error:
        return str(error)


@dataclass(frozen=True, slots=True)
class Segment:
    """One translation with its references and source."""

    hypothesis: str
    references: tuple[str, ...] = ()
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Needs:
    """What a metric requires; ``resource`` describes a tool, a model or a data set.

    >>> Needs(source=True).explain_missing(references=0, source=False)
    'it needs a reference and the source'
    """

    reference: bool = True
    source: bool = False
    resource: str | None = None

    def explain_missing(self, *, references: int, source: bool) -> str | None:
        """Return in words which texts are missing; None if the metric can score."""
        missing = ["a reference"] if self.reference and not references else []
        missing += ["the source"] if self.source and not source else []
        return f"it needs {' and '.join(missing)}" if missing else None


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """One score per segment, the score of the whole set, and the signature of both.

    ``corpus`` is None if there was nothing to score. ``statistics`` has one addable row per segment; the
    metric's ``from_statistics`` converts any sum of rows into a score.
    """

    segments: FloatArray
    corpus: float | None
    signature: str
    statistics: FloatArray | None = None


class Metric(Protocol):
    """The contract of a metric; ``metrics/laws.py`` has the laws that each keeps."""

    @property
    def name(self) -> str:
        """The name used by commands, files and pages, for instance ``chrf++``."""

    @property
    def title(self) -> str:
        """A short description for users."""

    @property
    def higher_is_better(self) -> bool: ...

    @property
    def needs(self) -> Needs: ...

    @property
    def signature(self) -> str:
        """Name, version and every parameter that can change a number."""

    def score(self, segments: Sequence[Segment]) -> Scores:
        """Score segments. Every score is finite, unless the class sets ``may_be_undefined = True``: then a
        segment that the metric cannot score is NaN, and statistics exclude and count it.
        """


def may_be_undefined(metric: Metric) -> bool:
    """Whether the metric declares that some segments may have no score."""
    return bool(getattr(metric, "may_be_undefined", False))


def depends_on_set(metric: Metric) -> bool:
    """Whether the metric declares that the score of a segment depends on the segments scored with it."""
    return bool(getattr(metric, "depends_on_set", False))


def compares_systems(metric: Metric) -> bool:
    """Whether the metric declares that the score of one system depends on the others."""
    return bool(getattr(metric, "compares_systems", False))


@runtime_checkable
class AddableMetric(Metric, Protocol):
    """A metric whose corpus score is a function of summed segment statistics."""

    def statistics(self, segments: Sequence[Segment]) -> FloatArray:
        """Return one row of k numbers per segment."""

    def from_statistics(self, summed: FloatArray) -> FloatArray:
        """Return the scores of sums of rows, over the last axis of an array of any shape; NaN if
        undefined."""


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
        """Score every system; ``references[r][i]`` is the r-th reference of segment i.

        A metric sets ``compares_systems = True`` if the score of one system depends on the others. They are
        then always scored together.
        """


def score_systems(
    metric: Metric,
    systems: Mapping[str, Sequence[str]],
    references: Sequence[Sequence[str]] = (),
    sources: Sequence[str] | None = None,
    *,
    workers: int = 1,
) -> dict[str, Scores]:
    """Score several systems on one test set; ``references[r][i]`` is the r-th reference of segment i.

    The result does not depend on ``workers``. Raises ``ValueError`` if the texts differ in length and
    ``MetricUnavailable`` if the metric needs texts that are missing.
    """
    _check_parallel(systems, references, sources)
    if missing := metric.needs.explain_missing(references=len(references), source=sources is not None):
        raise MetricUnavailable(f"{metric.name} cannot score here: {missing}")
    if len(systems) > 1 and not compares_systems(metric) and is_parallel():
        alone = partial(_score_alone, metric, references, sources, workers)
        return dict(zip(systems, parallel_map(alone, systems.values()), strict=True))
    if isinstance(metric, ManySystemsMetric):
        scores = metric.score_many(list(systems.values()), references, sources, workers)
        return dict(zip(systems, scores, strict=True))
    return {
        name: metric.score(make_segments(outputs, references, sources)) for name, outputs in systems.items()
    }


def _score_alone(
    metric: Metric,
    references: Sequence[Sequence[str]],
    sources: Sequence[str] | None,
    workers: int,
    outputs: Sequence[str],
) -> Scores:
    return score_systems(metric, {"": outputs}, references, sources, workers=workers)[""]


def make_segments(
    outputs: Sequence[str], references: Sequence[Sequence[str]] = (), sources: Sequence[str] | None = None
) -> list[Segment]:
    """Return parallel texts as segments.

    >>> make_segments(["a b"], [["a c"], ["a d"]])
    [Segment(hypothesis='a b', references=('a c', 'a d'), source=None)]
    """
    of_segment: Sequence[tuple[str, ...]] = list(zip(*references, strict=True)) or [()] * len(outputs)
    source_of: Sequence[str | None] = [None] * len(outputs) if sources is None else sources
    return [Segment(*parts) for parts in zip(outputs, of_segment, source_of, strict=True)]


def mean_or_none(values: FloatArray) -> float | None:
    """Return the mean, or None without data.

    >>> mean_or_none(np.array([1.0, 3.0])), mean_or_none(np.array([]))
    (2.0, None)
    """
    return float(values.mean()) if values.size else None


def find_versions(*packages: str) -> dict[str, str | None]:
    """Return the versions of the software that a result may depend on; None for a package that is absent.

    >>> find_versions("appraise", "no-such-package") == {"appraise": find_version(), "no-such-package": None}
    True
    """
    versions: dict[str, str | None] = {}
    for package in packages:
        try:  # a checkout has a version without being installed
            versions[package] = find_version() if package == "appraise" else version(package)
        except PackageNotFoundError:
            versions[package] = None
    return versions


def _check_parallel(
    systems: Mapping[str, Sequence[str]], references: Sequence[Sequence[str]], sources: Sequence[str] | None
) -> None:
    sizes = {f"system {name!r}": len(outputs) for name, outputs in systems.items()}
    sizes |= {f"reference {number}": len(texts) for number, texts in enumerate(references, 1)}
    if sources is not None:
        sizes["the source"] = len(sources)
    if len(set(sizes.values())) > 1:
        counts = ", ".join(f"{name} has {size}" for name, size in sizes.items())
        raise ValueError(f"texts of one test set must have the same number of segments: {counts}")
