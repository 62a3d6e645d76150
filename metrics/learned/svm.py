"""A support vector machine with a Gaussian kernel (Kulesza 2004, section 3.3).

k(x, y) = exp(−‖x − y‖² / 2σ²), so γ = 1/(2σ²). The value of a translation is its signed distance from the
separator, ⟨w, x⟩ − b: positive on the human side. scikit-learn's libsvm solves the quadratic problem to the
thesis's tolerance. What is ours: a Gram matrix can be given, so that one serves every C, and ``decision`` is
a matrix product instead of a loop over support vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from metrics.datasets import FloatArray, IntArray
from metrics.learned.scaling import Scaling

TOLERANCE = 0.01
ROWS_AT_ONCE = 64  # a block of exponents that stays in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Feature rows with their class: +1 human, −1 machine; both must occur and every value be a number."""

    rows: FloatArray
    classes: IntArray

    def __post_init__(self) -> None:
        if self.rows.ndim != 2 or len(self.rows) != len(self.classes):
            raise ValueError(f"rows of shape {self.rows.shape} do not fit {len(self.classes)} classes")
        if not np.isfinite(self.rows).all():
            raise ValueError(f"{np.count_nonzero(~np.isfinite(self.rows))} feature values are no numbers")
        found = sorted(set(self.classes.tolist()))
        if found != [-1, 1]:
            raise ValueError(f"examples of both classes, +1 and -1, are needed; found {found}")


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """A trained machine; ``dual`` holds yᵢαᵢ of the support vectors, which are stored as scaled rows."""

    c: float
    sigma: float
    support: FloatArray
    dual: FloatArray
    bias: float
    scaling: Scaling

    def decision(self, rows: FloatArray) -> FloatArray:
        """Signed distances of raw feature rows; positive is human."""
        if rows.ndim != 2 or rows.shape[1] != self.support.shape[1]:
            raise ValueError(f"expected rows of {self.support.shape[1]} features, got shape {rows.shape}")
        left, right = _exponents(self.scaling(rows), self.support, self.sigma)
        found = np.empty(len(rows))
        for start in range(0, len(rows), ROWS_AT_ONCE):
            block = left[start : start + ROWS_AT_ONCE] @ right
            np.exp(block, out=block)
            found[start : start + ROWS_AT_ONCE] = block @ self.dual
        result: FloatArray = found + self.bias
        return result


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What the quadratic problem gives: which rows are support vectors, their yᵢαᵢ, and −b."""

    places: IntArray
    dual: FloatArray
    bias: float


def train(examples: Labelled, *, c: float, sigma: float, scaling: str = "none") -> Machine:
    """Train one machine."""
    fitted = Scaling.fit(examples.rows, scaling)
    rows = fitted(examples.rows)
    solution = solve(kernel(rows, rows, sigma), examples.classes, c)
    return Machine(c, sigma, rows[solution.places], solution.dual, solution.bias, fitted)


def solve(gram: FloatArray, classes: IntArray, c: float) -> Solution:
    """Solve the dual problem for a given Gram matrix, to the tolerance of the thesis."""
    solver = SVC(C=_positive(c), kernel="precomputed", tol=TOLERANCE, cache_size=500).fit(gram, classes)
    return Solution(
        solver.support_.astype(np.int64), solver.dual_coef_[0].copy(), float(solver.intercept_[0])
    )


def kernel(a: FloatArray, b: FloatArray, sigma: float) -> FloatArray:
    """The matrix k(aᵢ, bⱼ).

    >>> kernel(np.array([[0.0]]), np.array([[0.0], [2.0]]), sigma=1.0).round(4).tolist()
    [[1.0, 0.1353]]
    """
    # Distances by differences, not by a product: the solver follows another path when k(x, x) is not quite 1.
    values: FloatArray = cdist(a, b, "sqeuclidean")
    values *= -1 / (2 * _positive(sigma) ** 2)
    np.exp(values, out=values)
    return values


def _exponents(a: FloatArray, b: FloatArray, sigma: float) -> tuple[FloatArray, FloatArray]:
    """Augmented matrices whose product is −‖aᵢ − bⱼ‖²/2σ²: one product, no temporary."""
    gamma = 1 / (2 * _positive(sigma) ** 2)
    centre = b.mean(axis=0)  # smaller numbers, so that less is lost in aᵢ² + bⱼ² − 2aᵢbⱼ
    a, b = a - centre, b - centre
    left = np.column_stack([2 * gamma * a, -gamma * (a**2).sum(axis=1), np.ones(len(a))])
    right = np.vstack([b.T, np.ones(len(b)), -gamma * (b**2).sum(axis=1)])
    return left, right


def _positive(parameter: float) -> float:
    if not parameter > 0:
        raise ValueError(f"C and σ are positive numbers, not {parameter}")
    return parameter
