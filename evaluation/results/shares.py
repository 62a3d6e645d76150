"""Expected wins of every system with intervals, from resamples of whole sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import Interval, percentile_interval, resample_totals
from evaluation.agreement.coefficients import none_if_nan
from evaluation.results.systems import expected_wins
from evaluation.results.votes import Votes


@dataclass(frozen=True, slots=True)
class WinShare:
    """The mean over opponents of the share of decided votes that a system won; None without any."""

    system: str
    share: float | None
    interval: Interval | None


def compute_win_shares(votes: Votes, *, resamples: int = 1000, seed: int = 1) -> tuple[WinShare, ...]:
    """Return the expected wins of the systems that have votes, in the order of their names.

    >>> from evaluation.results import PhraseRanking
    >>> votes = Votes.from_rankings([PhraseRanking(["x"], ["y"], 1, "s1", "ann")])
    >>> [(line.system, line.share) for line in compute_win_shares(votes)]
    [('x', 1.0), ('y', 0.0)]
    """
    size = len(votes.system_names)
    shares = expected_wins(votes.wins.astype(np.float64))
    totals = resample_totals(votes.columns, resamples, seed)
    resampled = np.zeros((0, size))
    if totals is not None:
        # The normal approximation of many sentences may sample small negative counts.
        tables = np.maximum(totals.T.reshape(-1, 2, size, size)[:, 0], 0)
        resampled = expected_wins(tables)
    has_votes = np.isin(np.arange(size), np.concatenate([votes.first, votes.second]))
    return tuple(
        WinShare(name, none_if_nan(shares[n]), percentile_interval(resampled[:, n]))
        for n, name in enumerate(votes.system_names)
        if has_votes[n]
    )
