"""References that take part as systems: none may be compared with itself."""

from __future__ import annotations

import numpy as np

from metrics.datasets import Comparisons, Dataset, Ratings


def machines_only(
    human: Comparisons | Ratings, dataset: Dataset
) -> tuple[Comparisons | Ratings, tuple[str, ...]]:
    """Leave out judgements of systems that are a reference, ``ref-A`` for column ``refA``; returns which.

    A reference scored against itself would get every metric's best value.
    """
    people = tuple(name for name in dataset.systems() if name not in machine_systems(dataset))
    machine = np.array([cell.system not in people for cell in dataset.cells])
    if not people:
        return human, ()
    if isinstance(human, Ratings):
        kept = machine[human.cells]
        return Ratings(human.cells[kept], human.values[kept]), people
    kept = machine[human.better] & machine[human.worse]
    tied = human.tied[machine[human.tied].all(axis=1)]
    return Comparisons(human.better[kept], human.worse[kept], tied), people


def machine_systems(dataset: Dataset) -> tuple[str, ...]:
    """The systems whose name is not that of a reference column, however it is written."""
    names = {_plain(name) for name in dataset.reference_names}
    return tuple(name for name in dataset.systems() if _plain(name) not in names)


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
