"""Agreement side by side with krippendorff, statsmodels and scikit-learn.

Six annotators, six labels, on as many items as paper 003 had (15,325) and on 166,667 items, which makes
a million judgements. Each side gets the table in the form it likes best (ours: one byte a label; theirs
as their documentation shows), values are compared first, then times.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import replace

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa as statsmodels_fleiss

from benchmarks.base import Result, race
from evaluation.agreement import Judgements, Tally, cohen_kappa
from evaluation.agreement.bootstrap import Bootstrap
from evaluation.agreement.coefficients import FLEISS, KRIPPENDORFF_ALPHA, estimate, fixed_kappa
from evaluation.agreement.judgements import Codes

LABELS = ("A>>B", "A>B", "A=B", "A<B", "A<<B", "N/A")
PAPER, MILLION = 15_325, 166_667


def run() -> list[Result]:
    return [
        alpha(PAPER, "15,325 × 6", 4),
        alpha(MILLION, "1,000,000 judgements", 15),
        alpha_from_triples(),
        fleiss(),
        cohen(),
        bootstrap_against_a_loop(),
        *(bootstrap_limit(unit) for unit in ("sentences", "items")),
    ]


def table(items: int, seed: int = 1) -> Codes:
    """Annotators × items; six of ten answers are the right one."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, len(LABELS), items)
    guesses = rng.integers(0, len(LABELS), (6, items))
    return np.where(rng.random((6, items)) < 0.6, truth, guesses).astype(np.int8)


def alpha(items: int, job: str, demanded: float) -> Result:
    ours, theirs = table(items), table(items).astype(float)
    return _result(
        f"Krippendorff α, {job}",
        "krippendorff",
        lambda: estimate(KRIPPENDORFF_ALPHA, Tally.of_matrix(ours, len(LABELS))),
        lambda: krippendorff.alpha(theirs, level_of_measurement="nominal"),
        demanded,
    )


def alpha_from_triples() -> Result:
    """The same million as (annotator, item, label) codes, the form in which a database gives them."""
    theirs, j = table(MILLION).astype(float), Judgements.from_matrix(table(MILLION), LABELS)
    columns = (j.annotators, j.items.astype(np.int32), j.labels.astype(np.int8), j.sentences)

    def ours() -> float | None:
        return estimate(KRIPPENDORFF_ALPHA, Tally.of(Judgements(*columns, LABELS, j.annotator_names)))

    return _result(
        "Krippendorff α, 1,000,000 triples",
        "krippendorff (given the table)",
        ours,
        lambda: krippendorff.alpha(theirs, level_of_measurement="nominal"),
        None,
    )


def fleiss() -> Result:
    ours, theirs = table(PAPER), table(PAPER).T.astype(int)
    return _result(
        "Fleiss κ from raw labels, 15,325 × 6",
        "statsmodels",
        lambda: estimate(FLEISS, Tally.of_matrix(ours, len(LABELS))),
        lambda: statsmodels_fleiss(aggregate_raters(theirs)[0]),
        6,
    )


def cohen() -> Result:
    first, second = table(1_000_000)[:2]
    wide_first, wide_second = first.astype(np.int64), second.astype(np.int64)
    return _result(
        "Cohen κ, 1,000,000 pairs",
        "scikit-learn",
        lambda: cohen_kappa(first, second, len(LABELS)),
        lambda: cohen_kappa_score(wide_first, wide_second),
        20,
    )


def bootstrap_against_a_loop(loops: int = 5) -> Result:
    """No peer resamples α, so the peer is a loop over krippendorff, timed for a few of 1,000 rounds."""
    matrix, study = table(PAPER).astype(float), _study("items")
    rng = np.random.default_rng(1)

    def loop() -> list[float]:
        drawn = (rng.integers(0, PAPER, PAPER) for _ in range(loops))
        return [krippendorff.alpha(matrix[:, items], level_of_measurement="nominal") for items in drawn]

    spread = Bootstrap(study).estimate([(KRIPPENDORFF_ALPHA, Tally.of(study))])[0].resampled
    _same(float(np.mean(loop())), None if spread is None else float(spread.mean()), 0.01)
    ours, theirs = race(lambda: _interval(study), loop)
    return _summary("Interval of α, 1,000 resamples", "loop", ours, [t * 1000 / loops for t in theirs], 100)


def bootstrap_limit(unit: str) -> Result:
    """κ and α together, 1,000 resamples of items or sentences, in less than 0.2 s."""
    study, times = _study(unit), []
    for _ in range(5):
        start = time.process_time()
        _interval(study)
        times.append(time.process_time() - start)
    return _summary(f"Intervals of κ and α over {unit}", "the limit of 0.2 s", times, [0.2] * 5, 1)


def _study(unit: str) -> Judgements:
    """Three or four phrases a sentence, as in paper 003, or each item for itself."""
    j = Judgements.from_matrix(table(PAPER), LABELS)
    return replace(j, sentences=j.items * 2 // 7) if unit == "sentences" else j


def _interval(study: Judgements) -> object:
    tally = Tally.of(study)
    found = Bootstrap(study).estimate([(fixed_kappa(6), tally), (KRIPPENDORFF_ALPHA, tally)])
    return [each.interval for each in found]


def _result(
    job: str,
    peer: str,
    ours: Callable[[], float | None],
    theirs: Callable[[], float | None],
    demanded: float | None,
) -> Result:
    _same(ours(), theirs(), 1e-9)
    return _summary(job, peer, *race(ours, theirs, rounds=7), demanded)


def _same(ours: float | None, theirs: float | None, tolerance: float) -> None:
    if ours is None or theirs is None or abs(ours - theirs) > tolerance:
        raise ArithmeticError(f"values differ: ours {ours}, theirs {theirs}")


def _summary(job: str, peer: str, ours: list[float], theirs: list[float], demanded: float | None) -> Result:
    ratios = [their / our for our, their in zip(ours, theirs, strict=True)]
    middle = statistics.median
    return Result(
        job, peer, "ms", middle(ours) * 1e3, middle(theirs) * 1e3, min(ratios), middle(ratios), demanded
    )


if __name__ == "__main__":
    for result in run():
        print(result)
