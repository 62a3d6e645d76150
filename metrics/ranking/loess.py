"""LOESS: locally weighted linear regression of one variable (Cleveland 1979), without robustness rounds.

At a point x₀ the nearest share of the examples is fitted by a straight line, weighted by the tricube
(1 − (d/d_max)³)³ of their distance; the curve is the line's value at x₀. Naïve Bayes of paper 001 takes its
class curves from here. Curves are computed on a grid and read off by linear interpolation.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A piecewise linear function, constant outside its grid; NaN in gives NaN out."""

    grid: FloatArray
    values: FloatArray

    def __call__(self, x: FloatArray) -> FloatArray:
        return np.where(np.isnan(x), np.nan, np.interp(x, self.grid, self.values))


def curve(x: FloatArray, y: FloatArray, *, span: float = 0.5, points: int = 50) -> Curve:
    """LOESS curve of y over x on a grid of quantiles of x; examples with NaN take no part.

    >>> c = curve(np.arange(10.0), 2 * np.arange(10.0) + 1)
    >>> c(np.array([4.5])).round(6).tolist()
    [10.0]
    """
    known = ~np.isnan(x)
    x, y = x[known], y[known]
    if len(x) == 0:
        raise ValueError("LOESS needs at least one example with a value")
    grid = np.unique(np.quantile(x, np.linspace(0, 1, points)))
    return Curve(grid, loess(x, y, grid, span=span))


def loess(x: FloatArray, y: FloatArray, at: FloatArray, *, span: float = 0.5) -> FloatArray:
    """Values of the local lines at the given points.

    ``span`` is the share of examples that a line sees. Where the nearest ones all have one x, the line is
    their mean: categories and many equal values are no special case for the caller.
    """
    if not 0 < span <= 1:
        raise ValueError(f"span is a share of the examples, in (0, 1]; got {span}")
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    size = max(2, min(len(x), round(span * len(x))))
    return np.array(
        [_local(x, y, point, reach) for point, reach in zip(at, _reach(x, at, size), strict=True)]
    )


def _local(x: FloatArray, y: FloatArray, point: float, reach: float) -> float:
    """Weighted line through the examples of a sorted x within reach, read at ``point``."""
    # Everything within reach takes part: with ties a window of exactly `size` would be arbitrary.
    inside = slice(*np.searchsorted(x, (point - reach, np.nextafter(point + reach, np.inf))))
    if reach == 0:
        return float(np.mean(y[inside]))
    dx = x[inside] - point
    relative = np.minimum(np.abs(dx) / reach, 1.0)
    weight = (1 - relative * relative * relative) ** 3
    total = weight.sum()
    if total == 0:  # all at the very edge: two distant neighbours of a point between them
        return float(np.mean(y[inside]))
    mean_x, mean_y = weight @ dx / total, weight @ y[inside] / total
    spread = weight @ (dx - mean_x) ** 2 / total
    if spread <= 1e-12 * reach**2:
        return float(mean_y)
    slope = weight @ ((dx - mean_x) * (y[inside] - mean_y)) / total / spread
    return float(mean_y - slope * mean_x)


def _reach(x: FloatArray, at: FloatArray, size: int) -> FloatArray:
    """Distance from each point to its ``size``-th nearest value of a sorted x.

    The nearest ones are consecutive; the window whose two ends are equally far is found by bisection.
    """
    ends = x[: len(x) - size + 1] + x[size - 1 :]
    right = np.clip(np.searchsorted(ends, 2 * at), 0, len(ends) - 1)
    both = np.stack([np.maximum(right - 1, 0), right])
    return np.asarray(np.maximum(at - x[both], x[both + size - 1] - at).min(axis=0))
