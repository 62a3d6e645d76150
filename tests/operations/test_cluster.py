"""Work that is spread gives the same values; ``make cluster`` says so of a real Dask cluster."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config

from appraise.lib.parallel import is_parallel, parallel_map
from appraise.lib.problems import InputError
from metrics import registry
from metrics.base import score_systems
from metrics.learned import svm
from metrics.scoring.cluster import use_cluster
from tests.operations.cluster import halves

SYSTEMS = {"north": ["the cat sat", "a dog"], "south": ["cat the sat", "dogs"], "east": ["", "a dog ran"]}


def test_nothing_is_spread_where_no_engine_is() -> None:
    assert not is_parallel()
    with use_cluster({}):
        assert not is_parallel()


@pytest.mark.parametrize("name", ["bleu", "chrf", "nist", "wer"])
def test_systems_scored_apart_score_as_together(name: str) -> None:
    metric = registry.parse(name)
    together = score_systems(metric, SYSTEMS, [["the cat sat", "a dog barked"]])
    with parallel_config(backend="threading", n_jobs=2):
        assert is_parallel()
        apart = score_systems(metric, SYSTEMS, [["the cat sat", "a dog barked"]])
    assert list(apart) == list(together)
    for system, scores in together.items():
        assert apart[system].corpus == scores.corpus
        assert np.array_equal(apart[system].segments, scores.segments)


def test_a_metric_that_compares_systems_is_never_split() -> None:
    assert registry.parse("ranker:model=absent").compares_systems  # type: ignore[attr-defined] # not every metric


def test_a_grid_is_the_same_wherever_it_was_searched() -> None:
    axes = ((1.0, 10.0), (0.5, 1.0, 2.0))
    here = svm.search(*halves(), axes=axes)
    with parallel_config(backend="threading", n_jobs=2):
        there = svm.search(*halves(), axes=axes)
    assert here.points == there.points
    assert here.chosen == there.chosen


def test_pieces_come_back_in_order() -> None:
    with parallel_config(backend="threading", n_jobs=2):
        assert list(parallel_map(str, range(20))) == [str(number) for number in range(20)]


def test_an_address_that_is_none_is_refused_with_a_remedy() -> None:
    with pytest.raises(InputError, match="cluster_unusable"), use_cluster({"CLUSTER": "http://elsewhere"}):
        pass
