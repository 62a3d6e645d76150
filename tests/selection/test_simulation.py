"""Judging a campaign again: with made-up systems whose order is known, and on real judgements."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from evaluation.selection.simulation import Pool, boundaries, saving, votes_needed


def made_up(strengths: list[float], votes: int) -> Pool:
    random = np.random.default_rng(1)
    theta = np.array(strengths)
    first, second = np.array([random.choice(len(theta), 2, replace=False) for _ in range(votes)]).T
    won = random.random(votes) < 1 / (1 + np.exp(theta[second] - theta[first]))
    return Pool.of(first, second, np.where(random.random(votes) < 0.2, 0, np.where(won, 1, -1)))


def test_boundaries_are_those_of_clearly_different_systems() -> None:
    wins = np.array([[0, 400, 400], [100, 0, 260], [100, 240, 0]], dtype=np.float64)
    assert boundaries(wins, np.zeros((3, 3))) == {frozenset({0})}  # the other two cannot be told apart
    assert boundaries(wins / 400, np.zeros((3, 3))) == set()


def test_selection_needs_fewer_votes_where_two_of_many_systems_are_close() -> None:
    pool = made_up([3.0, 1.65, 1.35, 0.0, -1.5], 12000)
    needed = {
        selected: [
            votes_needed(pool, selected=selected, seed=seed, batch=100).votes[-1] or pool.votes
            for seed in range(8)
        ]
        for selected in (False, True)
    }
    found = saving(needed[False], needed[True])
    assert found.saved > 0.15
    assert found.selected < found.random


def test_every_order_finds_all_boundaries_in_the_end() -> None:
    pool = made_up([1.0, 0.0, -1.0], 600)
    assert sum(len(outcomes) for outcomes in pool.outcomes) == pool.votes == 600
    for selected in (False, True):
        assert None not in votes_needed(pool, selected=selected, seed=0).votes


def test_bad_options_are_refused() -> None:
    with pytest.raises(CommandError, match="at least 1"):
        call_command("simulate_selection", "--set", "nowhere", "--orders", "0")


@pytest.mark.realdata
def test_a_language_pair_of_wmt15(real_data: Path) -> None:
    out = StringIO()
    where = str(real_data / "rr_wmt15" / "fi-en")
    call_command("simulate_selection", "--set", where, "--orders", "1", "--batch", "1000", stdout=out)
    found = json.loads(out.getvalue())[where]
    assert found["systems"] == 14
    assert 0 < found["needed"]["0.5"]["selected"] <= found["votes"]
