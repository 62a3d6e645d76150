"""Every figure about the agreement of a study, computed together.

All intervals come from the same resamples, so that differences (such as κ′ − κ) have intervals too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evaluation.agreement.bands import band
from evaluation.agreement.bootstrap import Unit
from evaluation.agreement.chance import Chance, Labels
from evaluation.agreement.coefficients import corrected, defined, ratio
from evaluation.agreement.intra import Intra, intra_agreement
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.agreement.lines import Collapse, Line, Sampling, coefficient_lines
from evaluation.agreement.pairwise import PairTable, pair_table
from evaluation.agreement.stability import Without, leave_one_out
from evaluation.agreement.tally import Pairing, Tally
from evaluation.schemes import Scheme


@dataclass(frozen=True, slots=True)
class AnnotatorPair:
    """Two annotators on the items that both judged."""

    a: str
    b: str
    pairs: int
    p_a: float | None
    kappa: float | None
    cohen: float | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    scheme: str | None
    labels: tuple[str, ...]
    chance: Chance
    pairing: Pairing
    unit: Unit
    resamples: int
    seed: int
    items: int
    sentences: int
    annotators: tuple[str, ...]
    judgements: int
    pairs: int
    p_a: float | None
    p_e: float | None
    label_totals: tuple[int, ...]
    lines: tuple[Line, ...]
    collapse: Collapse | None
    intra: Intra
    by_annotator_pair: tuple[AnnotatorPair, ...]
    confusion: tuple[tuple[int, ...], ...]
    leave_one_out: tuple[Without, ...]

    def line(self, name: str) -> Line:
        """The coefficient of that name; ``KeyError`` where the label set has no such coefficient."""
        return {line.name: line for line in self.lines}[name]

    @property
    def kappa(self) -> Line:
        """The headline is always the first line."""
        return self.lines[0]

    @property
    def band(self) -> str | None:
        return band(self.kappa.value)

    @property
    def band_prime(self) -> str | None:
        return band(self.kappa.prime)


def report(
    judgements: Judgements,
    scheme: Scheme | None = None,
    *,
    chance: Chance = Chance.FIXED,
    pairing: Pairing = Pairing.DIFFERENT,
    unit: Unit = Unit.SENTENCE,
    resamples: int = 1000,
    seed: int = 1,
    repeats: Judgements | None = None,
) -> AgreementReport:
    """Agreement of a study; ``repeats`` are the judgements that intra-annotator agreement reads.

    Without ``repeats``, items that an annotator judged more than once are found in the study itself.
    Without a ``scheme`` there is no collapse and no scale, so κ′ and weighted coefficients are absent.
    """
    if scheme is not None and scheme.labels != judgements.label_names:
        raise ValueError(f"labels of {scheme.name} expected, found {', '.join(judgements.label_names)}")
    table = pair_table(judgements)
    label_totals = judgements.counts.sum(axis=1)
    p_e = defined(Labels.of(judgements).expected(label_totals.astype(float), chance))
    agreeing, pairs = Tally.of(judgements, pairing).pairs.sum(axis=1)
    sampling = Sampling(judgements, unit, resamples, seed)
    lines, collapse = coefficient_lines(sampling, table, scheme, chance, pairing)
    return AgreementReport(
        scheme=None if scheme is None else scheme.name,
        labels=judgements.label_names,
        chance=chance,
        pairing=pairing,
        unit=unit,
        resamples=resamples,
        seed=seed,
        items=int(judgements.counts.any(axis=0).sum()),
        sentences=int(judgements.seen_items[1].max(initial=-1)) + 1,
        annotators=tuple(judgements.annotator_names[a] for a in np.unique(judgements.annotators)),
        judgements=len(judgements),
        pairs=int(pairs),
        p_a=defined(ratio(agreeing, pairs)),
        p_e=p_e if pairs else None,
        label_totals=tuple(label_totals.tolist()),
        lines=lines,
        collapse=collapse,
        intra=intra_agreement(judgements if repeats is None else repeats, chance),
        by_annotator_pair=_annotator_pairs(judgements, table, p_e),
        confusion=_confusion(judgements, table, pairing),
        leave_one_out=leave_one_out(judgements, table, chance=chance, pairing=pairing),
    )


def _annotator_pairs(
    judgements: Judgements, table: PairTable, p_e: float | None
) -> tuple[AnnotatorPair, ...]:
    """Every two annotators with an item in common; κ with the study's own P(E)."""
    chance = np.nan if p_e is None else p_e
    p_a = ratio(table.agreeing.astype(float), table.pairs.astype(float))
    values = [_each(column) for column in (p_a, corrected(p_a, chance), table.cohen())]
    who, whom = (
        [judgements.annotator_names[code] for code in codes] for codes in (table.first, table.second)
    )
    return tuple(map(AnnotatorPair, who, whom, table.pairs.tolist(), *values))


def _each(values: Floats) -> list[float | None]:
    """``defined`` for many: a thousand annotators are half a million pairs."""
    return [None if value != value else value for value in values.tolist()]


def _confusion(judgements: Judgements, table: PairTable, pairing: Pairing) -> tuple[tuple[int, ...], ...]:
    """Label × label over compared pairs, each pair in both directions, so rows can be read as shares."""
    if pairing is Pairing.ALL:
        counts = judgements.counts
        both = counts @ counts.T - np.diag(counts.sum(axis=1))
    else:
        one_way = table.confusion.sum(axis=0)
        both = one_way + one_way.T
    return tuple(tuple(row) for row in both.tolist())
