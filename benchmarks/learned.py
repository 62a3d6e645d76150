"""The learned metric side by side with scikit-learn: the grid, the decision function, the feature table.

The grid is that of Kulesza 2004, Table A.1, on 3,530 × 9 training rows, raced against the plain loop that
fits and predicts at every point; accuracies must be equal. The decision function scores 7,024 rows, the size
of the thesis's validation set. Features have no peer; their demand is a time for 36,036 segments.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
from sklearn.svm import SVC

from benchmarks.base import Result, race
from benchmarks.corpus import corpus
from metrics.base import make_segments
from metrics.learned import features, svm
from metrics.learned.svm import TOLERANCE, Labelled, train

TRAINING, VALIDATION = 3_530, 1_765
SEGMENTS = 36_036
SECONDS_FOR_FEATURES = 10.0


def run() -> list[Result]:
    return [grid_search(), decision_function(), basic_features(), rich_features()]


def rows(size: int, seed: int) -> Labelled:
    """Nine overlapping columns, the last two on the scale of error counts."""
    rng = np.random.default_rng(seed)
    classes = np.where(np.arange(size) % 2 == 0, 1, -1)
    values = rng.normal(size=(size, 9)) + 0.25 * classes[:, None]
    values[:, 7:] *= 6
    return Labelled(values, classes)


def grid_search() -> Result:
    training, validation = rows(TRAINING, 1), rows(VALIDATION, 2)

    def ours() -> list[float]:
        return [point.accuracy for point in svm.search(training, validation).points]

    def theirs() -> list[float]:
        found = []
        for sigma in svm.BASIC[1]:
            for c in svm.BASIC[0]:
                machine = SVC(C=c, gamma=1 / (2 * sigma**2), tol=TOLERANCE, cache_size=500)
                machine.fit(training.rows, training.classes)
                right = machine.predict(validation.rows) == validation.classes
                found.append(float(right.mean()))
        return found

    if ours() != theirs():
        raise AssertionError("the grid's accuracies differ from scikit-learn's")
    return _result("SVM grid of 35 points, 3,530 × 9", "scikit-learn loop", ours, theirs, 1.5)


def decision_function() -> Result:
    training, fresh = rows(2 * TRAINING, 3), rows(7_024, 4).rows
    machine = train(training, c=5.0, sigma=10.0)
    peer = SVC(C=5.0, gamma=1 / (2 * 10.0**2), tol=TOLERANCE, cache_size=500)
    peer.fit(training.rows, training.classes)
    if np.abs(machine.decision(fresh) - peer.decision_function(fresh)).max() > 1e-9:
        raise AssertionError("decision values differ from scikit-learn's")
    return _result(
        f"decision function, 7,024 rows, {len(machine.dual)} support vectors",
        "scikit-learn",
        lambda: machine.decision(fresh),
        lambda: peer.decision_function(fresh),
        3.0,
    )


def basic_features() -> Result:
    return _within("basic features", features.BASIC)


def rich_features() -> Result:
    return _within("rich features", features.RICH)


def _within(job: str, names: tuple[str, ...]) -> Result:
    """A limit in seconds, as a ratio: how many times faster than the limit."""
    everything = corpus()
    references, systems = everything.references[:1], everything.systems
    texts = [segment for outputs in systems for segment in make_segments(outputs, references, outputs)]
    features.compute(names, texts[:100])  # compile first
    times = []
    for _ in range(3):
        start = time.process_time()
        features.compute(names, texts)
        times.append((time.process_time() - start) * SEGMENTS / len(texts))
    ratios = [SECONDS_FOR_FEATURES / seconds for seconds in times]
    return Result(
        f"{job} ({len(names)}) of 36,036 segments",
        "the limit of 10 s",
        "s",
        min(times),
        SECONDS_FOR_FEATURES,
        min(ratios),
        statistics.median(ratios),
        1.0 if names == features.BASIC else None,
    )


def _result(
    job: str, peer: str, ours: Callable[[], object], theirs: Callable[[], object], demanded: float
) -> Result:
    mine, other = race(ours, theirs)
    ratios = [b / a for a, b in zip(mine, other, strict=True)]
    return Result(job, peer, "s", min(mine), min(other), min(ratios), statistics.median(ratios), demanded)


if __name__ == "__main__":
    for result in run():
        print(
            f"{result.job}: {result.ours:.3f} {result.unit}, {result.peer} {result.theirs:.3f}; "
            f"ratio min {result.ratio_min:.2f}, median {result.ratio_median:.2f}, demanded {result.demanded}"
        )
