"""The lead of one system over another, as somebody who decides reads it: of 100 answers, how many more?

Every answer about two phrases counts at every occurrence of the pair, as in the system results; N/A is one of
the answers here. The interval comes from resamples of whole sentences.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import Interval, percentile_interval, resample_totals
from evaluation.agreement.coefficients import ratio
from evaluation.agreement.judgements import Floats, Ints
from evaluation.schemes import SIX_WAY
from evaluation.study.systems import SIGNS, SystemPairs, join_votes
from evaluation.study.values import Study

NOT_APPLICABLE = len(SIX_WAY.choices) - 1
# The label of each label after exchanging the two sides.
MIRRORED = np.array([*reversed(range(NOT_APPLICABLE)), NOT_APPLICABLE])


@dataclass(frozen=True, slots=True)
class PairAnswers:
    """The answers between two systems, as columns; labels are relative to the first system."""

    labels: Ints
    pairs: Ints
    sentences: Ints
    annotators: Ints


@dataclass(frozen=True, slots=True)
class SystemLead:
    """``counts`` are the answers by six-way label, the first system on the left.

    ``lead`` is (wins − losses) / answers, None without answers; ``same`` of ``resamples`` have its sign.
    """

    first: str
    second: str
    counts: tuple[int, ...]
    lead: float | None
    interval: Interval | None
    same: int
    resamples: int
    pairs: int
    sentences: int
    annotators: int

    @property
    def answers(self) -> int:
        return sum(self.counts)

    @property
    def wins(self) -> int:
        return self.counts[0] + self.counts[1]

    @property
    def losses(self) -> int:
        return self.counts[3] + self.counts[4]

    @property
    def stability(self) -> float | None:
        """The share of resamples with the same winner."""
        return self.same / self.resamples if self.resamples else None


def collect_pair_answers(study: Study, system_pairs: SystemPairs, first: str, second: str) -> PairAnswers:
    """Collect the answers between two systems."""
    answers, rows = join_votes(study, system_pairs, with_not_applicable=True)
    a, b = (system_pairs.system_names.index(name) for name in (first, second))
    firsts, seconds = system_pairs.first[rows], system_pairs.second[rows]
    is_turned = (firsts == b) & (seconds == a)
    chosen = ((firsts == a) & (seconds == b)) | is_turned
    answers, rows, is_turned = answers[chosen], rows[chosen], is_turned[chosen]
    labels = study.labels[answers].astype(np.int64)
    return PairAnswers(
        labels=np.where(is_turned, MIRRORED[labels], labels),
        pairs=study.pairs[answers].astype(np.int64),
        sentences=system_pairs.sentences[rows].astype(np.int64),
        annotators=study.annotators[answers].astype(np.int64),
    )


def measure_lead(
    answers: PairAnswers, first: str, second: str, *, resamples: int = 1000, seed: int = 1
) -> SystemLead:
    """Measure the lead of the first system over the second."""
    counts = np.bincount(answers.labels, minlength=NOT_APPLICABLE + 1)
    sentences, codes = np.unique(answers.sentences, return_inverse=True)
    signs = np.where(answers.labels == NOT_APPLICABLE, 0, SIGNS[answers.labels])
    columns = np.stack([np.bincount(codes, signs), np.bincount(codes) * 1.0])
    lead = columns[0].sum() / columns[1].sum() if len(codes) else None
    resampled = _resample_leads(columns, resamples, seed)
    same = int((np.sign(resampled) == np.sign(lead)).sum()) if lead else 0
    return SystemLead(
        first, second, tuple(counts.tolist()),
        lead=None if lead is None else float(lead),
        interval=percentile_interval(resampled),
        same=same,
        resamples=len(resampled),
        pairs=len(np.unique(answers.pairs)),
        sentences=len(sentences),
        annotators=len(np.unique(answers.annotators)),
    )  # fmt: skip


def _resample_leads(columns: Floats, resamples: int, seed: int) -> Floats:
    totals = resample_totals(columns, resamples, seed)
    return np.zeros(0) if totals is None else ratio(totals[0], totals[1])


def find_typical_pairs(answers: PairAnswers, sign: int, most: int) -> list[int]:
    """Return the pairs on which people side most clearly with a system: 1 for the first, −1 for the second.

    Ordered by the share of their answers on that side, then by their number, then by degree; one pair of each
    sentence.
    """
    pairs, codes = np.unique(answers.pairs, return_inverse=True)
    total = np.bincount(codes, minlength=len(pairs))
    on_side = (answers.labels != NOT_APPLICABLE) & (SIGNS[answers.labels] == sign)
    agreeing = np.bincount(codes, on_side, minlength=len(pairs))
    strong = np.bincount(codes, on_side & np.isin(answers.labels, [0, 4]), minlength=len(pairs))
    sentence = np.zeros(len(pairs), dtype=np.int64)
    sentence[codes] = answers.sentences
    order = np.lexsort([pairs, -strong, -total, -agreeing / np.maximum(total, 1)])
    chosen: dict[int, int] = {}
    for row in order.tolist():
        if agreeing[row] * 2 > total[row]:
            chosen.setdefault(int(sentence[row]), int(pairs[row]))
    return list(chosen.values())[:most]
