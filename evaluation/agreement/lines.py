"""The table of coefficients: each with its value, interval and chance model, fine and collapsed.

The collapse is paper 003's step from six to four choices (κ′). All lines are drawn from the same resamples,
so the difference between κ′ and κ, the agreement lost to the finer scale, has an interval too.
"""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.agreement.bootstrap import Interval, Sampled, Unit, percentile_interval, sampled
from evaluation.agreement.chance import Chance, Labels
from evaluation.agreement.coefficients import (
    FLEISS,
    GWET_AC1,
    KRIPPENDORFF_ALPHA,
    SCOTT_PI,
    Coefficient,
    bennett_s,
)
from evaluation.agreement.judgements import Judgements
from evaluation.agreement.ordered import collapse_of, collapsed_part, gwet_ac2, ordinal_alpha, scale_of
from evaluation.agreement.pairwise import PairTable, Weights, cohen_mean_resampled
from evaluation.agreement.tally import Pairing, Tally
from evaluation.schemes import Scheme

Asked = tuple[Coefficient, Tally]


@dataclass(frozen=True, slots=True)
class Line:
    """One coefficient, over the labels as given and (``prime``) over the four-way collapse."""

    name: str
    title: str
    chance: str
    value: float | None
    interval: Interval | None
    prime: float | None = None
    prime_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Collapse:
    """The agreement lost to the finer scale, κ′ − κ, and the share of disagreements about degree only."""

    gain: float | None
    interval: Interval | None
    degree_only: float | None


@dataclass(frozen=True, slots=True)
class Sampling:
    """A study and how to draw from it."""

    judgements: Judgements
    unit: Unit
    resamples: int
    seed: int

    def of(self, asked: list[Asked]) -> list[Sampled]:
        return sampled(asked, self.judgements, resamples=self.resamples, seed=self.seed, unit=self.unit)


def coefficient_lines(
    sampling: Sampling, table: PairTable, scheme: Scheme | None, chance: Chance, pairing: Pairing
) -> tuple[tuple[Line, ...], Collapse | None]:
    """All coefficients, κ first; κ′ and the coefficients on a scale only where there is a scheme."""
    fine = _nominal(sampling.judgements, chance, pairing)
    coarse_study = None if scheme is None else collapsed_part(sampling.judgements, scheme)
    coarse = [] if coarse_study is None else _nominal(coarse_study, chance, pairing)
    ordered = [] if scheme is None else _ordered(sampling.judgements, scale_of(scheme))
    found = sampling.of([*fine, *coarse, *ordered])
    values, primes, on_scale = found[: len(fine)], found[len(fine) : -2], found[-2:]
    lines = [
        _line(coefficient, value, primes[place] if coarse else None)
        for place, ((coefficient, _), value) in enumerate(zip(fine, values, strict=True))
    ]
    if scheme is None or coarse_study is None:
        lines.insert(1, _cohen(sampling, table, None))
        return tuple(lines), None
    four = table.collapsed(collapse_of(scheme), coarse_study.size)
    lines.insert(1, _cohen(sampling, table, (coarse_study, four)))
    lines += [_line(coefficient, value) for (coefficient, _), value in zip(ordered, on_scale, strict=True)]
    lines += _weighted_cohen(table.among(scale_of(scheme)))
    return tuple(lines), _collapse(values[0], primes[0], fine[0][1], coarse[0][1])


def _nominal(study: Judgements, chance: Chance, pairing: Pairing) -> list[Asked]:
    tally = Tally.of(study, pairing)
    kappa = Labels.of(study).kappa(chance)
    wanted = (kappa, SCOTT_PI, FLEISS, KRIPPENDORFF_ALPHA, GWET_AC1, bennett_s(study.size))
    return [(coefficient, tally) for coefficient in wanted]


def _ordered(study: Judgements, scale: list[int]) -> list[Asked]:
    tally = Tally(study.first_only.counts[scale])
    return [(ordinal_alpha(len(scale)), tally), (gwet_ac2(len(scale)), tally)]


def _line(coefficient: Coefficient, fine: Sampled, coarse: Sampled | None = None) -> Line:
    return Line(
        coefficient.name,
        coefficient.title,
        coefficient.chance,
        fine.value,
        fine.interval,
        None if coarse is None else coarse.value,
        None if coarse is None else coarse.interval,
    )


def _cohen(sampling: Sampling, table: PairTable, coarse: tuple[Judgements, PairTable] | None) -> Line:
    return Line(
        "cohen_mean",
        "Cohen κ, mean over annotator pairs",
        "each annotator’s own label distribution",
        table.cohen_mean(),
        _cohen_interval(sampling, sampling.judgements, table),
        None if coarse is None else coarse[1].cohen_mean(),
        None if coarse is None else _cohen_interval(sampling, *coarse),
    )


def _cohen_interval(sampling: Sampling, study: Judgements, table: PairTable) -> Interval | None:
    draws = cohen_mean_resampled(
        study, table, resamples=sampling.resamples, seed=sampling.seed, unit=sampling.unit
    )
    return None if draws is None else percentile_interval(draws)


def _weighted_cohen(on_scale: PairTable) -> list[Line]:
    """Weighted κ over annotator pairs; judgements that say N/A are left out."""
    return [
        Line(
            f"cohen_{weights}",
            f"Cohen κ, {weights} weights, mean",
            "each annotator’s own label distribution; N/A left out",
            on_scale.cohen_mean(weights),
            None,
        )
        for weights in (Weights.LINEAR, Weights.QUADRATIC)
    ]


def _collapse(kappa: Sampled, prime: Sampled, fine: Tally, coarse: Tally) -> Collapse:
    agreeing, pairs = fine.pairs.sum(axis=1)
    agreeing_coarse = coarse.pairs[0].sum()
    gains = None if kappa.draws is None or prime.draws is None else prime.draws - kappa.draws
    return Collapse(
        None if kappa.value is None or prime.value is None else prime.value - kappa.value,
        None if gains is None else percentile_interval(gains),
        float((agreeing_coarse - agreeing) / (pairs - agreeing)) if pairs > agreeing else None,
    )
