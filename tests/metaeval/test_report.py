"""Scores over cells, whole systems, and the evaluation of one metric on one set."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from metrics.base import MetricUnavailable, Scores, Segment
from metrics.metaeval import datasets
from metrics.metaeval.datasets import Comparisons, Dataset, DatasetCell, Ratings, Text
from metrics.metaeval.evaluation import compare, evaluate, human_judgements, pairs_of
from metrics.metaeval.kendall import TieRule
from metrics.metaeval.scoring import CellScores, score_dataset
from metrics.metaeval.systems import drop_references, human_by_system, system_level
from tests.metaeval import samples
from tests.metaeval.samples import Errors, Overlap


@pytest.fixture
def dataset(tmp_path: Path) -> Dataset:
    samples.write(tmp_path, segments=samples.SEGMENTS, outputs=samples.OUTPUTS)
    return datasets.read_dataset(tmp_path / "x.segments.tsv", tmp_path / "x.outputs.tsv")


@pytest.fixture
def pairs(tmp_path: Path, dataset: Dataset) -> Comparisons:
    samples.write(tmp_path, pairs=samples.PAIRS)
    return datasets.read_pairs(tmp_path / "x.pairs.tsv", dataset)


def test_a_metric_of_errors_scores_like_its_opposite(dataset: Dataset) -> None:
    good, bad = score_dataset(Overlap(), dataset), score_dataset(Errors(), dataset)
    np.testing.assert_allclose(good.cells, bad.cells + 1)
    assert good.systems == pytest.approx({name: value + 1 for name, value in bad.systems.items()})


def test_systems_with_holes_are_scored_like_whole_ones(dataset: Dataset) -> None:
    whole = score_dataset(Overlap(), dataset)
    holes = Dataset(dataset.texts, dataset.cells[1:], dataset.reference_names)
    np.testing.assert_allclose(score_dataset(Overlap(), holes).cells, whole.cells[1:])


def test_segments_may_have_different_numbers_of_references() -> None:
    texts = {"1": Text("s", ("a b", "c d")), "2": Text("s", ("a b",))}
    dataset = Dataset(texts, (DatasetCell("x", "1", "c d"), DatasetCell("x", "2", "c d")))
    assert score_dataset(Overlap(), dataset).cells.tolist() == [1, 0]
    nothing = Dataset({**texts, "2": Text("s", ())}, dataset.cells)
    with pytest.raises(MetricUnavailable, match="a reference for every segment"):
        score_dataset(Overlap(), nothing)


def test_a_metric_that_returns_no_number_is_refused(dataset: Dataset) -> None:
    class Broken(Overlap):
        def score(self, segments: Sequence[Segment]) -> Scores:
            return Scores(np.full(len(segments), np.nan), None, "broken")

    with pytest.raises(ValueError, match="6 scores that are not numbers"):
        score_dataset(Broken(), dataset)


def test_translations_without_a_score_are_left_out_and_counted(dataset: Dataset, pairs: Comparisons) -> None:
    class Partly(Overlap):
        may_be_undefined = True

        def score(self, segments: Sequence[Segment]) -> Scores:
            found = super().score(segments)
            values = np.where([each.hypothesis == silent for each in segments], np.nan, found.segments)
            return Scores(values, found.corpus, found.signature)

    silent = dataset.cells[0].translation
    partly, whole = score_dataset(Partly(), dataset), score_dataset(Overlap(), dataset)
    human = human_judgements(dataset, pairs)
    result, full = (evaluate(scores, human, TieRule.WMT14) for scores in (partly, whole))
    lost = sum(0 in pair for pair in zip(pairs.better, pairs.worse, strict=True))
    assert partly.undefined == 1
    assert lost > 0
    told = result.as_json()
    assert (told["undefined"], told["pairs_left_out"]) == (1, lost)
    assert told["pairs"] == len(pairs.better) - lost
    assert result.items == full.items - 1
    assert "undefined" not in full.as_json()
    # The other metric is tested on the same part: against itself there is no difference.
    (test,) = compare([(result, partly.cells, full, whole.cells)], human, resamples=99, seed=1)
    assert test["tau_p"] == 1


def test_only_nan_may_stand_for_no_score(dataset: Dataset) -> None:
    class Endless(Overlap):
        may_be_undefined = True

        def score(self, segments: Sequence[Segment]) -> Scores:
            return Scores(np.full(len(segments), np.inf), None, "endless")

    with pytest.raises(ValueError, match="6 scores that are not numbers"):
        score_dataset(Endless(), dataset)


def test_the_figures_of_a_small_set_by_hand(dataset: Dataset, pairs: Comparisons) -> None:
    scores = score_dataset(Overlap(), dataset)
    result = evaluate(scores, human_judgements(dataset, pairs), TieRule.DROP)
    # α 1, 1; β 2/3, 1/3; γ 0, 2/3: four of the five verdicts are right
    assert result.as_json() | {"tau_ci": None, "pearson_ci": None} == {
        "signature": "overlap|v:1",
        "tau": pytest.approx(3 / 5),
        "tau_ci": None,
        "pairs": 5,
        "system_rho": pytest.approx(1.0),
        "systems": 3,
        "pearson": pytest.approx(
            stats.pearsonr([1, 1, 2 / 3, 1 / 3, 0, 2 / 3], [1, 1, 1 / 2, 1, 0, 0]).statistic
        ),
        "pearson_ci": None,
        "spearman": pytest.approx(
            stats.spearmanr([1, 1, 2 / 3, 1 / 3, 0, 2 / 3], [1, 1, 1 / 2, 1, 0, 0]).statistic
        ),
    }


def test_nothing_judged_gives_no_figure(dataset: Dataset) -> None:
    empty = np.empty(0, dtype=np.int64)
    scores = score_dataset(Overlap(), dataset)
    for human in (Comparisons(empty, empty, empty.reshape(0, 2)), Ratings(empty, np.empty(0))):
        result = evaluate(scores, human_judgements(dataset, human), TieRule.WMT14)
        figures = result.as_json()
        assert (figures.pop("pairs"), figures.pop("systems")) == (0, 0)
        assert figures.pop("signature") == "overlap|v:1"
        assert set(figures.values()) == {None}


def test_pairs_of_scores_stay_within_a_segment() -> None:
    ratings = Ratings(np.array([0, 1, 2, 3]), np.array([1.0, 2.0, 2.0, 9.0]))
    human = pairs_of(ratings, np.array([0, 0, 0, 1]))
    assert human.better.tolist() == [1, 2]
    assert human.worse.tolist() == [0, 0]
    assert human.tied.tolist() == [[1, 2]]


def test_several_ratings_of_one_cell_count_as_their_mean(dataset: Dataset) -> None:
    twice = Ratings(np.array([0, 0, 2]), np.array([0.0, 1.0, 0.2]))
    assert human_judgements(dataset, twice).ratings.values.tolist() == [0.5, 0.2]


def test_the_human_score_of_a_system_is_its_share_of_wins_or_its_mean(
    dataset: Dataset, pairs: Comparisons
) -> None:
    systems = dataset.systems()
    assert human_by_system(pairs, systems) == {"alpha": 1.0, "beta": 2 / 3, "gamma": 0.0}
    ratings = Ratings(np.array([0, 1, 2]), np.array([1.0, 3.0, 5.0]))
    assert human_by_system(ratings, systems) == {"alpha": 2.0, "beta": 5.0}


def test_systems_without_both_scores_do_not_take_part() -> None:
    level = system_level({"a": 1.0, "b": 2.0, "c": 0.0}, {"a": 0.1, "b": 0.2, "d": 0.3})
    assert (level.systems, level.rho, level.accuracy) == (2, 1.0, 1.0)
    alone = system_level({"a": 1.0}, {"a": 1.0})
    assert (alone.rho, alone.accuracy) == (None, None)


def test_tests_between_metrics_are_corrected_together() -> None:
    rng = np.random.default_rng(1)
    quality = rng.normal(size=600)
    segments = np.repeat(np.arange(200), 3)
    texts = {str(number): Text("s", ("r",)) for number in range(200)}
    dataset = Dataset(texts, tuple(DatasetCell("abc"[i % 3], str(i // 3), "x") for i in range(600)))
    human = human_judgements(dataset, Ratings(np.arange(600), quality))
    assert human.segments.tolist() == segments.tolist()
    cells = [quality + noise * rng.normal(size=600) for noise in (0.5, 3, 3)]
    results = [evaluate(CellScores(c, {}, "m"), human, TieRule.WMT14, resamples=0) for c in cells]
    contests = [(results[i], cells[i], results[j], cells[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    clear, _, same = compare(contests, human, resamples=999, seed=1)
    assert clear["tau_p"] == pytest.approx(0.001)
    assert clear["tau_p_holm"] == pytest.approx(0.003)
    assert clear["pearson_p_holm"] is not None
    assert clear["pearson_p_holm"] < 0.001
    assert same["pearson_p"] is not None
    assert same["pearson_p"] > 0.05


def test_references_that_take_part_as_systems_are_left_out() -> None:
    texts = {"1": Text("s", ("r",))}
    cells = tuple(DatasetCell(name, "1", "x") for name in ("mt1", "ref-A", "mt2"))
    dataset = Dataset(texts, cells, ("refA",))
    ratings, people = drop_references(Ratings(np.arange(3), np.arange(3.0)), dataset)
    assert people == ("ref-A",)
    assert isinstance(ratings, Ratings)
    assert ratings.cells.tolist() == [0, 2]
    pairs = Comparisons(np.array([0, 0]), np.array([1, 2]), np.array([[0, 1], [0, 2]]))
    kept, _ = drop_references(pairs, dataset)
    assert isinstance(kept, Comparisons)
    assert (kept.better.tolist(), kept.worse.tolist(), kept.tied.tolist()) == ([0], [2], [[0, 2]])
