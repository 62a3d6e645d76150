"""Systems that left out segments, and segments with different references, are scored as far as they go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest

from metrics import registry
from metrics.base import MetricUnavailable, Needs, Scores, Segment, score_systems
from metrics.metaeval.datasets import Dataset, DatasetCell, Text
from metrics.metaeval.scoring import SegmentContext, score_dataset, score_layers, score_uneven
from metrics.scoring.task_texts import ItemText, OutputText, TaskTexts, score_outputs


class Longest:
    """Compares systems: the share of the others whose output is shorter, ½ for one that stands alone."""

    name: ClassVar[str] = "longest"
    title: ClassVar[str] = "toy"
    higher_is_better: ClassVar[bool] = True
    needs: ClassVar[Needs] = Needs(reference=False, source=True)
    signature: ClassVar[str] = "longest|v:1"
    compares_systems: ClassVar[bool] = True

    def score(self, segments: Sequence[Segment]) -> Scores:
        return self.score_many([[one.hypothesis for one in segments]], [], None, 1)[0]

    def score_many(
        self,
        systems: Sequence[Sequence[str]],
        references: Sequence[Sequence[str]],
        sources: Sequence[str] | None,
        workers: int,
    ) -> list[Scores]:
        sizes = np.array([[len(text) for text in mine] for mine in systems], float)
        beaten = (sizes[:, None] > sizes[None]).sum(axis=1)
        shares = beaten / (len(sizes) - 1) if len(sizes) > 1 else np.full(sizes.shape, 0.5)
        return [Scores(row, float(row.mean()), self.signature) for row in shares]


OUTPUTS = {"a": {1: "aaa", 2: "aaa"}, "b": {2: "b", 3: "b"}, "c": {1: "cc", 2: "cc", 3: "cc"}}
TEXTS = {number: SegmentContext(("r",) * (number - 1), "s") for number in (1, 2, 3)}


def test_a_metric_that_compares_systems_sees_all_that_translated_a_segment() -> None:
    found = score_uneven(Longest(), OUTPUTS, TEXTS)
    assert {name: one.segments.tolist() for name, one in found.items()} == {
        "a": [1.0, 1.0],
        "b": [0.0, 0.0],
        "c": [0.0, 0.5, 1.0],
    }
    assert found["c"].corpus == 0.5


def test_it_sees_all_systems_where_segments_have_different_references() -> None:
    layers = {"long": ["xx", "xx"], "short": ["x", "x"]}
    found = score_layers(Longest(), layers, [TEXTS[1], TEXTS[3]])
    assert {name: one.segments.tolist() for name, one in found.items()} == {"long": [1, 1], "short": [0, 0]}


def test_tasks_and_judged_sets_are_scored_alike() -> None:
    tests = TaskTexts(
        {number: ItemText(str(number), "s", TEXTS[number].references) for number in TEXTS},
        {
            name: {number: OutputText(10 * place + number, text) for number, text in mine.items()}
            for place, (name, mine) in enumerate(OUTPUTS.items())
        },
    )
    dataset = Dataset(
        {str(number): Text("s", TEXTS[number].references) for number in TEXTS},
        tuple(
            DatasetCell(name, str(number), text)
            for name, mine in OUTPUTS.items()
            for number, text in mine.items()
        ),
    )
    scored = score_outputs(Longest(), tests)
    assert list(scored.outputs.values()) == score_dataset(Longest(), dataset).cells.tolist()
    assert scored.systems == score_dataset(Longest(), dataset).systems == {"a": 1.0, "b": 0.0, "c": 0.5}


def test_other_metrics_score_each_system_on_what_it_translated() -> None:
    chrf, texts = registry.get("chrf"), {number: SegmentContext(("aab",), None) for number in TEXTS}
    found = score_uneven(chrf, OUTPUTS, texts)
    for name, mine in OUTPUTS.items():
        alone = score_systems(chrf, {name: list(mine.values())}, [["aab"] * len(mine)])[name]
        assert found[name].segments.tolist() == alone.segments.tolist()
        assert found[name].corpus == alone.corpus


def test_a_segment_without_a_reference_is_told() -> None:
    with pytest.raises(MetricUnavailable, match="it needs a reference for every segment"):
        score_layers(registry.get("chrf"), {"a": ["x", "y"]}, [TEXTS[1], TEXTS[2]])
