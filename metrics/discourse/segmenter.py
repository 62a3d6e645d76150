"""Finds where elementary discourse units begin: a boundary classifier over words.

The parser of paper 004 segments with a maximum-entropy model over lexical and syntactic features (Joty et al.
2012). This one is a maximum-entropy model over words only: neighbours, endings, punctuation, and the content
of the unit so far. It reads from left to right, and each decision depends on where the last unit began.

The linear classifier, trained by scikit-learn and stored as plain arrays, also links the units (``learned``).
Its features are strings; unknown ones are ignored. With one class the score is its log-odds.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from metrics.discourse.words import VOCABULARY, find_classes

BEGIN = "begin"
EDGE = "<>"
AUXILIARIES = frozenset(VOCABULARY["words"]["auxiliaries"].split())
BIASES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
MAX_EDUS = 60  # real sentences have under thirty; the rest of a longer line belongs to the last unit


def segment(words: Sequence[str], model: LinearClassifier, classes: Mapping[str, str]) -> list[int]:
    """The positions of the words that begin a unit: always the first word; none for an empty sentence."""
    if not words:
        return []
    begins = [0]
    view = GapFeatures(words, classes)
    for place in range(1, len(words)):
        if len(begins) < MAX_EDUS and model.odds(view.features(place, begins[-1])) > 0:
            begins.append(place)
    return begins


class GapFeatures:
    """The features of the gaps between the words of a sentence."""

    def __init__(self, words: Sequence[str], classes: Mapping[str, str]) -> None:
        low = [word.lower() for word in words]
        kinds = find_classes(low, classes)
        self.low = [EDGE, EDGE, EDGE, *low, EDGE, EDGE, EDGE]
        self.kinds = [EDGE, EDGE, EDGE, *kinds, EDGE, EDGE, EDGE]
        self.verbs = [0, *accumulate(map(_may_be_verb, low, kinds))]
        self.capital = [word[:1].isupper() for word in words]
        self.next_stop = _next_stops(low)

    def features(self, place: int, begin: int) -> list[str]:
        """Names of the features of the gap before this word, in a unit that began at ``begin``."""
        i = place + 3
        b3, b2, b1, w0, w1, w2 = self.low[i - 3 : i + 3]
        k3, k2, k1, c0, c1, c2 = self.kinds[i - 3 : i + 3]
        verbs_before = min(self.verbs[place] - self.verbs[begin], 2)
        stop = self.next_stop[place]
        verbs_after = min(self.verbs[stop] - self.verbs[place], 2)
        verbs_ahead = min(self.verbs[min(place + 4, len(self.verbs) - 1)] - self.verbs[place], 2)
        verbs = f"{verbs_before}{verbs_after}"
        length = min((place - begin).bit_length(), 5)
        rest = min((len(self.next_stop) - place).bit_length(), 5)
        first, kind = self.low[begin + 3], self.kinds[begin + 3]
        comma = b1 if not b1[-1:].isalnum() else "w"
        # The letter names the template: a letter that is used twice would mix the weights of two templates.
        return [
            f"a{w0}", f"b{b1}", f"c{w1}", f"d{b2}", f"e{w2}", f"f{b3}",
            f"g{b1} {w0}", f"h{w0} {w1}", f"i{b2} {b1}", f"k{b1} {w0} {w1}",
            f"m{c0}", f"n{k1}", f"o{c1}", f"p{k1} {c0}", f"q{c0} {c1}", f"r{k2} {k1} {c0}",
            f"s{k1} {c0} {c1}", f"S{c0} {c1} {c2}", f"R{k3} {k2} {k1}", f"Q{k2} {k1}", f"O{w0} {c1}",
            f"P{w0} {c1} {c2}", f"N{k1} {w0}", f"M{k1} {w0} {c1}", f"L{b1} {c0} {c1}", f"K{b1} {c0}",
            f"t{verbs}{comma}", f"u{length} {comma}", f"v{w0} {verbs}", f"w{w0} {comma}",
            f"x{c0} {verbs}{comma}", f"y{self.capital[place]}{comma}", f"z{first} {comma}",
            f"A{first} {w0}", f"B{length}{rest}", f"C{w0} {verbs_ahead}{verbs_before}",
            f"D{verbs_before}{verbs_ahead}{length}{comma}",
            f"E{w0} {length}", f"F{comma}{c0} {c1}", f"H{first} {verbs}{comma}",
            f"I{kind} {c0} {comma}",
        ]  # fmt: skip


Units = Sequence[Sequence[str]]


def fit_segmenter(
    sentences: Sequence[Units], classes: Mapping[str, str], strength: float = 0.1
) -> LinearClassifier:
    """Learn from sentences given as lists of units, which are lists of words.

    Boundaries are rare, so a maximum-entropy model finds too few of them. A bias towards boundaries is chosen
    on every tenth sentence with a model of the other nine, and added to that of the final model.
    """
    rest = [units for number, units in enumerate(sentences) if number % 10]
    trial = _fit(rest or sentences, classes, strength)
    bias = max(BIASES, key=lambda bias: boundary_f1(sentences[::10], _add_bias(trial, bias), classes) or 0.0)
    return _add_bias(_fit(sentences, classes, strength), bias)


def boundary_f1(
    sentences: Sequence[Units], model: LinearClassifier, classes: Mapping[str, str]
) -> float | None:
    """F1 of the boundaries inside sentences, without the first word; None without any."""
    hits = guessed = true = 0
    for units in sentences:
        gold = find_begins(units) - {0}
        guess = set(segment([word for unit in units for word in unit], model, classes)) - {0}
        hits, guessed, true = hits + len(gold & guess), guessed + len(guess), true + len(gold)
    return 2 * hits / (guessed + true) if guessed + true else None


def _fit(sentences: Sequence[Units], classes: Mapping[str, str], strength: float) -> LinearClassifier:
    examples, labels = [], []
    for units in sentences:
        words = [word for unit in units for word in unit]
        view, begin, begins = GapFeatures(words, classes), 0, find_begins(units)
        for place in range(1, len(words)):
            examples.append(view.features(place, begin))
            labels.append("" if place not in begins else BEGIN)
            begin = place if place in begins else begin
    return fit_classifier(examples, labels, least=2, strength=strength)


def _add_bias(model: LinearClassifier, bias: float) -> LinearClassifier:
    return replace(model, bias=model.bias + np.float32(bias))


def find_begins(units: Units) -> set[int]:
    """The positions of the first words of the units."""
    return set(accumulate(map(len, units[:-1]), initial=0)) if units else set()


def _may_be_verb(word: str, kind: str) -> bool:
    """Whether the word may be a verb: by its class, or by its form if the class is unknown."""
    if kind not in ("X", "9"):
        return "VB" in kind or kind.startswith("MD")
    return word in AUXILIARIES or (len(word) > 4 and word.endswith(("ed", "ing")))


def _next_stops(words: Sequence[str]) -> list[int]:
    """For every position, that of the next punctuation mark, or the end."""
    stops, stop = [], len(words)
    for place in range(len(words) - 1, -1, -1):
        stop = place if place and not words[place][0].isalnum() and words[place][0] != "'" else stop
        stops.append(stop)
    return stops[::-1]


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
        return np.asarray(self.weights[known].sum(axis=0) + self.bias)

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
