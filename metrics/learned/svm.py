"""Support vector machines with a Gaussian kernel (Kulesza 2004, section 3.3), and their grid search (section
4.1).

k(x, y) = exp(−‖x − y‖² / 2σ²), so γ = 1/(2σ²). The value of a translation is its signed distance from the
separator, ⟨w, x⟩ − b: positive on the human side. scikit-learn's libsvm solves the quadratic problem to the
tolerance of the thesis. The Gram matrix is computed here, once per σ for every C, and ``decision`` is a
matrix product instead of a loop over support vectors.

The search trains at every (C, σ) and selects by validation accuracy alone. Where accuracy jumps between the
best point and a neighbour, the grid is refined and the search repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from appraise.lib.parallel import parallel_map
from metrics.learned.features import Scaling
from metrics.metaeval.datasets import FloatArray, IntArray

TOLERANCE = 0.01
ROWS_AT_ONCE = 64  # a block of exponents that stays in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Feature rows with their classes: +1 human, −1 machine. Both must occur; values must be finite."""

    rows: FloatArray
    classes: IntArray

    def __post_init__(self) -> None:
        if self.rows.ndim != 2 or len(self.rows) != len(self.classes):
            raise ValueError(f"rows of shape {self.rows.shape} do not fit {len(self.classes)} classes")
        if not np.isfinite(self.rows).all():
            raise ValueError(f"{np.count_nonzero(~np.isfinite(self.rows))} feature values are not finite")
        classes = sorted(set(self.classes.tolist()))
        if classes != [-1, 1]:
            raise ValueError(f"examples of both classes, +1 and -1, are needed; found {classes}")


@dataclass(frozen=True, slots=True, eq=False)
class Svm:
    """A trained machine; ``dual`` holds yᵢαᵢ of the support vectors, which are stored as scaled rows."""

    c: float
    sigma: float
    support: FloatArray
    dual: FloatArray
    bias: float
    scaling: Scaling

    def decision(self, rows: FloatArray) -> FloatArray:
        """Return the signed distances of raw feature rows; positive is human."""
        if rows.ndim != 2 or rows.shape[1] != self.support.shape[1]:
            raise ValueError(f"expected rows of {self.support.shape[1]} features, got shape {rows.shape}")
        left, right = _exponents(self.scaling(rows), self.support, self.sigma)
        distances = np.empty(len(rows))
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block = left[start : start + ROWS_AT_ONCE] @ right
            np.exp(block, out=block)
            distances[start : start + ROWS_AT_ONCE] = block @ self.dual
        return distances + self.bias


def train(examples: Labelled, *, c: float, sigma: float, scaling: str = "none") -> Svm:
    """Train one machine."""
    fitted = Scaling.fit(examples.rows, scaling)
    rows = fitted(examples.rows)
    places, dual, bias = solve(kernel(rows, rows, sigma), examples.classes, c)
    return Svm(c, sigma, rows[places], dual, bias, fitted)


def solve(gram: FloatArray, classes: IntArray, c: float) -> tuple[IntArray, FloatArray, float]:
    """Solve the dual problem to the tolerance of the thesis; returns the support vectors, yᵢαᵢ, and −b."""
    solver = SVC(C=_positive(c), kernel="precomputed", tol=TOLERANCE, cache_size=500).fit(gram, classes)
    return solver.support_.astype(np.int64), solver.dual_coef_[0].copy(), float(solver.intercept_[0])


def kernel(a: FloatArray, b: FloatArray, sigma: float) -> FloatArray:
    """Return the matrix k(aᵢ, bⱼ).

    >>> kernel(np.array([[0.0]]), np.array([[0.0], [2.0]]), sigma=1.0).round(4).tolist()
    [[1.0, 0.1353]]
    """
    # Distances from differences, not from a product: the solver takes another path if k(x, x) is not 1.
    values: FloatArray = cdist(a, b, "sqeuclidean")
    values *= -1 / (2 * _positive(sigma) ** 2)
    np.exp(values, out=values)
    return values


