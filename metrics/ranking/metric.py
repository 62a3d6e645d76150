"""A trained ranker as a metric.

The score of an output is the expected share of the other outputs of the same source that it beats, ½ for a
single output. It is a comparison and not an absolute quality, so scores of different sets of systems must not
be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment, mean_or_none
from metrics.ranking.features import Extractor, absent_tool, feature_columns
from metrics.ranking.models import RankerModel, load_ranker
from metrics.ranking.pairs import preferences_of, win_shares
from metrics.ranking.toolbox import FeatureResources, open_tools
from metrics.registry import register
from metrics.tools.base import file_digest
from metrics.tools.cache import default_path

NEEDS = Needs(reference=False, source=True, resource="a trained ranker (train ranker)")


@register
@dataclass(frozen=True)
class RankerMetric:
    """A ranker from a model file; ``lm`` and ``lexicon`` replace the files that the model names."""

    name: ClassVar[str] = "ranker"
    title: ClassVar[str] = "reference-free ranker"
    needs: ClassVar[Needs] = NEEDS
    higher_is_better: ClassVar[bool] = True
    compares_systems: ClassVar[bool] = True

    model: str = ""
    lm: str = ""
    lexicon: str = ""
    parser: str = "auto"

    def __post_init__(self) -> None:
        if not self.model:
            raise MetricUnavailable(
                "ranker needs a model file (ranker:model=FILE); make one with `train ranker`"
            )

    @cached_property
    def trained(self) -> RankerModel:
        return load_ranker(Path(self.model))

    @property
    def signature(self) -> str:
        """Includes the digest of the file, because two rankers trained on the same data may differ."""
        about = self.trained.about
        tools = "+".join(f"{name}={tool}" for name, tool in sorted(about["tools"].items()))
        files = {"model": self.model, "lm": self.lm, "lexicon": self.lexicon}
        parts = (
            self.name,
            f"classifier:{self.trained.kind}",
            *(f"{name}:{file_digest(Path(path))}" for name, path in files.items() if path),
            *([f"parser:{self.parser}"] if self.parser != "auto" else []),
            f"data:{about['data'][:16]}",
            f"tools:{tools}",
            "v:1",
        )
        return "|".join(parts)

    def preferences(self, sources: Sequence[str], systems: Sequence[Sequence[str]]) -> list[FloatArray]:
        """For every source the matrix of p(i is better than j); ``systems[i][s]`` is output i of source s."""
        with open_tools(self.resources(), lambda message: None) as extractor:
            return self.preferences_by(extractor, sources, systems)

    def preferences_by(
        self, extractor: Extractor, sources: Sequence[str], systems: Sequence[Sequence[str]]
    ) -> list[FloatArray]:
        """The same with tools that are already open."""
        texts = [text for outputs in systems for text in outputs]
        rows = extractor.describe(sources, texts, [s for outputs in systems for s in range(len(outputs))])
        features = rows[:, feature_columns(self.trained.features)]
        by_source = features.reshape(len(systems), len(sources), -1).transpose(1, 0, 2)
        return preferences_of(list(by_source), self.trained.classifier)

    def resources(self) -> FeatureResources:
        """The resources that the features of the model need; no parser if it was trained without one."""
        about = self.trained.about
        had_parser = about["tools"].get("parser") != str(absent_tool("parser"))
        return FeatureResources(
            about["source_language"],
            about["target_language"],
            _find_resource(self.lm, about, "lm", self.model),
            _find_resource(self.lexicon, about, "lexicon", self.model),
            self.parser if had_parser or self.parser != "auto" else "none",
            cache=default_path(),
        ).for_features(self.trained.features)

    def score(self, segments: Sequence[Segment]) -> Scores:
        return self.score_many(
            [[each.hypothesis for each in segments]], [], [each.source or "" for each in segments], 1
        )[0]

    def score_many(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        workers: int,
    ) -> list[Scores]:
        """Scores of each system; needs the sources, ignores references."""
        if sources is None:
            raise MetricUnavailable(f"{self.name} cannot score here: it needs the source")
        matrices = self.preferences(sources, systems)
        shares = np.array([win_shares(matrix) for matrix in matrices]).reshape(len(sources), len(systems))
        return [Scores(column, mean_or_none(column), self.signature) for column in shares.T]


def _find_resource(name: str, about: object, kind: str, model: str) -> str:
    """The named file, or the one that the model names, at its path or beside the model."""
    path = name or (about.get(kind, "") if isinstance(about, dict) else "")
    beside = Path(model).parent / Path(path).name
    return path if not path or Path(path).is_file() else str(beside)
