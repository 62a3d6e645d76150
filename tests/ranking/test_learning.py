"""ReliefF, LOESS, pairs, wins and classifiers: oracles, laws, missing values."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st
from skrebate import ReliefF

from metrics.ranking.classifiers import CLASSIFIERS, NaiveBayes, fit_curve, loess
from metrics.ranking.data import list_decided
from metrics.ranking.pairs import make_examples, preferences_of, soft_wins, wins
from metrics.ranking.relieff import relieff

RANKINGS = st.lists(st.integers(1, 5), min_size=1, max_size=6)


def planted(n: int = 300, missing: float = 0.0, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features of which the third and, less, the sixth decide the class."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 8))
    y = (x[:, 2] + 0.5 * x[:, 5] + rng.normal(size=n) > 0).astype(int)
    x[rng.random(x.shape) < missing] = np.nan
    return x, y


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("neighbours", [1, 10, 50])
def test_relieff_equals_skrebate(missing: float, neighbours: int) -> None:
    x, y = planted(120, missing)
    theirs = ReliefF(n_neighbors=neighbours).fit(x, y).feature_importances_
    assert relieff(x, y, neighbours) == pytest.approx(theirs, abs=1e-12)


def test_relieff_finds_the_planted_features() -> None:
    weights = relieff(*planted(400), neighbours=20)
    assert np.argsort(-weights)[:2].tolist() == [2, 5]


def test_relieff_of_three_classes_weights_misses_by_class() -> None:
    x = np.array([[0.0], [0.1], [1.0], [1.1], [2.0], [2.1]])
    assert relieff(x, np.array([0, 0, 1, 1, 2, 2]), 1)[0] > 0.4


def test_a_constant_or_absent_feature_tells_nothing() -> None:
    x, y = planted(60)
    x[:, 0], x[:, 1] = 7.0, np.nan
    weights = relieff(x, y, 5)
    assert weights[0] == 0
    assert weights[1] == 0


def test_one_class_cannot_be_told_apart() -> None:
    with pytest.raises(ValueError, match="two classes or more, got 1"):
        relieff(np.zeros((3, 1)), np.zeros(3))


@given(st.integers(0, 10_000), st.sampled_from([0.2, 0.4, 0.9]))
def test_loess_equals_statsmodels(seed: int, span: float) -> None:
    rng = np.random.default_rng(seed)
    x = np.round(rng.normal(size=80), 3)
    y = np.sin(2 * x) + rng.normal(size=80)
    at = np.quantile(x, [0.1, 0.4, 0.5, 0.9])
    theirs = sm.nonparametric.lowess(y, x, frac=span, it=0, xvals=at)
    assert loess(x, y, at, span=span) == pytest.approx(theirs, abs=1e-6)


def test_a_loess_curve_of_a_line_is_the_line_and_is_flat_outside() -> None:
    x = np.linspace(0, 1, 30)
    line = fit_curve(x, 3 * x - 1)
    assert line(np.array([0.25, 0.75])) == pytest.approx([-0.25, 1.25])
    assert line(np.array([-5.0, 5.0])) == pytest.approx([-1.0, 2.0])
    assert np.isnan(line(np.array([np.nan]))).all()


def test_a_loess_curve_over_few_different_values_is_their_means() -> None:
    x = np.repeat([0.0, 1.0], 50)
    y = np.concatenate([np.zeros(50), np.tile([0.0, 1.0], 25)])
    assert fit_curve(x, y, span=0.3)(np.array([0.0, 1.0])) == pytest.approx([0.0, 0.5])


def test_loess_refuses_impossible_requests() -> None:
    with pytest.raises(ValueError, match=r"got 1\.5"):
        loess(np.zeros(2), np.zeros(2), np.zeros(1), span=1.5)
    with pytest.raises(ValueError, match="at least one example"):
        fit_curve(np.array([np.nan]), np.array([1.0]))


@given(RANKINGS)
def test_n_outputs_give_every_ordered_pair_that_is_no_tie(given_ranks: list[int]) -> None:
    ranked = list(enumerate(given_ranks))
    expected = {(i, j) for i, j in permutations(range(len(ranked)), 2) if given_ranks[i] < given_ranks[j]}
    assert set(list_decided(ranked)) == expected


@given(RANKINGS)
def test_examples_come_in_both_directions_and_balance(given_ranks: list[int]) -> None:
    features = np.arange(len(given_ranks), dtype=float)[:, None]
    pairs = list_decided(list(enumerate(given_ranks)))
    both = make_examples(features, [i for i, _ in pairs], [j for _, j in pairs])
    assert len(both.won) == 2 * len(pairs)
    assert both.won.sum() == len(pairs)
    assert both.differences.sum() == 0


def test_five_outputs_without_ties_give_twenty_examples() -> None:
    pairs = list_decided([(row, rank) for row, rank in enumerate((3, 1, 2, 5, 4))])
    both = make_examples(np.zeros((5, 1)), [i for i, _ in pairs], [j for _, j in pairs])
    assert len(both.won) == 5 * 4


def ranks(scores: np.ndarray) -> tuple[int, ...]:
    """Places from scores, 1 is best; equal scores share a place."""
    return tuple(int(np.count_nonzero(scores > score)) + 1 for score in scores)


class Knows:
    """A classifier that prefers the larger difference of its only feature."""

    def probability(self, pairs: np.ndarray) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-pairs[:, 0])))


@given(RANKINGS)
def test_a_classifier_that_knows_gives_the_ranking_back_ties_included(given_ranks: list[int]) -> None:
    features = -np.array(given_ranks, float)[:, None]
    (matrix,) = preferences_of([features], Knows())
    expected = tuple(sum(other < mine for other in given_ranks) + 1 for mine in given_ranks)
    assert ranks(wins(matrix)) == expected
    assert ranks(np.round(soft_wins(matrix), 9)) == expected


def test_a_circle_of_preferences_is_a_tie_of_three() -> None:
    matrix = np.array([[0.5, 0.9, 0.2], [0.1, 0.5, 0.7], [0.8, 0.3, 0.5]])
    assert ranks(wins(matrix)) == (1, 1, 1)


def test_a_lone_output_is_first() -> None:
    assert ranks(wins(preferences_of([np.zeros((1, 2))], Knows())[0])) == (1,)


@pytest.mark.parametrize("kind", sorted(CLASSIFIERS))
def test_every_classifier_learns_and_swapping_the_outputs_swaps_the_verdict(kind: str) -> None:
    rng = np.random.default_rng(1)
    quality = rng.normal(size=300)
    features = np.column_stack([quality + rng.normal(size=300) * 0.3, rng.normal(size=300)])
    features[rng.random(features.shape) < 0.1] = np.nan
    i, j = rng.integers(0, 300, (2, 800))
    better, worse = np.where(quality[i] > quality[j], i, j), np.where(quality[i] > quality[j], j, i)
    both = make_examples(features, better.tolist(), worse.tolist())
    (matrix,) = preferences_of([features[:40]], CLASSIFIERS[kind](both.differences, both.won))
    assert np.allclose(matrix + matrix.T, 1)
    known = ~np.isnan(features[:40, 0])
    right = (matrix > 0.5) == (quality[:40, None] > quality[None, :40])
    off = known[:, None] & known[None, :] & ~np.eye(40, dtype=bool)
    assert right[off].mean() > 0.8


@pytest.mark.parametrize("kind", sorted(CLASSIFIERS))
def test_outputs_about_which_nothing_is_known_tie(kind: str) -> None:
    rng = np.random.default_rng(2)
    pairs = rng.normal(size=(200, 2))
    won = (pairs[:, 0] > 0).astype(float)
    both = np.concatenate([pairs, -pairs])
    classifier = CLASSIFIERS[kind](both, np.concatenate([won, 1 - won]))
    (matrix,) = preferences_of([np.full((3, 2), np.nan)], classifier)
    assert np.allclose(matrix, 0.5)


def test_naive_bayes_multiplies_what_its_features_say() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(2000, 2))
    won = (rng.random(2000) < 1 / (1 + np.exp(-2 * x.sum(axis=1)))).astype(float)
    bayes = NaiveBayes.fit(x, won)
    one = bayes.probability(np.array([[1.0, np.nan]]))[0]
    two = bayes.probability(np.array([[1.0, 1.0]]))[0]
    prior = bayes.probability(np.array([[np.nan, np.nan]]))[0]
    assert prior == pytest.approx(won.mean())
    assert prior < one < two


def test_a_feature_that_is_never_there_takes_no_part() -> None:
    pairs = np.column_stack([np.linspace(-1, 1, 50), np.full(50, np.nan)])
    won = (pairs[:, 0] > 0).astype(float)
    for train in CLASSIFIERS.values():
        assert np.isfinite(train(pairs, won).probability(pairs)).all()
