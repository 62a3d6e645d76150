"""Load model files as metrics; the header of a file says which package reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from appraise.lib.streams import NPZ_ERRORS, check_array_sizes
from metrics import registry
from metrics.base import Metric, MetricUnavailable

RANKER = "appraise-ranker"


def load_metrics(
    names: Sequence[str], models: Sequence[str | Path], expand: Callable[[str], str] = str
) -> dict[str, Metric]:
    """Return metrics by the given names, which ``expand`` completes, and models by their own names.

    ``ValueError`` names what does not exist or is ambiguous.
    """
    try:
        metrics = {name: registry.parse(expand(name)) for name in names}
    except (registry.UnknownMetric, MetricUnavailable) as error:
        raise ValueError(str(error)) from error
    for path in models:
        metric = load_model(path)
        if metric.name in metrics:
            raise ValueError(f"two metrics are called {metric.name!r}; score them one after the other")
        metrics[metric.name] = metric
    return metrics


def load_model(path: str | Path) -> Metric:
    """Return the metric of a file that ``train`` wrote; ``InputError`` if it cannot be used."""
    if read_format(path) == RANKER:
        from metrics.ranking.metric import RankerMetric
        from metrics.ranking.models import load_ranker

        load_ranker(Path(path))  # a damaged file is refused now, not when scoring starts
        return RankerMetric(str(path))
    from metrics.learned.metric import load  # only a model needs the learners

    return load(path)


def read_format(path: str | Path) -> str | None:
    """Return the format in the header of an NPZ model, or None without such a header."""
    try:
        with open(path, "rb") as file:
            check_array_sizes(file)
            with np.load(file, allow_pickle=False) as stored:
                name = json.loads(bytes(stored["header"]))["format"]
    except (OSError, *NPZ_ERRORS):
        return None
    return name if isinstance(name, str) else None
