"""A saved model as a metric: ``model:path=FILE`` in commands, ``load`` in code.

The learners and scikit-learn are imported when a model is opened, not when metrics are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from appraise.lib.digests import bytes_digest, file_digest
from appraise.lib.problems import InputError
from metrics.base import Metric, MetricUnavailable, Needs, Scores, Segment, mean_or_none
from metrics.registry import register

if TYPE_CHECKING:
    from metrics.learned.models import LearnedModel


def load(path: str | Path) -> Metric:
    """Return the metric of a model file, with the name of the model; ``InputError`` if it cannot be used."""
    from metrics.learned import models

    digest = file_digest(Path(path)) if Path(path).is_file() else bytes_digest()
    return LearnedMetric(models.load(path), digest)


@dataclass(frozen=True, eq=False)
class LearnedMetric:
    """Applies a model to features; the score of a set is the mean of its segments."""

    model: LearnedModel
    digest: str
    higher_is_better: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def title(self) -> str:
        return f"learned {self.model.kind} over {len(self.model.names)} features"

    @property
    def needs(self) -> Needs:
        source = any(name.startswith("copied") for name in self.model.names)
        parser = any(name.startswith("parse-") for name in self.model.names)
        return Needs(source=source, resource="a constituency parser" if parser else None)

    @property
    def signature(self) -> str:
        return f"{self.name}|kind:{self.model.kind}|features:{len(self.model.names)}|model:{self.digest[:16]}"

    def score(self, segments: Sequence[Segment]) -> Scores:
        from metrics.learned import features

        if not segments:
            return Scores(np.empty(0), None, self.signature)
        values = self.model.values(features.compute(self.model.names, segments, self.model.preparation))
        return Scores(values, mean_or_none(values), self.signature)


@register
@dataclass(frozen=True)
class ModelFile:
    """A trained model by its file name: ``model:path=FILE``."""

    name: ClassVar[str] = "model"
    title: ClassVar[str] = "a trained model, model:path=FILE"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs(resource="a model file, made by manage.py train")

    path: str = ""

    def __post_init__(self) -> None:
        if not self.path:
            raise MetricUnavailable("model needs a trained model: write model:path=FILE")

    @property
    def signature(self) -> str:
        return self._load().signature

    def score(self, segments: Sequence[Segment]) -> Scores:
        return self._load().score(segments)

    def _load(self) -> Metric:
        try:
            return load(self.path)
        except InputError as error:
            raise MetricUnavailable(str(error)) from error
