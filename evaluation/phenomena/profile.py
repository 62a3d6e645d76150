"""A study by phenomena: what people disagree about, and what each system does worse.

κ and κ′ of the pairs with a phenomenon have the intervals of every other report (over resampled sentences),
unless the phenomenon occurs in too few sentences. Where the *share of disagreements* is larger than the
*share of pairs*, people disagree about the phenomenon more than about others.

For each system, the win rate at a phenomenon is compared with the win rate on all other pairs. A vote for a
system is one point, a tie half a point; the rate is points by votes, with a percentile interval over
sentences. The votes of one sentence are not independent, and a phenomenon may occur in few sentences, so the
test is the wild cluster bootstrap of the score with the null hypothesis imposed (Kline & Santos 2012): the
contribution of each sentence to the difference, computed with the system's overall rate, gets a random sign.
Holm corrects for the number of cells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from appraise.lib.parallel import limit_to_one_thread
from appraise.lib.resampling import Interval, holm, percentile_interval, resample_totals
from evaluation.agreement import AgreementSettings, TaskRow
from evaluation.agreement.coefficients import none_if_nan, ratio
from evaluation.agreement.judgements import Floats
from evaluation.agreement.tasks import MIN_SENTENCES, compute_part_row
from evaluation.phenomena.classification import Phenomenon
from evaluation.results.systems import SIGNIFICANCE_LEVEL
from evaluation.study import Study, SystemPairs
from evaluation.study.disagreements import A_SIDE, B_SIDE, count_votes
from evaluation.study.systems import SIGNS, join_votes

PhenomenonMatrix = NDArray[np.bool_]  # pairs × phenomena, in the order of ``Phenomenon``

SIGN_SAMPLES = 4999  # 5,000 with the observed signs
SAMPLES_AT_ONCE = 500
POINTS = np.array([1.0, 0.5, 0.0])  # of a win, a tie, a loss


@dataclass(frozen=True, slots=True)
class PhenomenonLine:
    """One phenomenon: the judged pairs that show it, and the disagreements about them."""

    phenomenon: Phenomenon
    pairs: int
    share: float  # of all judged pairs
    disputed: int
    dispute_share: float | None  # of all disagreements
    opposite: int
    sentences: int
    agreement: TaskRow


@dataclass(frozen=True, slots=True)
class SystemCell:
    """The win rate of a system at a phenomenon (``rate``) and on all other pairs (``elsewhere``)."""

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
    def outcome(self) -> str:
        """``worse`` or ``better`` than elsewhere if the difference is significant, else empty."""
        if self.p_holm is None or self.elsewhere is None or self.p_holm > SIGNIFICANCE_LEVEL:
            return ""
        return "worse" if self.rate < self.elsewhere else "better"


@dataclass(frozen=True, slots=True)
class Profile:
    """The phenomena that occur, in their order; the row of all pairs; cells by phenomenon, then system."""

    lines: tuple[PhenomenonLine, ...]
    everything: TaskRow
    pairs: int
    disputed: int
    cells: tuple[SystemCell, ...]

    @property
    def worse(self) -> list[SystemCell]:
        """The cells that are significantly worse than elsewhere, the most significant first."""
        return sorted((c for c in self.cells if c.outcome == "worse"), key=lambda c: c.p_holm or 0.0)


def compute_profile(
    study: Study,
    system_pairs: SystemPairs,
    matrix: PhenomenonMatrix,
    *,
    resamples: int = 1000,
    seed: int = 1,
) -> Profile:
    """Summarise a study by phenomena; ``matrix`` has the phenomena of each pair of the study."""
    settings = AgreementSettings(study.scheme, resamples=resamples, seed=seed)
    counts = count_votes(study)
    is_judged, is_disputed = counts.any(axis=1), (counts > 0).sum(axis=1) > 1
    is_opposite = counts[:, A_SIDE].any(axis=1) & counts[:, B_SIDE].any(axis=1)
    lines = []
    for phenomenon, mask in zip(Phenomenon, matrix.T, strict=True):
        pairs, disputed = int((mask & is_judged).sum()), int((mask & is_disputed).sum())
        if not pairs:
            continue
        judgements = study.filter_rows(mask[study.pairs]).judgements()
        lines.append(
            PhenomenonLine(
                phenomenon=phenomenon,
                pairs=pairs,
                share=pairs / int(is_judged.sum()),
                disputed=disputed,
                dispute_share=disputed / int(is_disputed.sum()) if is_disputed.any() else None,
                opposite=int((mask & is_opposite).sum()),
                sentences=judgements.sentence_count,
                agreement=compute_part_row(phenomenon, judgements, settings),
            )
        )
    return Profile(
        lines=tuple(lines),
        everything=compute_part_row("all pairs", study.judgements(), settings),
        pairs=int(is_judged.sum()),
        disputed=int(is_disputed.sum()),
        cells=compute_system_cells(study, system_pairs, matrix, settings),
    )


def compute_system_cells(
    study: Study, system_pairs: SystemPairs, matrix: PhenomenonMatrix, settings: AgreementSettings
) -> tuple[SystemCell, ...]:
    """Compute the cell of every system at every phenomenon where it has a vote."""
    counts = sum_votes(study, system_pairs, matrix)
    points, votes = np.tensordot(POINTS, counts, 1), counts.sum(axis=0)
    keys = [(int(code), int(system)) for code, system in np.argwhere(votes[:-1].any(axis=2))]
    if not keys:
        return ()
    columns = np.array([(points[key], votes[key]) for key in keys])
    totals = np.array([(points[-1, system], votes[-1, system]) for _, system in keys])
    intervals = _rate_intervals(columns, settings.resamples, settings.seed)
    p_values = compute_p_values(columns, totals, settings.seed)
    names, adjusted = list(Phenomenon), holm(p_values)
    cells = []
    for n, (code, system) in enumerate(keys):
        wins, ties, losses = (int(number) for number in counts[:, code, system].sum(axis=1))
        here, elsewhere = columns[n].sum(axis=1), (totals[n] - columns[n]).sum(axis=1)
        cells.append(
            SystemCell(
                names[code],
                system_pairs.system_names[system],
                wins,
                ties,
                losses,
                int((columns[n, 1] > 0).sum()),
                float(here[0] / here[1]),
                intervals[n],
                none_if_nan(ratio(elsewhere[0], elsewhere[1])),
                none_if_nan(p_values[n]),
                none_if_nan(adjusted[n]),
            )
        )
    return tuple(cells)


def sum_votes(study: Study, system_pairs: SystemPairs, matrix: PhenomenonMatrix) -> Floats:
    """Return (wins, ties, losses) × (phenomena …, all pairs) × systems × sentences.

    A pair with two phenomena counts at both, and once among all pairs.
    """
    answers, rows = join_votes(study, system_pairs)
    signs = SIGNS[study.labels[answers]]
    sentences, codes = np.unique(system_pairs.sentences[rows], return_inverse=True)
    shape = (3, len(system_pairs.system_names), len(sentences))
    all_pairs = np.ones((len(matrix), 1), dtype=bool)
    layers = []
    for mask in np.hstack([matrix, all_pairs]).T:
        selected = mask[study.pairs[answers]]
        layer = np.zeros(shape)
        for systems, side in ((system_pairs.first, 1), (system_pairs.second, -1)):
            cells = (1 - side * signs[selected], systems[rows[selected]], codes.reshape(-1)[selected])
            np.add.at(layer, cells, 1.0)
        layers.append(layer)
    return np.stack(layers, axis=1)


def compute_p_values(columns: Floats, totals: Floats, seed: int) -> Floats:
    """Test the difference between here and elsewhere; nan where there are no votes elsewhere."""
    rate = ratio(totals[:, 0].sum(axis=1), totals[:, 1].sum(axis=1))[:, None]
    here, elsewhere = (
        (sums[:, 0] - rate * sums[:, 1]) * ratio(np.ones(len(sums)), sums[:, 1].sum(axis=1))[:, None]
        for sums in (columns, totals - columns)
    )
    scores = here - elsewhere
    observed = np.abs(scores.sum(axis=1)) - 1e-12
    rng, reached = np.random.default_rng(seed), np.zeros(len(scores))
    with limit_to_one_thread():  # for matrices of this size, threads cost more than they save
        for start in range(0, SIGN_SAMPLES, SAMPLES_AT_ONCE):
            size = (scores.shape[1], min(SAMPLES_AT_ONCE, SIGN_SAMPLES - start))
            signs = 1.0 - 2.0 * rng.integers(2, size=size)
            reached += (np.abs(scores @ signs) >= observed[:, None]).sum(axis=1)
    return np.where(np.isnan(scores).any(axis=1), np.nan, (1 + reached) / (1 + SIGN_SAMPLES))


def _rate_intervals(columns: Floats, resamples: int, seed: int) -> list[Interval | None]:
    """The interval of each rate; ``columns`` is cells × (points, votes) × sentences."""
    cells, _, sentences = columns.shape
    resampled = resample_totals(columns.reshape(-1, sentences), resamples, seed)
    if resampled is None:
        return [None] * cells
    sums = resampled.reshape(cells, 2, -1)
    rates, occupied = ratio(sums[:, 0], sums[:, 1]), (columns[:, 1] > 0).sum(axis=1)
    return [percentile_interval(rates[n]) if occupied[n] >= MIN_SENTENCES else None for n in range(cells)]
