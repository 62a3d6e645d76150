"""What each system does worse: its rate of wins at a phenomenon beside its rate on all other pairs.

A vote for a system is one point, a tie half a point; the rate is points by votes, with a percentile interval
over whole sentences. Is it lower at a phenomenon than elsewhere? The votes of one sentence are not
independent, and a phenomenon may occur in few sentences, so the test is the wild cluster bootstrap of the
score with the hypothesis imposed (Kline & Santos 2012): what each sentence adds to the difference, computed
with the system's rate over everything, gets a random sign. Holm corrects for the number of cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement.bootstrap import Interval, percentile_interval, resampled_totals
from evaluation.agreement.coefficients import defined, ratio
from evaluation.agreement.judgements import Floats
from evaluation.agreement.threads import one_thread
from evaluation.phenomena.kinds import Phenomenon
from evaluation.results.signtest import LEVEL, holm
from evaluation.study import Meetings, Study
from evaluation.study.systems import SIGNS, cast_votes

FEWEST = 5
"""Sentences that an interval needs: of four there are 35 different resamples, too few for a middle 95 %."""
SIGNINGS = 4999  # with the observed signs that makes 5,000
AT_ONCE = 500
POINTS = np.array([1.0, 0.5, 0.0])  # of a win, a tie, a loss


@dataclass(frozen=True, slots=True)
class SystemCell:
    """How a system fares at a phenomenon (``rate``) and on all other pairs (``elsewhere``)."""

    phenomenon: Phenomenon
    system: str
    wins: int
    ties: int
    losses: int
    sentences: int
    rate: float
    interval: Interval | None
    elsewhere: float | None
    p: float | None
    p_holm: float | None

    @property
    def verdict(self) -> str:
        """``worse`` or ``better`` than elsewhere where that is significant, else nothing."""
        if self.p_holm is None or self.elsewhere is None or self.p_holm > LEVEL:
            return ""
        return "worse" if self.rate < self.elsewhere else "better"


def system_cells(
    study: Study, meetings: Meetings, shown: NDArray[np.bool_], *, resamples: int = 1000, seed: int = 1
) -> tuple[SystemCell, ...]:
    """Every system at every phenomenon where it has a vote; ``shown`` is pairs × phenomena."""
    counts = vote_sums(study, meetings, shown)
    points, votes = np.tensordot(POINTS, counts, 1), counts.sum(axis=0)
    places = [(int(code), int(system)) for code, system in np.argwhere(votes[:-1].any(axis=2))]
    if not places:
        return ()
    columns = np.array([(points[place], votes[place]) for place in places])
    intervals = _intervals(columns, resamples, seed)
    totals = np.array([(points[-1, system], votes[-1, system]) for _, system in places])
    p = p_values(columns, totals, seed)
    names, adjusted = list(Phenomenon), holm(p)
    cells = []
    for n, (code, system) in enumerate(places):
        wins, ties, losses = (int(number) for number in counts[:, code, system].sum(axis=1))
        here, rest = columns[n].sum(axis=1), (totals[n] - columns[n]).sum(axis=1)
        cells.append(
            SystemCell(
                names[code],
                meetings.system_names[system],
                wins,
                ties,
                losses,
                int((columns[n, 1] > 0).sum()),
                float(here[0] / here[1]),
                intervals[n],
                defined(ratio(rest[0], rest[1])),
                defined(p[n]),
                defined(adjusted[n]),
            )
        )
    return tuple(cells)


def vote_sums(study: Study, meetings: Meetings, shown: NDArray[np.bool_]) -> Floats:
    """(wins, ties, losses) × (phenomena …, all) × systems × sentences.

    A pair with two phenomena counts at both, and once among all.
    """
    answer, place = cast_votes(study, meetings)
    signs, sentence = SIGNS[study.labels[answer]], np.unique(meetings.sentences[place], return_inverse=True)
    shape = (3, len(meetings.system_names), len(sentence[0]))
    all_pairs = np.ones((len(shown), 1), dtype=bool)
    layers = []
    for here in np.hstack([shown, all_pairs]).T:
        mine = here[study.pairs[answer]]
        layer = np.zeros(shape)
        for systems, side in ((meetings.first, 1), (meetings.second, -1)):
            cells = (1 - side * signs[mine], systems[place[mine]], sentence[1].reshape(-1)[mine])
            np.add.at(layer, cells, 1.0)
        layers.append(layer)
    return np.stack(layers, axis=1)


def _intervals(columns: Floats, resamples: int, seed: int) -> list[Interval | None]:
    """Of each rate; ``columns`` is cells × (points, votes) × sentences."""
    cells, _, sentences = columns.shape
    drawn = resampled_totals(columns.reshape(-1, sentences), resamples, seed)
    if drawn is None:
        return [None] * cells
    sums = drawn.reshape(cells, 2, -1)
    rates, seen = ratio(sums[:, 0], sums[:, 1]), (columns[:, 1] > 0).sum(axis=1)
    return [percentile_interval(rates[n]) if seen[n] >= FEWEST else None for n in range(cells)]


def p_values(columns: Floats, totals: Floats, seed: int) -> Floats:
    """Of the difference between here and elsewhere; not a number where there is no elsewhere."""
    elsewhere = totals - columns
    rate = ratio(totals[:, 0].sum(axis=1), totals[:, 1].sum(axis=1))[:, None]
    parts = [
        (sums[:, 0] - rate * sums[:, 1]) * ratio(np.ones(len(sums)), sums[:, 1].sum(axis=1))[:, None]
        for sums in (columns, elsewhere)
    ]
    scores = parts[0] - parts[1]
    observed = np.abs(scores.sum(axis=1)) - 1e-12
    random, reached = np.random.default_rng(seed), np.zeros(len(scores))
    with one_thread():  # two spend more time waiting for each other than they save
        for start in range(0, SIGNINGS, AT_ONCE):
            signs = random_signs(random, scores.shape[1], min(AT_ONCE, SIGNINGS - start))
            reached += (np.abs(scores @ signs) >= observed[:, None]).sum(axis=1)
    return np.where(np.isnan(scores).any(axis=1), np.nan, (1 + reached) / (1 + SIGNINGS))


def random_signs(random: np.random.Generator, sentences: int, signings: int) -> Floats:
    """1.0 or −1.0: the numbers of ``1.0 - 2.0 * random.integers(2, size=(sentences, signings))``, sooner.

    NumPy takes the highest of 32 random bits for an integer below 2. The highest bit of a 32-bit float is
    its sign, so the bits are drawn 64 at a time, and all but the highest replaced by those of 1.0.
    """
    count = sentences * signings
    drawn = random.integers(2**64, size=-(-count // 2), dtype=np.uint64).astype("<u8", copy=False)
    bits = drawn.view("<u4")[:count]
    bits &= np.uint32(1 << 31)
    bits |= np.float32(1.0).view(np.uint32)
    return bits.view("<f4").astype(np.float64).reshape(sentences, signings)
