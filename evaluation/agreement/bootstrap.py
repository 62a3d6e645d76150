"""Coefficients with bootstrap intervals, over the labels as given and over the collapsed ones.

Phrases of one sentence are judged together and are not independent, so whole sentences are resampled. Every
coefficient is a function of totals, so a resample is a weighted sum of columns (``appraise.lib.resampling``).
All coefficients use the same resamples; therefore the difference κ′ − κ, the agreement lost to the finer
scale of paper 003, has an interval too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from appraise.lib.resampling import Interval, percentile_interval, resample_totals
from evaluation.agreement.coefficients import (
    FLEISS,
    GWET_AC1,
    KRIPPENDORFF_ALPHA,
    SCOTT_PI,
    Coefficient,
    bennett_s,
    correct_for_chance,
    gwet_ac2,
    none_if_nan,
    ordinal_alpha,
    ratio,
)
from evaluation.agreement.judgements import Floats, Ints, Judgements
from evaluation.agreement.kappa import Chance, LabelSet, collapse_judgements, collapsed_codes, scale_codes
from evaluation.agreement.pairwise import DisagreementWeights, PairTable, count_labels
from evaluation.agreement.tally import Pairing, Tally
from evaluation.schemes import Scheme

MAX_NUMBERS = 10_000_000  # in the columns of Cohen's κ; 15,325 items of six annotators need a third of it


@dataclass(frozen=True, slots=True, eq=False)
class BootstrapEstimate:
    """A coefficient and its values in each resample (None without resamples)."""

    value: float | None
    resampled: Floats | None

    @property
    def interval(self) -> Interval | None:
        return None if self.resampled is None else percentile_interval(self.resampled)


@dataclass(frozen=True, slots=True)
class CoefficientResult:
    """One coefficient, over the labels as given and (``prime``) over the collapsed ones."""

    name: str
    title: str
    chance: str
    value: float | None
    interval: Interval | None
    prime: float | None = None
    prime_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Collapse:
    """The agreement lost to the finer scale, κ′ − κ, and the share of disagreements in degree only."""

    gain: float | None
    interval: Interval | None
    degree_only: float | None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Judgements and how to resample them."""

    judgements: Judgements
    resamples: int = 1000
    seed: int = 1

    def estimate(self, requests: Sequence[tuple[Coefficient, Tally]]) -> list[BootstrapEstimate]:
        """Estimate coefficients from the same resamples.

        The tallies must be of the items of ``judgements``, in their order.
        """
        rows_of: dict[tuple[object, int], slice] = {}
        features: list[Floats] = []
        end = 0
        for coefficient, tally in requests:
            key = coefficient.features, id(tally)
            if key not in rows_of:  # several coefficients use the same features
                features.append(sum_by_sentence(coefficient.features(tally), self.judgements))
                rows_of[key] = slice(end, end := end + len(features[-1]))
        columns = np.vstack(features)
        totals, resampled = columns.sum(axis=1), resample_totals(columns, self.resamples, self.seed)
        estimates = []
        for coefficient, tally in requests:
            rows = rows_of[coefficient.features, id(tally)]
            values = None if resampled is None else coefficient.value(resampled[rows])
            estimates.append(BootstrapEstimate(none_if_nan(coefficient.value(totals[rows])), values))
        return estimates

    def resample_cohen(self, judgements: Judgements, table: PairTable) -> Floats | None:
        """Return the mean Cohen's κ over annotator pairs per resample; None if it takes too much memory."""
        annotators, items = len(judgements.annotator_names), judgements.counts.shape[1]
        numbers = max(len(table.first) * (2 + 2 * judgements.size), annotators * judgements.size) * items
        if not len(table.first) or numbers > MAX_NUMBERS:
            return None
        labels = count_labels(judgements)
        columns = [
            sum_by_sentence(_pair_features(labels[a], labels[b]), judgements)
            for a, b in zip(table.first, table.second, strict=True)
        ]
        resampled = resample_totals(np.vstack(columns), self.resamples, self.seed)
        return None if resampled is None else _mean_cohen(resampled.reshape(len(columns), -1, self.resamples))


def sum_by_sentence(features: Floats, judgements: Judgements) -> Floats:
    """Add up the columns of the items of each sentence, without those that nobody judged."""
    items, sentences = judgements.judged_items
    return sum_groups(features if len(items) == features.shape[1] else features[:, items], sentences)


def sum_groups(columns: Floats, groups: Ints) -> Floats:
    """Sum the columns of each group 0…n−1.

    >>> sum_groups(np.array([[1.0, 2.0, 3.0]]), np.array([0, 1, 0])).tolist()
    [[4.0, 2.0]]
    """
    length = int(groups.max()) + 1 if len(groups) else 0
    if length and (np.diff(groups) >= 0).all():  # already sorted, as files and the database usually are
        return np.add.reduceat(columns, np.flatnonzero(np.diff(groups, prepend=-1)), axis=1)
    sums = np.empty((len(columns), length))
    for row, total in zip(columns, sums, strict=True):
        total[:] = np.bincount(groups, row, minlength=length)
    return sums


