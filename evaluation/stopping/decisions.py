"""The stopping rule of a task: is it decided which system is better, and is κ precise enough?

Which of two systems is better is decided with error control at any time (``betting``), from one value per
sentence: (wins − losses) / votes over all phrases and annotators, taken when all questions of the sentence
about the two systems are answered, in the order of completion. With K system pairs each is decided at α / K,
so the probability that *any* decision of the task is ever wrong stays below α.

The rule for κ is about precision and makes no claim about chance: stop when the interval is as narrow as
wanted (a fixed-width rule, Chow & Robbins 1965).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from appraise.lib.resampling import Interval
from evaluation.agreement.judgements import Codes, Floats, Ints
from evaluation.agreement.tasks import AgreementSettings, compute_task_row
from evaluation.results.systems import SystemPairTest
from evaluation.stopping.betting import confidence_sequence, evidence
from evaluation.study.systems import SystemPairs, collect_system_votes, join_votes
from evaluation.study.values import Study

ALPHA = 0.05
HALF_WIDTH = 0.05
MAX_FORECAST = 20  # times the current number of sentences; a longer forecast is meaningless
Z = 1.96  # of a 95 % interval


class SequentialDecision(NamedTuple):
    """The state after ``n`` sentences; ``better`` is 1 (the first system), −1 (the second) or 0 (undecided).

    ``low`` and ``high`` bound the mean of (wins − losses) / votes per sentence, at all times together;
    ``more`` is a forecast of the sentences still needed, None where it would be a guess.
    """

    n: int
    better: int
    mean: float | None
    low: float
    high: float
    decided_after: int | None
    more: int | None


class IntervalPrecision(NamedTuple):
    half_width: float
    wanted: float
    enough: bool
    more: int | None


class SystemPairDecision(NamedTuple):
    """Two systems; ``under_way`` counts sentences with a vote that are not complete yet."""

    a: str
    b: str
    under_way: int
    decision: SequentialDecision

    @property
    def better(self) -> str | None:
        """The better system, once it is decided."""
        return {1: self.a, -1: self.b, 0: None}[self.decision.better]


@dataclass(frozen=True, slots=True)
class StoppingResult:
    """``precision`` is that of κ, over ``sentences`` with two annotators; None without an interval."""

    alpha: float
    system_pairs: tuple[SystemPairDecision, ...]
    kappa: float | None
    interval: Interval | None
    sentences: int
    precision: IntervalPrecision | None

    @property
    def undecided(self) -> int:
        return sum(not pair.decision.better for pair in self.system_pairs)


def evaluate_stopping_rule(
    study: Study,
    system_pairs: SystemPairs,
    open_pairs: NDArray[np.bool_],
    *,
    alpha: float = ALPHA,
    wanted: float = HALF_WIDTH,
    resamples: int = 1000,
) -> StoppingResult:
    """Evaluate the rule; ``open_pairs`` marks the phrase pairs of the study that still await answers."""
    if not 0 < alpha < 1 or wanted <= 0:
        raise ValueError(f"expected alpha in (0, 1) and a half-width above 0, found {alpha} and {wanted}")
    judgements = study.judgements()
    row = compute_task_row("", judgements, AgreementSettings(study.scheme, resamples=resamples))
    sentences = len(np.unique(judgements.sentences[judgements.counts.sum(axis=0)[judgements.items] > 1]))
    return StoppingResult(
        alpha,
        decide_system_pairs(study, system_pairs, open_pairs, alpha),
        row.kappa,
        row.interval,
        sentences,
        check_precision(sentences, row.interval, wanted),
    )


def decide(differences: ArrayLike, alpha: float = 0.05) -> SequentialDecision:
    """Decide from one difference in [−1, 1] per sentence, in the order of completion.

    >>> decide([1, 1, 0, 1] * 10).better, decide([1, -1] * 20).better
    (1, 0)
    """
    x = np.asarray(differences, dtype=np.float64)
    if not x.size:
        return SequentialDecision(0, 0, None, -1.0, 1.0, None, None)
    y = (x + 1) / 2
    low, high = (2 * bound - 1 for bound in confidence_sequence(y, alpha))
    is_decided = evidence(y, 0.5, alpha) >= 1 / alpha
    decided_after = int(is_decided.argmax()) + 1 if is_decided.any() else None
    direction = int(np.sign(x[:decided_after].mean())) if decided_after else 0
    more = None if decided_after else _forecast_sentences(y, alpha)
    return SequentialDecision(
        len(x), direction, float(x.mean()), float(low[-1]), float(high[-1]), decided_after, more
    )


def check_precision(n: int, interval: Interval | None, wanted: float) -> IntervalPrecision | None:
    """Check whether an interval over ``n`` units is at most ± ``wanted``; its width shrinks with √n.

    Chow & Robbins (1965) stop at the first n ≥ (z/d)² (S² + 1/n). Without the term 1/n, two sentences with
    full agreement would have an interval of width 0 and be enough.

    >>> check_precision(100, (0.40, 0.60), 0.05)
    IntervalPrecision(half_width=0.1, wanted=0.05, enough=False, more=304)
    >>> check_precision(2, (1.0, 1.0), 0.05)
    IntervalPrecision(half_width=0.0, wanted=0.05, enough=False, more=38)
    """
    if interval is None:
        return None
    half = round((interval[1] - interval[0]) / 2, 12)
    spread = n * half**2  # (z S)²
    needed = (spread + math.sqrt(spread**2 + (2 * wanted * Z) ** 2)) / (2 * wanted**2)
    more = math.ceil(needed - n - 1e-9)
    return IntervalPrecision(half, wanted, more <= 0, more if more > 0 else None)


def _forecast_sentences(y: Floats, alpha: float) -> int | None:
    """Forecast the sentences until a decision, assuming that future sentences resemble the past ones.

    The best constant bet in hindsight gains g in log capital per sentence; log(2/α) is needed in all.
    """
    bets = np.linspace(-1.0, 1.0, 201)[:, None]
    gain = float(np.log1p(bets * (y - 0.5)).mean(axis=1).max())
    if gain <= 0:
        return None
    needed = math.ceil(math.log(2 / alpha) / gain)
    return max(needed - len(y), 1) if needed <= (MAX_FORECAST + 1) * len(y) else None


def decide_system_pairs(
    study: Study, system_pairs: SystemPairs, open_pairs: NDArray[np.bool_], alpha: float
) -> tuple[SystemPairDecision, ...]:
    """Decide which of two systems is better, each pair at ``alpha`` / number of pairs."""
    names = system_pairs.system_names
    values = _SentenceValues.of(study, system_pairs, open_pairs)
    codes = np.unique(_code_system_pairs(system_pairs.first, system_pairs.second, len(names))[0])
    codes = codes[codes // len(names) != codes % len(names)]
    decisions = []
    for code in codes.tolist():
        own = values.pair_codes == code
        complete = np.flatnonzero(own & ~values.is_open)
        in_order = complete[np.argsort(values.completed[complete], kind="stable")]
        decision = decide(values.values[in_order], alpha / len(codes))
        a, b = names[code // len(names)], names[code % len(names)]
        decisions.append(SystemPairDecision(a, b, int((own & values.is_open).sum()), decision))
    return tuple(decisions)


def find_differing_pairs(
    decisions: Sequence[SystemPairDecision], tests: Sequence[SystemPairTest]
) -> tuple[str, ...]:
    """Return the system pairs of which the rule and the sign test name different winners, or only one does.

    The test takes every answer and is valid for one look; the rule takes complete sentences and any number.
    """
    winners = {frozenset((test.a, test.b)): test.better for test in tests}
    return tuple(
        f"{decision.a} / {decision.b}"
        for decision in decisions
        if decision.better != winners.get(frozenset((decision.a, decision.b)))
    )


class _SentenceValues(NamedTuple):
    """The sentences with votes of each system pair: their value, and the row of their last vote."""

    pair_codes: Ints
    values: Floats
    completed: Ints
    is_open: NDArray[np.bool_]

    @classmethod
    def of(cls, study: Study, system_pairs: SystemPairs, open_pairs: NDArray[np.bool_]) -> _SentenceValues:
        votes, size = collect_system_votes(study, system_pairs), len(system_pairs.system_names)
        codes, is_swapped = _code_system_pairs(votes.first, votes.second, size)
        base = int(system_pairs.sentences.max(initial=0)) + 1
        keys, unit = np.unique(codes * base + votes.sentences, return_inverse=True)
        signs = np.where(is_swapped, -votes.signs, votes.signs)
        completed = np.zeros(len(keys), dtype=np.int64)
        np.maximum.at(completed, unit, join_votes(study, system_pairs)[0])
        number = np.bincount(unit, minlength=len(keys))
        values = np.bincount(unit, signs, minlength=len(keys)) / np.maximum(number, 1)
        row_codes, _ = _code_system_pairs(system_pairs.first, system_pairs.second, size)
        row_keys = row_codes * base + system_pairs.sentences
        is_open = np.isin(keys, row_keys[open_pairs[system_pairs.pairs]])
        return cls(keys // base, values, completed, is_open)


def _code_system_pairs(first: Codes, second: Codes, size: int) -> tuple[Ints, NDArray[np.bool_]]:
    """Return one code for two systems in either order, and which rows were swapped for it."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second).astype(np.int64)
    return low * size + high, first > second
