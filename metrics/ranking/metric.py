"""A trained ranker as a judge among others: it orders the outputs of one source, and it can stand as a
metric.

As a ``Ranker`` it gives places, ties kept. As a metric its score for an output is the expected share of the
other outputs of the same source that it beats, ½ when it stands alone: a comparison, not an absolute
quality, so scores of different sets of systems must not be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from metrics.base import FloatArray, MetricUnavailable, Needs, Scores, Segment, mean_or_none
from metrics.linguistics.base import file_digest
from metrics.linguistics.cache import default_path
from metrics.ranking.data import RankedSet
from metrics.ranking.features import Extractor
from metrics.ranking.pairs import preferences_of, ranks, win_shares, wins
from metrics.ranking.store import RankerModel, load_ranker
from metrics.ranking.toolbox import Toolbox, Wanted
from metrics.registry import register, register_ranker

NEEDS = Needs(reference=False, source=True, resource="a trained ranker (train ranker)")


@dataclass(frozen=True)
class TrainedRanker:
    """A ranker from a model file; ``lm`` and ``lexicon`` replace the files that the model names."""

    model: str = ""
    lm: str = ""
    lexicon: str = ""
    parser: str = "auto"
    name: str = field(default="ranker", init=False)
    title: str = field(default="reference-free ranker", init=False)
    needs: Needs = field(default=NEEDS, init=False)
    higher_is_better: bool = field(default=True, init=False)

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
        """Includes the model's file: two rankers may have learned different things from the same data."""
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

    def rank(self, source: str, outputs: Sequence[str]) -> tuple[int, ...]:
        """Places of the outputs of one source by counting wins; 1 is best, equal wins are ties."""
        (matrix,) = self.preferences([source], [[text] for text in outputs])
        return ranks(wins(matrix))

    def preferences(self, sources: Sequence[str], systems: Sequence[Sequence[str]]) -> list[FloatArray]:
        """For every source the matrix of p(i is better than j); ``systems[i][s]`` is output i of source s."""
        with Toolbox(self.wanted(), lambda message: None) as extractor:
            return self.preferences_by(extractor, sources, systems)

    def preferences_by(
        self, extractor: Extractor, sources: Sequence[str], systems: Sequence[Sequence[str]]
    ) -> list[FloatArray]:
        """The same with tools that are open already."""
        from metrics.ranking.experiment import columns  # brings SciPy's statistics, slow to import

        ranked = _as_set(sources, systems)
        cells = np.arange(len(ranked.texts))
        features = extractor.extract(ranked, cells)[:, columns(self.trained.features)]
        by_source = features.reshape(len(systems), len(sources), -1).transpose(1, 0, 2)
        return preferences_of(list(by_source), self.trained.classifier)

    def wanted(self) -> Wanted:
        """The tools that make the model's features."""
        about = self.trained.about
        return Wanted(
            about["source_language"],
            about["target_language"],
            _named(self.lm, about, "lm", self.model),
            _named(self.lexicon, about, "lexicon", self.model),
            self.parser,
            cache=default_path(),
        ).for_features(self.trained.features)


@register_ranker
class Ranker(TrainedRanker):
    """Registered for pages and commands that want places."""

    name = "ranker"


@register
class RankerMetric(TrainedRanker):
    """Registered as a metric: expected share of wins."""

    name = "ranker"
    compares_systems: ClassVar[bool] = True

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
        """Scores of each system; needs the sources, never looks at references."""
        if sources is None:
            raise MetricUnavailable(f"{self.name} cannot score here: it needs the source")
        matrices = self.preferences(sources, systems)
        shares = np.array([win_shares(matrix) for matrix in matrices]).reshape(len(sources), len(systems))
        return [Scores(column, mean_or_none(column), self.signature) for column in shares.T]


def _as_set(sources: Sequence[str], systems: Sequence[Sequence[str]]) -> RankedSet:
    names = tuple(str(k) for k, outputs in enumerate(systems) for _ in outputs)
    texts = tuple(text for outputs in systems for text in outputs)
    of = tuple(s for outputs in systems for s in range(len(outputs)))
    return RankedSet(tuple(sources), tuple(map(str, range(len(sources)))), names, texts, of, ())


def _named(given: str, about: object, kind: str, model: str) -> str:
    """The file to use: what was given, else what the model names, there or beside the model."""
    path = given or (about.get(kind, "") if isinstance(about, dict) else "")
    beside = Path(model).parent / Path(path).name
    return path if not path or Path(path).is_file() else str(beside)
