"""A sound metric, and others that each break one law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from metrics.base import FloatArray, Needs, Scores, Segment, mean_or_none


@dataclass(frozen=True)
class LengthGap:
    """The difference of lengths, a sound metric."""

    name: ClassVar[str] = "length-gap"
    title: ClassVar[str] = "difference of lengths"
    higher_is_better: ClassVar[bool] = False
    needs: ClassVar[Needs] = Needs()

    scale: float = 1.0

    @property
    def signature(self) -> str:
        return f"{self.name}|scale:{self.scale}"

    def score(self, segments: Sequence[Segment]) -> Scores:
        values = self.scale * self.gaps(segments)
        return Scores(values, mean_or_none(values), self.signature)

    def gaps(self, segments: Sequence[Segment]) -> FloatArray:
        gaps = [min((abs(len(s.hypothesis) - len(r)) for r in s.references), default=0) for s in segments]
        return np.array(gaps, dtype=np.float64)


class Upwards(LengthGap):
    higher_is_better = True


class Positional(LengthGap):
    def gaps(self, segments: Sequence[Segment]) -> FloatArray:
        return super().gaps(segments) + np.arange(len(segments))


class Averaged(LengthGap):
    def gaps(self, segments: Sequence[Segment]) -> FloatArray:
        values = super().gaps(segments)
        return np.asarray(values + np.full(len(values), values.sum() / max(len(values), 1)))


class Zero(LengthGap):
    def score(self, segments: Sequence[Segment]) -> Scores:
        return Scores(self.gaps(segments), float(self.gaps(segments).sum()), self.signature)


class Undefined(LengthGap):
    def gaps(self, segments: Sequence[Segment]) -> FloatArray:
        with np.errstate(invalid="ignore"):
            lengths = np.array([float(len(segment.hypothesis)) for segment in segments])
            return np.asarray(super().gaps(segments) / lengths)


class Unsigned(LengthGap):
    signature = "length-gap"


class Growing(LengthGap):
    calls: ClassVar[list[int]] = []

    def gaps(self, segments: Sequence[Segment]) -> FloatArray:
        self.calls.append(1)
        return super().gaps(segments) + len(self.calls)


class Crashing(LengthGap):
    def gaps(self, segments: Sequence[Segment]) -> FloatArray:
        raise ZeroDivisionError("no reason")


BREACHES = {
    Upwards: "its_direction_is_what_it_says",
    Positional: "the_order_of_segments_does_not_matter",
    Averaged: "segments_may_differ_in_their_references",
    Zero: "no_segments_have_no_score",
    Undefined: "an_empty_output_has_a_score",
    Unsigned: "names_every_parameter_in_its_signature",
    Growing: "the_same_input_gives_the_same_output",
    Crashing: "scores_have_the_shape_of_the_contract",
}
