"""A linear classifier over named features, trained by scikit-learn and stored as plain arrays.

Both steps of the learned discourse parser use it. Features are strings; unknown features are ignored. With
one class the score is its log-odds.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class LinearClassifier:
    """Weights by feature (row) and class (column), and each class's bias."""

    classes: tuple[str, ...]
    rows: dict[str, int]
    weights: npt.NDArray[np.float32]
    bias: npt.NDArray[np.float32]

    def scores(self, features: Iterable[str]) -> npt.NDArray[np.float32]:
        """Log-odds (one class) or log-probabilities up to a constant, one for each class."""
        known = [row for row in map(self.rows.get, features) if row is not None]
        total: npt.NDArray[np.float32] = self.weights[known].sum(axis=0) + self.bias
        return total

    def odds(self, features: Iterable[str]) -> float:
        """The log-odds of a model with one class: the same sum, faster for a single column."""
        get = self._column.get
        return sum([get(feature, 0.0) for feature in features], self._first_bias)

    @cached_property
    def _column(self) -> dict[str, float]:
        return dict(zip(self.rows, self.weights[:, 0].tolist(), strict=True))

    @cached_property
    def _first_bias(self) -> float:
        return float(self.bias[0])

    def arrays(self, prefix: str) -> dict[str, npt.NDArray[np.generic]]:
        """The arrays of a model file."""
        return {
            f"{prefix}_classes": np.array(self.classes),
            f"{prefix}_features": np.array(list(self.rows)),
            f"{prefix}_weights": self.weights,
            f"{prefix}_bias": self.bias,
        }

    @classmethod
    def from_arrays(cls, arrays: dict[str, npt.NDArray[np.generic]], prefix: str) -> LinearClassifier:
        """The reverse of ``arrays``; raises ``ValueError`` for inconsistent sizes."""
        names = arrays[f"{prefix}_features"].tolist()
        weights = arrays[f"{prefix}_weights"].astype(np.float32)
        bias = arrays[f"{prefix}_bias"].astype(np.float32)
        classes = tuple(arrays[f"{prefix}_classes"].tolist())
        if weights.shape != (len(names), len(classes)) or bias.shape != (len(classes),):
            raise ValueError(
                f"{prefix}: {len(names)} features × {len(classes)} classes, weights {weights.shape}"
            )
        return cls(classes, {name: row for row, name in enumerate(names)}, weights, bias)


def fit_classifier(
    examples: Sequence[Sequence[str]],
    labels: Sequence[str],
    *,
    least: int = 2,
    strength: float = 1.0,
    steps: int = 200,
) -> LinearClassifier:
    """Logistic regression over features that occur ``least`` times or more; ``strength`` is scikit-learn's C.

    Two labels give a model with one column, for the label that sorts last; the fit is deterministic.
    """
    from scipy.sparse import csr_matrix
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.linear_model import LogisticRegression

    if len(set(labels)) < 2:
        raise ValueError(f"a classifier needs two labels or more, got {sorted(set(labels))}")
    counts = Counter(feature for features in examples for feature in set(features))
    rows = {feature: row for row, feature in enumerate(sorted(f for f, n in counts.items() if n >= least))}
    known = [[rows[feature] for feature in features if feature in rows] for features in examples]
    starts = np.cumsum([0, *map(len, known)])
    columns = np.array([row for example in known for row in example], np.int32)
    matrix = csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(known), len(rows)))
    model = LogisticRegression(C=strength, max_iter=steps, tol=1e-3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # stopping early acts as mild regularisation
        model.fit(matrix, labels)
    classes = model.classes_.tolist()
    weights = model.coef_.T.astype(np.float32)
    return LinearClassifier(
        tuple(classes[-weights.shape[1] :]), rows, weights, model.intercept_.astype(np.float32)
    )
