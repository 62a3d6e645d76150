"""Opens a model file of any kind as a metric; its header says which family reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from metrics import registry
from metrics.base import Metric, MetricUnavailable
from metrics.npz import DAMAGED

RANKER = "appraise-ranker"


def chosen(
    names: Sequence[str], models: Sequence[str | Path], spelled: Callable[[str], str] = str
) -> dict[str, Metric]:
    """Metrics by the names that were asked for, ``spelled`` in full, and trained models by their own.

    ``ValueError`` names what does not exist, or is ambiguous.
    """
    try:
        found = {name: registry.parse(spelled(name)) for name in names}
    except (registry.UnknownMetric, MetricUnavailable) as error:
        raise ValueError(str(error)) from error
    for path in models:
        metric = load_model(path)
        if metric.name in found:
            raise ValueError(f"two metrics are called {metric.name!r}; score them one after the other")
        found[metric.name] = metric
    return found


def load_model(path: str | Path) -> Metric:
    """The metric of a file that ``train`` wrote; ``InputError`` if it cannot be used."""
    if file_format(path) == RANKER:
        from metrics.ranking.metric import RankerMetric
        from metrics.ranking.store import load_ranker

        load_ranker(Path(path))  # a damaged file is refused now, not when scoring starts
        return RankerMetric(str(path))
    from metrics.learned.metric import load  # only a model needs the learners

    return load(path)


def file_format(path: str | Path) -> str | None:
    """What the header of an NPZ model names, or None where there is no such header."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as stored:
            found = json.loads(bytes(stored["header"]))["format"]
    except (OSError, *DAMAGED):
        return None
    return found if isinstance(found, str) else None
