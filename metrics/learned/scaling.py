"""Scaling of feature columns before learning; named, and saved with the model.

``none`` leaves the raw values (the thesis says nothing of scaling), ``standard`` gives every column of the
training set mean 0 and deviation 1, ``minmax`` stretches it over 0 … 1. A constant column is only shifted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from metrics.datasets import FloatArray

KINDS = ("none", "standard", "minmax")


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """x ↦ (x − shift) / width, column by column.

    >>> Scaling.fit(np.array([[1.0, 5.0], [3.0, 5.0]]), "minmax")(np.array([[2.0, 6.0]])).tolist()
    [[0.5, 1.0]]
    """

    kind: str
    shift: FloatArray
    width: FloatArray

    def __call__(self, rows: FloatArray) -> FloatArray:
        scaled: FloatArray = (rows - self.shift) / self.width
        return scaled

    @classmethod
    def fit(cls, rows: FloatArray, kind: str) -> Scaling:
        if kind not in KINDS:
            raise ValueError(f"unknown scaling {kind!r}; known are: {', '.join(KINDS)}")
        columns = rows.shape[1]
        if kind == "none":
            return cls(kind, np.zeros(columns), np.ones(columns))
        if kind == "minmax":
            shift, width = rows.min(axis=0), np.ptp(rows, axis=0)
        else:
            shift, width = rows.mean(axis=0), rows.std(axis=0)
        return cls(kind, shift, np.where(width > 0, width, 1.0))
