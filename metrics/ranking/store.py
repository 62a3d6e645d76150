"""Models of this family on disk: NPZ with a JSON header, never pickle.

A ranker's file names its features, its classifier, the digest of its training data, the tools that gave the
features, and the language model and lexicon that it needs, by file name and digest. Curves and
coefficients are stored as they are; neighbours and boosted trees are stored as their training pairs and
fitted again on loading, which is exact because both are deterministic.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.problems import InputError, Problem
from metrics.npz import Arrays, read_arrays
from metrics.ranking.classifiers import CLASSIFIERS, Classifier, NaiveBayes
from metrics.ranking.lexicon import Lexicon
from metrics.ranking.loess import Curve, FloatArray

VERSION = 1


@dataclass(frozen=True, slots=True, eq=False)
class RankerModel:
    """A fitted ranker: which features, which classifier, and everything about where they came from."""

    features: tuple[str, ...]
    kind: str
    classifier: Classifier
    about: Mapping[str, Any]  # Any: whatever JSON can say
    pairs: FloatArray
    won: FloatArray


def fit(
    features: tuple[str, ...], kind: str, pairs: FloatArray, won: FloatArray, about: Mapping[str, Any]
) -> RankerModel:
    """Train a classifier by name on examples whose columns are ``features``; raises ValueError."""
    if kind not in CLASSIFIERS:
        raise ValueError(f"unknown classifier {kind!r}; known are: {', '.join(CLASSIFIERS)}")
    if len(won) == 0:
        raise ValueError("there is no decided pair to learn from")
    return RankerModel(features, kind, CLASSIFIERS[kind](pairs, won), about, pairs, won)


def save_ranker(model: RankerModel, path: Path) -> None:
    header = {
        "format": "appraise-ranker",
        "version": VERSION,
        "features": model.features,
        "classifier": model.kind,
    }
    arrays: Arrays = {"header": _text(json.dumps({**header, **model.about}))}
    if isinstance(model.classifier, NaiveBayes):
        arrays["prior"] = np.array([model.classifier.prior])
        for k, curve in enumerate(model.classifier.curves):
            if curve is not None:
                arrays[f"curve{k}"] = np.stack([curve.grid, curve.values])
    else:
        arrays |= {"pairs": model.pairs, "won": model.won}
    with path.open("wb") as file:  # a file, because savez would add a suffix to a name
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_ranker(path: Path) -> RankerModel:
    """Raises InputError when the file is not a ranker."""
    with _told(path):
        arrays, header = _load(path, "appraise-ranker")
        features, kind = tuple(header["features"]), header["classifier"]
        if kind != "naive-bayes":
            return fit(features, kind, arrays["pairs"], arrays["won"], header)
        curves = (arrays.get(f"curve{k}") for k in range(len(features)))
        bayes = NaiveBayes(
            float(arrays["prior"][0]),
            tuple(None if both is None else Curve(both[0], both[1]) for both in curves),
        )
        return RankerModel(features, kind, bayes, header, np.zeros((0, len(features))), np.zeros(0))


def save_lexicons(there: Lexicon, back: Lexicon, path: Path, about: Mapping[str, Any]) -> None:
    """Both directions of IBM model 1 in one file."""
    header = {"format": "appraise-lexicon", "version": VERSION, **about}
    arrays: Arrays = {"header": _text(json.dumps(header))}
    for name, lexicon in (("there", there), ("back", back)):
        arrays[f"{name}_given"] = _text("\n".join(lexicon.given))
        arrays[f"{name}_words"] = _text("\n".join(lexicon.words))
        arrays[f"{name}_keys"] = lexicon.keys
        arrays[f"{name}_table"] = lexicon.table.astype(np.float32)
    with path.open("wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)


def load_lexicons(path: Path) -> tuple[Lexicon, Lexicon]:
    """Target given source, and source given target; raises InputError."""
    with _told(path):
        arrays, _ = _load(path, "appraise-lexicon")
        there, back = (
            Lexicon(
                tuple(bytes(arrays[f"{name}_given"]).decode().split("\n")),
                tuple(bytes(arrays[f"{name}_words"]).decode().split("\n")),
                arrays[f"{name}_keys"],
                arrays[f"{name}_table"].astype(np.float64),
            )
            for name in ("there", "back")
        )
        return there, back


def _text(text: str) -> np.ndarray[Any, np.dtype[np.uint8]]:
    return np.frombuffer(text.encode(), np.uint8)


def _load(path: Path, wanted: str) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file, and what its header says."""
    arrays = read_arrays(path)
    header = json.loads(bytes(arrays["header"]))
    if header["format"] != wanted:
        message = f"expected {wanted}, found {header['format']}"
        raise InputError(Problem("bad_model", message, "name another file", path.name))
    return arrays, header


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        problem = Problem("bad_model", f"this is no model file ({error})", "train it again", path.name)
        raise InputError(problem) from error
