"""The values that readers return and writers take: rated outputs, their texts, published scores.

Offsets count code points from 0, ends are exclusive. Segments count from 0 in the order of the source text.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple


class SpanSide(StrEnum):
    """The text in which an error is marked."""

    TARGET = "target"
    SOURCE = "source"


@dataclass(frozen=True, slots=True)
class MarkedSpan:
    """An error that a person marked; an omission has no offsets.

    ``weight`` is the weight that a file states, if it states one; an analysis names the weighting that it
    uses (``weights``).

    >>> MarkedSpan("major", "accuracy/omission").is_omission
    True
    """

    severity: str
    category: str = ""
    start: int | None = None
    end: int | None = None
    side: SpanSide = SpanSide.TARGET
    weight: float | None = None

    def __post_init__(self) -> None:
        if (self.start is None) != (self.end is None):
            raise ValueError("a span has both offsets or none")
        if self.start is not None and self.end is not None and not 0 <= self.start <= self.end:
            raise ValueError(f"a span cannot go from {self.start} to {self.end}")

    @property
    def is_omission(self) -> bool:
        """Whether the error has no place in a text."""
        return self.start is None


@dataclass(frozen=True, slots=True)
class OutputRating:
    """What one person said about one output: a score, error spans, or both; no spans means no errors."""

    annotator: str
    system: str
    segment: int
    score: float | None = None
    spans: tuple[MarkedSpan, ...] = ()


class DocumentLabel(NamedTuple):
    """The document of a segment, and the domain of the document."""

    domain: str
    document: str


@dataclass(frozen=True, slots=True)
class ParallelTexts:
    """The texts of one language pair: line i of every text belongs to segment i.

    A reference that was rated as a system is also among ``outputs``.
    """

    language_pair: str
    sources: tuple[str, ...]
    outputs: dict[str, tuple[str, ...]]
    references: dict[str, tuple[str, ...]] = field(default_factory=dict)
    documents: tuple[DocumentLabel, ...] = ()

    def __len__(self) -> int:
        return len(self.sources)

    @property
    def systems(self) -> tuple[str, ...]:
        """The outputs that are no references."""
        return tuple(name for name in self.outputs if name not in self.references)

    @property
    def source_language(self) -> str:
        return self.language_pair.partition("-")[0]

    @property
    def target_language(self) -> str:
        return self.language_pair.partition("-")[2]


class ScoreLevel(StrEnum):
    """What one published score is about, as file names have it."""

    SEGMENT = "seg"
    DOCUMENT = "doc"
    DOMAIN = "domain"
    SYSTEM = "sys"


@dataclass(frozen=True, slots=True)
class PublishedScores:
    """Scores without a person behind them: human means or those of a metric, None where there is none.

    ``values[system][i]`` is the score of segment i, or of the document or domain ``groups[i]``; at the level
    of systems there is one. A metric has the name of its ``reference``, ``src`` if it uses none; human scores
    have none.
    """

    name: str
    level: ScoreLevel
    values: dict[str, tuple[float | None, ...]]
    groups: tuple[str, ...] = ()
    reference: str = ""

    @property
    def full_name(self) -> str:
        """The name with the reference, as in a file name.

        >>> PublishedScores("COMET", ScoreLevel.SYSTEM, {}, reference="refA").full_name
        'COMET-refA'
        """
        return f"{self.name}-{self.reference}" if self.reference else self.name