def compute_coefficients(
    bootstrap: Bootstrap, table: PairTable, scheme: Scheme | None, chance: Chance, pairing: Pairing
) -> tuple[tuple[CoefficientResult, ...], Collapse | None]:
    """Compute all coefficients, κ first; those over collapsed or ordered labels need a scheme."""
    judgements = bootstrap.judgements
    fine = _nominal_requests(judgements, chance, pairing)
    if scheme is None:
        results = _results(fine, bootstrap.estimate(fine))
        results.insert(1, _mean_cohen_result(bootstrap, table))
        return tuple(results), None
    collapsed = collapse_judgements(judgements, scheme)
    coarse, scale = _nominal_requests(collapsed, chance, pairing), scale_codes(scheme)
    tally = Tally(judgements.first_judgements.counts[scale])
    ordinal = [(ordinal_alpha(len(scale)), tally), (gwet_ac2(len(scale)), tally)]
    estimates = bootstrap.estimate([*fine, *coarse, *ordinal])
    values, primes = estimates[: len(fine)], estimates[len(fine) : -2]
    results = _results(fine, values, primes)
    coarse_table = table.collapse(collapsed_codes(scheme), collapsed.size)
    results.insert(1, _mean_cohen_result(bootstrap, table, (collapsed, coarse_table)))
    results += _results(ordinal, estimates[-2:])
    results += _weighted_cohen_results(table.select_labels(scale))
    return tuple(results), _collapse(values[0], primes[0], fine[0][1], coarse[0][1])


def _nominal_requests(
    judgements: Judgements, chance: Chance, pairing: Pairing
) -> list[tuple[Coefficient, Tally]]:
    tally = Tally.of(judgements, pairing)
    kappa = LabelSet(judgements.label_names).kappa(chance)
    coefficients = (kappa, SCOTT_PI, FLEISS, KRIPPENDORFF_ALPHA, GWET_AC1, bennett_s(judgements.size))
    return [(coefficient, tally) for coefficient in coefficients]


def _result(
    name: str, title: str, chance: str, fine: BootstrapEstimate, coarse: BootstrapEstimate | None = None
) -> CoefficientResult:
    prime = () if coarse is None else (coarse.value, coarse.interval)
    return CoefficientResult(name, title, chance, fine.value, fine.interval, *prime)


def _results(
    requests: Sequence[tuple[Coefficient, Tally]], *estimates: Sequence[BootstrapEstimate]
) -> list[CoefficientResult]:
    """The result of each coefficient, from its estimates over the labels as given and, if any, collapsed."""
    return [
        _result(c.name, c.title, c.chance, *row) for (c, _), *row in zip(requests, *estimates, strict=True)
    ]


def _mean_cohen_result(
    bootstrap: Bootstrap, table: PairTable, coarse: tuple[Judgements, PairTable] | None = None
) -> CoefficientResult:
    fine = BootstrapEstimate(table.cohen_mean(), bootstrap.resample_cohen(bootstrap.judgements, table))
    prime = coarse and BootstrapEstimate(coarse[1].cohen_mean(), bootstrap.resample_cohen(*coarse))
    chance = "each annotator’s own label distribution"
    return _result("cohen_mean", "Cohen κ, mean over annotator pairs", chance, fine, prime)


def _weighted_cohen_results(table: PairTable) -> list[CoefficientResult]:
    return [
        CoefficientResult(
            f"cohen_{weights}",
            f"Cohen κ, {weights} weights, mean",
            "each annotator’s own label distribution; N/A left out",
            table.cohen_mean(weights),
            None,
        )
        for weights in (DisagreementWeights.LINEAR, DisagreementWeights.QUADRATIC)
    ]


def _collapse(kappa: BootstrapEstimate, prime: BootstrapEstimate, fine: Tally, coarse: Tally) -> Collapse:
    agreeing, pairs = fine.pairs.sum(axis=1)
    agreeing_coarse = coarse.pairs[0].sum()
    gains = None
    if kappa.resampled is not None and prime.resampled is not None:
        gains = percentile_interval(prime.resampled - kappa.resampled)
    return Collapse(
        None if kappa.value is None or prime.value is None else prime.value - kappa.value,
        gains,
        float((agreeing_coarse - agreeing) / (pairs - agreeing)) if pairs > agreeing else None,
    )


def _pair_features(a: Ints, b: Ints) -> Floats:
    """(agreeing, pairs, labels of a …, labels of b …) × items, over pairs of judgements of a and b."""
    n_a, n_b = a.sum(axis=0), b.sum(axis=0)
    return np.vstack([(a * b).sum(axis=0), n_a * n_b, a * n_b, b * n_a]).astype(np.float64)


def _mean_cohen(totals: Floats) -> Floats:
    """Mean κ of each resample, from annotator pairs × features × resamples."""
    agreeing, n = totals[:, 0], totals[:, 1]
    rows, columns = np.split(totals[:, 2:], 2, axis=1)
    values = correct_for_chance(ratio(agreeing, n), ratio((rows * columns).sum(axis=1), n * n))
    is_defined = ~np.isnan(values)
    return ratio(np.where(is_defined, values, 0).sum(axis=0), is_defined.sum(axis=0).astype(np.float64))