def _exponents(a: FloatArray, b: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Return augmented matrices whose product is −‖aᵢ − bⱼ‖²/2σ², without temporary arrays."""
    gamma = 1 / (2 * _positive(sigma) ** 2)
    centre = b.mean(axis=0)  # smaller numbers lose less precision in aᵢ² + bⱼ² − 2aᵢbⱼ
    a, b = a - centre, b - centre
    left = np.column_stack([2 * gamma * a, -gamma * (a**2).sum(axis=1), np.ones(len(a))])
    right = np.vstack([b.T, np.ones(len(b)), -gamma * (b**2).sum(axis=1)])
    return left, right


def _positive(parameter: float) -> float:
    if not parameter > 0:
        raise ValueError(f"C and σ are positive numbers, not {parameter}")
    return parameter


Axes = tuple[Sequence[float], Sequence[float]]

BASIC: Axes = ((5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 150.0), (10.0, 25.0, 50.0, 75.0, 100.0))  # Table A.1
EXTENDED: Axes = (BASIC[0], (25.0, 40.0, 50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 100.0))  # Table A.2
GRIDS = {"basic": BASIC, "extended": EXTENDED}


@dataclass(frozen=True, slots=True)
class GridPoint:
    """Accuracy of one machine on the validation set: on all, human and machine translations."""

    c: float
    sigma: float
    accuracy: float
    human: float
    machine: float
    support: int


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Every point with its machine, in order of training, and the best one."""

    points: tuple[GridPoint, ...]
    chosen: GridPoint
    machine: Svm
    machines: tuple[Svm, ...] = ()


def search(
    training: Labelled,
    validation: Labelled,
    *,
    axes: Axes = BASIC,
    scaling: str = "none",
    refine: int = 0,
    progress: Callable[[str], None] = lambda message: None,
) -> Grid:
    """Search the grid, and refine it up to ``refine`` times around the best point.

    Of points with equal accuracy the smoother machine is selected: the smaller C, then the larger σ.
    """
    if not axes[0] or not axes[1]:
        raise ValueError("a grid needs at least one C and one σ")
    fitted = Scaling.fit(training.rows, scaling)
    machines: dict[GridPoint, Svm] = {}
    settings = [(c, sigma) for sigma in axes[1] for c in axes[0]]
    for _ in range(refine + 1):
        for point, machine in _train_all(training, validation, fitted, settings):
            progress(f"C {point.c:g}, σ {point.sigma:g}: accuracy {point.accuracy:.4f}")
            machines[point] = machine
        settings = refine_grid(list(machines), len(validation.classes))
        if not settings:
            break
    chosen = best_point(machines)
    return Grid(tuple(machines), chosen, machines[chosen], tuple(machines.values()))


def best_point(points: Iterable[GridPoint]) -> GridPoint:
    """Return the point with the highest accuracy, then the smaller C, then the larger σ."""
    return max(points, key=lambda point: (point.accuracy, -point.c, point.sigma))


def refine_grid(points: Sequence[GridPoint], examples: int) -> list[tuple[float, float]]:
    """Return the geometric means of the best point and of neighbours that differ from it significantly.

    A neighbour is the next trained point with the same σ or the same C. Significant means that the accuracies
    on ``examples`` validation rows differ by more than 1.96 standard errors of a difference of proportions.
    """
    top = best_point(points)
    across = sorted({point.c for point in points if point.sigma == top.sigma})
    down = sorted({point.sigma for point in points if point.c == top.c})
    accuracy = {(point.c, point.sigma): point.accuracy for point in points}
    near = [(c, top.sigma) for c in _next_to(across, top.c)] + [(top.c, s) for s in _next_to(down, top.sigma)]
    return [
        (math.sqrt(c * top.c), math.sqrt(sigma * top.sigma))
        for c, sigma in near
        if _differ(top.accuracy, accuracy[c, sigma], examples)
    ]


def _train_all(
    training: Labelled, validation: Labelled, scaling: Scaling, settings: Sequence[tuple[float, float]]
) -> Iterable[tuple[GridPoint, Svm]]:
    """Train in one work item per σ, here or on a cluster; its Gram matrix is computed where it is used."""
    sigmas = dict.fromkeys(sigma for _, sigma in settings)
    pieces = [(sigma, [c for c, other in settings if other == sigma]) for sigma in sigmas]
    return chain.from_iterable(parallel_map(partial(_train_at, training, validation, scaling), pieces))


def _train_at(
    training: Labelled, validation: Labelled, scaling: Scaling, piece: tuple[float, Sequence[float]]
) -> list[tuple[GridPoint, Svm]]:
    sigma, costs = piece
    rows, held_out = scaling(training.rows), scaling(validation.rows)
    gram, across = kernel(rows, rows, sigma), kernel(held_out, rows, sigma)
    results = []
    with threadpool_limits(1):  # threads do not speed up products with a vector
        for c in costs:
            places, dual, bias = solve(gram, training.classes, c)
            values = across[:, places] @ dual + bias
            machine = Svm(c, sigma, rows[places], dual, bias, scaling)
            results.append((_point(machine, values, validation), machine))
    return results


def _point(machine: Svm, values: FloatArray, validation: Labelled) -> GridPoint:
    right = (values > 0) == (validation.classes > 0)
    human = validation.classes > 0
    return GridPoint(
        c=machine.c,
        sigma=machine.sigma,
        accuracy=float(right.mean()),
        human=float(right[human].mean()),
        machine=float(right[~human].mean()),
        support=len(machine.dual),
    )


def _next_to(values: list[float], value: float) -> list[float]:
    place = values.index(value)
    return [values[other] for other in (place - 1, place + 1) if 0 <= other < len(values)]


def _differ(one: float, other: float, examples: int) -> bool:
    error = math.sqrt((one * (1 - one) + other * (1 - other)) / examples)
    return abs(one - other) > 1.96 * error
