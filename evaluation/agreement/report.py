"""Every agreement figure of a study, computed together, as values, as a JSON document and as tables.

All intervals come from the same resamples, so that differences (such as κ′ − κ) have intervals too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from appraise.lib.resampling import Interval
from appraise.lib.tables import Cell, Table, format_cell
from evaluation.agreement.bootstrap import Bootstrap, CoefficientResult, Collapse, compute_coefficients
from evaluation.agreement.coefficients import correct_for_chance, none_if_nan, ratio
from evaluation.agreement.judgements import Floats, Judgements
from evaluation.agreement.kappa import Chance, LabelSet, collapsed_codes, name_band
from evaluation.agreement.pairwise import PairTable, build_pair_table
from evaluation.agreement.stability import (
    IntraAgreement,
    LeaveOneOut,
    compute_leave_one_out,
    measure_intra_agreement,
)
from evaluation.agreement.tally import Pairing, Tally
from evaluation.schemes import SCHEMES, Scheme

TOP_LEVEL_COEFFICIENTS = (
    "cohen_mean",
    "scott_pi",
    "fleiss",
    "krippendorff_alpha",
    "gwet_ac1",
)  # keys of the JSON document


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
    resamples: int
    items: int
    sentences: int
    annotators: tuple[str, ...]
    judgements: int
    pairs: int
    p_a: float | None
    p_e: float | None
    label_totals: tuple[int, ...]
    coefficients: tuple[CoefficientResult, ...]
    collapse: Collapse | None
    intra: IntraAgreement
    by_annotator_pair: tuple[AnnotatorPair, ...]
    confusion: tuple[tuple[int, ...], ...]
    leave_one_out: tuple[LeaveOneOut, ...]

    def coefficient(self, name: str) -> CoefficientResult:
        """The coefficient of that name; ``KeyError`` where the label set has no such coefficient."""
        return {result.name: result for result in self.coefficients}[name]

    @property
    def observed_chance(self) -> float | None:
        """How often two answers agree that are given at random with the observed frequencies (Scott's P(E)).

        Where it is above the P(E) of κ, κ credits annotators with agreement that frequent labels explain.
        """
        return _chance_of(self.label_totals)

    @property
    def observed_chance_prime(self) -> float | None:
        """The same over the labels of κ′; None without a scheme."""
        if self.scheme is None:
            return None
        scheme = SCHEMES[self.scheme]
        totals = np.bincount(collapsed_codes(scheme), self.label_totals, len(scheme.collapsed.labels))
        return _chance_of(totals.tolist())

    @property
    def kappa(self) -> CoefficientResult:
        """The headline κ, always the first coefficient."""
        return self.coefficients[0]

    @property
    def band(self) -> str | None:
        return name_band(self.kappa.value)

    @property
    def band_prime(self) -> str | None:
        return name_band(self.kappa.prime)


def _chance_of(totals: Sequence[float]) -> float | None:
    """Return the sum of the squared shares.

    >>> round(_chance_of([45, 20, 35]) or 0, 3), _chance_of([0, 0])
    (0.365, None)
    """
    total = sum(totals)
    return sum((count / total) ** 2 for count in totals) if total else None


def compute_agreement(
    judgements: Judgements,
    scheme: Scheme | None = None,
    *,
    chance: Chance = Chance.FIXED,
    pairing: Pairing = Pairing.DIFFERENT,
    resamples: int = 1000,
    seed: int = 1,
    repeats: Judgements | None = None,
) -> AgreementReport:
    """Compute the agreement of a study; ``repeats`` are the judgements for intra-annotator agreement.

    Without ``repeats``, items that an annotator judged more than once are found in the study itself.
    Without a ``scheme`` there is no collapse and no scale, so κ′ and weighted coefficients are absent.
    """
    if scheme is not None and scheme.labels != judgements.label_names:
        raise ValueError(f"expected the labels of {scheme.name}, found {', '.join(judgements.label_names)}")
    table = build_pair_table(judgements)
    label_totals = judgements.counts.sum(axis=1)
    p_e = none_if_nan(LabelSet(judgements.label_names).chance_agreement(label_totals.astype(float), chance))
    agreeing, pairs = Tally.of(judgements, pairing).pairs.sum(axis=1)
    bootstrap = Bootstrap(judgements, resamples, seed)
    coefficients, collapse = compute_coefficients(bootstrap, table, scheme, chance, pairing)
    return AgreementReport(
        scheme=None if scheme is None else scheme.name,
        labels=judgements.label_names,
        chance=chance,
        pairing=pairing,
        resamples=resamples,
        items=int(judgements.counts.any(axis=0).sum()),
        sentences=judgements.sentence_count,
        annotators=tuple(judgements.annotator_names[a] for a in np.unique(judgements.annotators)),
        judgements=len(judgements),
        pairs=int(pairs),
        p_a=none_if_nan(ratio(agreeing, pairs)),
        p_e=p_e if pairs else None,
        label_totals=tuple(label_totals.tolist()),
        coefficients=coefficients,
        collapse=collapse,
        intra=measure_intra_agreement(judgements if repeats is None else repeats, chance),
        by_annotator_pair=_compare_annotators(judgements, table, p_e),
        confusion=_confusion(judgements, table, pairing),
        leave_one_out=compute_leave_one_out(judgements, table, chance=chance, pairing=pairing),
    )


def to_document(report: AgreementReport) -> dict[str, object]:
    """Return the JSON document of the command and the API; numbers unrounded, missing ones None."""
    kappa = report.kappa
    return {
        "scheme": report.scheme,
        "labels": list(report.labels),
        "items": report.items,
        "annotators": len(report.annotators),
        "judgements": report.judgements,
        "pairs": report.pairs,
        "p_a": report.p_a,
        "p_e": report.p_e,
        "kappa": kappa.value,
        "kappa_ci": _to_list(kappa.interval),
        "kappa_prime": kappa.prime,
        "kappa_prime_ci": _to_list(kappa.prime_interval),
        "band": report.band,
        "band_prime": report.band_prime,
        **{name: report.coefficient(name).value for name in TOP_LEVEL_COEFFICIENTS},
        "intra": {"pairs": report.intra.pairs, "p_a": report.intra.p_a, "kappa": report.intra.kappa},
        "by_annotator_pair": [asdict(pair) for pair in report.by_annotator_pair],
        "confusion": {
            label: dict(zip(report.labels, row, strict=True))
            for label, row in zip(report.labels, report.confusion, strict=True)
        },
        "chance": report.chance.value,
        "p_e_observed": report.observed_chance,
        "pairing": report.pairing.value,
        "resampled": "sentence",
        "sentences": report.sentences,
        "label_totals": dict(zip(report.labels, report.label_totals, strict=True)),
        "coefficients": [
            {
                "name": result.name,
                "chance": result.chance,
                "value": result.value,
                "ci": _to_list(result.interval),
                "prime": result.prime,
                "prime_ci": _to_list(result.prime_interval),
            }
            for result in report.coefficients
        ],
        "collapse": None if report.collapse is None else asdict(report.collapse),
        "leave_one_out": [asdict(row) for row in report.leave_one_out],
    }


def build_coefficient_table(report: AgreementReport) -> Table:
    """Build the table of coefficients with their chance models and intervals."""
    columns = ("coefficient", "chance", "value", "low", "high", "prime", "prime low", "prime high")
    rows = [
        (r.title, r.chance, r.value, *interval_cells(r.interval), r.prime, *interval_cells(r.prime_interval))
        for r in report.coefficients
    ]
    observed = ("P(A)", f"of {report.pairs} pairs", report.p_a, None, None, None, None, None)
    return Table(_headline(report), columns, (observed, *rows))


def build_annotator_table(report: AgreementReport) -> Table:
    rows = tuple((p.a, p.b, p.pairs, p.p_a, p.kappa, p.cohen) for p in report.by_annotator_pair)
    return Table("Annotator by annotator", ("a", "b", "pairs", "P(A)", "kappa", "Cohen"), rows)


def build_confusion_table(report: AgreementReport) -> Table:
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (label, *row) for label, row in zip(report.labels, report.confusion, strict=True)
    )
    return Table("Confusion, each pair in both directions", ("label", *report.labels), rows)


def build_tables(report: AgreementReport) -> tuple[Table, ...]:
    return build_coefficient_table(report), build_annotator_table(report), build_confusion_table(report)


def interval_cells(interval: Interval | tuple[int, int] | None) -> tuple[Cell, Cell]:
    """Return the ends of an interval as two cells, empty without an interval."""
    return (None, None) if interval is None else interval


def _headline(report: AgreementReport) -> str:
    kappa, prime = format_cell(report.kappa.value), format_cell(report.kappa.prime)
    return (
        f"Agreement of {len(report.annotators)} annotators: {report.judgements} judgements "
        f"on {report.items} items, {report.pairs} pairs; kappa {kappa} ({report.band or 'no data'})"
        + (f", kappa' {prime} ({report.band_prime})" if report.kappa.prime is not None else "")
        + ("; 95% intervals over sentences" if report.resamples else "")
    )


def _to_list(interval: Interval | None) -> list[float] | None:
    return None if interval is None else list(interval)


def _compare_annotators(
    judgements: Judgements, table: PairTable, p_e: float | None
) -> tuple[AnnotatorPair, ...]:
    """Every two annotators with an item in common; κ with the P(E) of the study."""
    p_a = ratio(table.agreeing.astype(float), table.pairs.astype(float))
    kappas = correct_for_chance(p_a, np.nan if p_e is None else p_e)
    values = [_to_optionals(column) for column in (p_a, kappas, table.cohen())]
    names = judgements.annotator_names
    first, second = ([names[code] for code in codes] for codes in (table.first, table.second))
    return tuple(map(AnnotatorPair, first, second, table.pairs.tolist(), *values))


def _to_optionals(values: Floats) -> list[float | None]:
    """``none_if_nan`` for columns, because a thousand annotators are half a million pairs."""
    return [None if value != value else value for value in values.tolist()]


def _confusion(judgements: Judgements, table: PairTable, pairing: Pairing) -> tuple[tuple[int, ...], ...]:
    """Labels × labels over compared pairs, each pair in both directions, so that rows are shares."""
    if pairing is Pairing.ALL:
        counts = judgements.counts
        confusion = counts @ counts.T - np.diag(counts.sum(axis=1))
    else:
        one_way = table.confusion.sum(axis=0)
        confusion = one_way + one_way.T
    return tuple(tuple(row) for row in confusion.tolist())
