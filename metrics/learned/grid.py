"""The grid search of Kulesza 2004, section 4.1: train at every (C, σ), choose by validation accuracy alone.

One Gram matrix and one matrix of validation kernels are computed per σ and shared by every C. Where accuracy
jumps between the best point and a neighbour, the grid is refined there and the search repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain

from threadpoolctl import threadpool_limits

from metrics.datasets import FloatArray
from metrics.learned.scaling import Scaling
from metrics.learned.svm import Labelled, Machine, kernel, solve
from metrics.spreading import spread

Axes = tuple[Sequence[float], Sequence[float]]

BASIC: Axes = ((5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 150.0), (10.0, 25.0, 50.0, 75.0, 100.0))  # Table A.1
EXTENDED: Axes = (BASIC[0], (25.0, 40.0, 50.0, 55.0, 60.0, 65.0, 70.0, 75.0, 100.0))  # Table A.2
GRIDS = {"basic": BASIC, "extended": EXTENDED}


@dataclass(frozen=True, slots=True)
class GridPoint:
    """One machine's accuracy on the validation set, over all, on human and on machine translations."""

    c: float
    sigma: float
    accuracy: float
    human: float
    machine: float
    support: int


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Every point in order of training with its machine, and the best one."""

    points: tuple[GridPoint, ...]
    chosen: GridPoint
    machine: Machine
    machines: tuple[Machine, ...] = ()


def search(
    training: Labelled,
    validation: Labelled,
    *,
    axes: Axes = BASIC,
    scaling: str = "none",
    refine: int = 0,
    progress: Callable[[str], None] = lambda message: None,
) -> Grid:
    """Search the grid, then up to ``refine`` times where it is discontinuous around the best point.

    Among points of equal accuracy the smoother machine wins: the smaller C, then the larger σ.
    """
    if not axes[0] or not axes[1]:
        raise ValueError("a grid needs at least one C and one σ")
    fitted = Scaling.fit(training.rows, scaling)
    found: dict[GridPoint, Machine] = {}
    wanted = [(c, sigma) for sigma in axes[1] for c in axes[0]]
    for _ in range(refine + 1):
        for point, machine in _train_all(training, validation, fitted, wanted):
            progress(f"C {point.c:g}, σ {point.sigma:g}: accuracy {point.accuracy:.4f}")
            found[point] = machine
        wanted = between(list(found), len(validation.classes))
        if not wanted:
            break
    chosen = best(found)
    return Grid(tuple(found), chosen, found[chosen], tuple(found.values()))


def best(points: Iterable[GridPoint]) -> GridPoint:
    """Highest accuracy; then the smaller C, then the larger σ."""
    return max(points, key=lambda point: (point.accuracy, -point.c, point.sigma))


def between(points: Sequence[GridPoint], examples: int) -> list[tuple[float, float]]:
    """Geometric means between the best point and those neighbours that differ from it significantly.

    A neighbour is the next trained point with the same σ or the same C. Significant: the two accuracies on
    ``examples`` validation rows differ by more than 1.96 standard errors of a difference of proportions.
    """
    top = best(points)
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
    training: Labelled, validation: Labelled, scaling: Scaling, wanted: Sequence[tuple[float, float]]
) -> Iterable[tuple[GridPoint, Machine]]:
    """One piece of work per σ, here or on a cluster; its Gram matrix is made where it is used."""
    sigmas = dict.fromkeys(sigma for _, sigma in wanted)
    pieces = [(sigma, [c for c, its in wanted if its == sigma]) for sigma in sigmas]
    return chain.from_iterable(spread(partial(_train_at, training, validation, scaling), pieces))


def _train_at(
    training: Labelled, validation: Labelled, scaling: Scaling, piece: tuple[float, Sequence[float]]
) -> list[tuple[GridPoint, Machine]]:
    sigma, costs = piece
    rows, held_out = scaling(training.rows), scaling(validation.rows)
    gram, across = kernel(rows, rows, sigma), kernel(held_out, rows, sigma)
    found = []
    with threadpool_limits(1):  # products with a vector: threads would only wait for each other
        for c in costs:
            solution = solve(gram, training.classes, c)
            values = across[:, solution.places] @ solution.dual + solution.bias
            machine = Machine(c, sigma, rows[solution.places], solution.dual, solution.bias, scaling)
            found.append((_point(machine, values, validation), machine))
    return found


def _point(machine: Machine, values: FloatArray, validation: Labelled) -> GridPoint:
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
