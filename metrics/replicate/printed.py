"""What the papers print (``printed.toml``); the numbers of paper 001 are in ``metrics.ranking.presets``.

Read once when a recipe is first used. These are facts of the papers, never results of ours.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Printed = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class Paper:
    title: str
    citation: str


_ALL: dict[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))  # Any: TOML

PAPERS: Mapping[str, Paper] = {name: Paper(**about) for name, about in _ALL["papers"].items()}

KAPPA: tuple[tuple[float, float], ...] = tuple((one, prime) for one, prime in _ALL["kappa"]["tasks"])
KAPPA_AVERAGE: tuple[float, float] = (_ALL["kappa"]["average"][0], _ALL["kappa"]["average"][1])
KAPPA_SIZES: tuple[float | None, ...] = (  # tasks, sentences a task, annotators, phrase pairs, judgements
    *(_ALL["kappa"][name] for name in ("tasks_count", "sentences", "annotators")),
    None,
    _ALL["kappa"]["judgements"],
)

CORRELATIONS: Printed = _ALL["thesis"]["correlations"]
GRID: Mapping[str, Sequence[Sequence[float]]] = {
    name: _ALL["thesis"]["grid"][name] for name in ("accuracy", "pearson", "spearman")
}
META_CORRELATION: float = _ALL["thesis"]["grid"]["meta"]

BY_MEASURE: Mapping[str, Mapping[str, Any]] = _ALL["collocation"]["by_measure"]  # Any: a name and numbers
BY_METHOD: Mapping[str, Mapping[str, Any]] = _ALL["collocation"]["by_method"]  # Any: the same
ACCURACY: Mapping[str, Printed] = _ALL["collocation"]["accuracy"]
PEERS: Mapping[str, Mapping[str, float]] = _ALL["collocation"]["peers"]

DISCOURSE: Mapping[str, Printed] = _ALL["discourse"]
