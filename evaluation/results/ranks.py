"""Ranks that admit their uncertainty: rank ranges over resampled sentences, and clusters from them.

As at WMT (Bojar et al. 2013, section 3): two neighbours belong to different clusters only where no
rank range of the better ones touches a rank range of the worse ones.
"""

from __future__ import annotations

import numpy as np

from evaluation.agreement.judgements import Floats

Range = tuple[int, int]


def rank_ranges(strengths: Floats, level: float = 0.95) -> list[Range]:
    """Best and worst plausible rank of each system from resamples × systems; equal strength shares ranks.

    >>> rank_ranges(np.array([[3.0, 1.0, 1.0]] * 20))
    [(1, 1), (2, 3), (2, 3)]
    """
    best, worst = ranks(strengths)
    low = np.quantile(best, (1 - level) / 2, axis=0, method="inverted_cdf")
    high = np.quantile(worst, (1 + level) / 2, axis=0, method="inverted_cdf")
    return [(int(a), int(b)) for a, b in zip(low, high, strict=True)]


def ranks(strengths: Floats) -> tuple[Floats, Floats]:
    """Best and worst rank of each system where equal ones could stand in any order."""
    above = strengths[..., None, :] - strengths[..., :, None]
    near = 1e-9
    return 1 + (above > near).sum(axis=-1), strengths.shape[-1] - (above < -near).sum(axis=-1)


def clusters(ranges: list[Range]) -> list[int]:
    """The cluster of each system, 1 first.

    >>> clusters([(1, 2), (3, 4), (1, 2), (3, 4)])
    [1, 2, 1, 2]
    """
    order = sorted(range(len(ranges)), key=lambda place: ranges[place])
    found, cluster, worst = [0] * len(ranges), 0, 0
    for position, place in enumerate(order):
        best_to_come = min(ranges[later][0] for later in order[position:])
        if best_to_come > worst:
            cluster += 1
        found[place] = cluster
        worst = max(worst, ranges[place][1])
    return found
