"""What people disagree about, and what each system does worse: a study summarised by phenomena.

κ and κ′ of the pairs that show a phenomenon come with the intervals of every other report (whole sentences
are drawn), unless a phenomenon occurs in too few sentences for resampling to mean anything. Where the *share
of disputes* is larger than the *share of pairs*, the phenomenon divides people more than others do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from evaluation.agreement import Judgements, Reading, TaskRow
from evaluation.agreement.tasks import task_row
from evaluation.phenomena.kinds import Phenomenon
from evaluation.phenomena.systems import FEWEST, SystemCell, system_cells
from evaluation.study import Meetings, Study
from evaluation.study.disputes import A_SIDE, B_SIDE, vote_counts

Shown = NDArray[np.bool_]  # pairs × phenomena, in the order of ``Phenomenon``


@dataclass(frozen=True, slots=True)
class Line:
    """One phenomenon: how many judged pairs show it, how often people differ there, and how much."""

    phenomenon: Phenomenon
    pairs: int
    share: float  # of all judged pairs
    disputed: int
    dispute_share: float | None  # of all disputed pairs
    opposite: int
    sentences: int
    agreement: TaskRow


@dataclass(frozen=True, slots=True)
class Profile:
    """Phenomena that occur, in their order; the row of all pairs; cells by phenomenon, then system."""

    lines: tuple[Line, ...]
    everything: TaskRow
    pairs: int
    disputed: int
    cells: tuple[SystemCell, ...]

    @property
    def worse(self) -> list[SystemCell]:
        """What each system does worse than the rest of its output, the surest first."""
        return sorted((c for c in self.cells if c.verdict == "worse"), key=lambda c: c.p_holm or 0.0)


def profile(
    study: Study, meetings: Meetings, shown: Shown, *, resamples: int = 1000, seed: int = 1
) -> Profile:
    """The study by phenomena; ``shown`` says what each pair of the study shows."""
    reading = Reading(study.scheme, resamples=resamples, seed=seed)
    counts = vote_counts(study)
    judged, disputed = counts.any(axis=1), (counts > 0).sum(axis=1) > 1
    opposite = counts[:, A_SIDE].any(axis=1) & counts[:, B_SIDE].any(axis=1)
    lines = []
    for phenomenon, here in zip(Phenomenon, shown.T, strict=True):
        pairs, divided = int((here & judged).sum()), int((here & disputed).sum())
        if not pairs:
            continue
        said = study.where(here[study.pairs]).judgements()
        lines.append(
            Line(
                phenomenon=phenomenon,
                pairs=pairs,
                share=pairs / int(judged.sum()),
                disputed=divided,
                dispute_share=divided / int(disputed.sum()) if disputed.any() else None,
                opposite=int((here & opposite).sum()),
                sentences=_sentences(said),
                agreement=_row(phenomenon, said, reading),
            )
        )
    return Profile(
        lines=tuple(lines),
        everything=_row("all pairs", study.judgements(), reading),
        pairs=int(judged.sum()),
        disputed=int(disputed.sum()),
        cells=system_cells(study, meetings, shown, resamples=resamples, seed=seed),
    )


def _row(name: str, said: Judgements, reading: Reading) -> TaskRow:
    """κ and κ′; intervals only where there are enough sentences, and their resamples differ."""
    row = task_row(name, said, reading)
    enough = _sentences(said) >= FEWEST
    known = [
        found if enough and found and found[0] < found[1] else None
        for found in (row.interval, row.prime_interval)
    ]
    return replace(row, interval=known[0], prime_interval=known[1])


def _sentences(said: Judgements) -> int:
    return int(said.seen_items[1].max(initial=-1)) + 1
