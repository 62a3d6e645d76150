"""Judgements from plain columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from evaluation.agreement import Judgements


def from_columns(
    annotators: ArrayLike,
    items: ArrayLike,
    labels: ArrayLike,
    label_names: Sequence[str],
    *,
    sentences: ArrayLike | None = None,
    annotator_names: Sequence[str] | None = None,
) -> Judgements:
    """Judgements of whole columns of keys; ``labels`` are codes already."""
    keys, who = np.unique(np.asarray(annotators), return_inverse=True)
    if annotator_names is not None:
        who, names = np.asarray(annotators, dtype=np.int64), tuple(annotator_names)
    else:
        names = tuple(str(key) for key in keys.tolist())
    units = np.asarray(items)
    return Judgements(
        who.astype(np.int64),
        np.unique(units, return_inverse=True)[1],
        np.asarray(labels, dtype=np.int16),
        np.unique(units if sentences is None else np.asarray(sentences), return_inverse=True)[1],
        tuple(label_names),
        names,
    )
