"""Model files: a linear combination is JSON, a support vector machine NPZ with JSON inside; never a pickle.

Every file contains its features with their exact definitions, the preparation of texts, its parameters, the
digest of its training data and the versions of the software. A file that is damaged, or whose features are
now computed differently, is refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from appraise.lib.problems import InputError
from appraise.lib.streams import convert_read_errors, read_arrays
from metrics.base import find_versions
from metrics.learned import features
from metrics.learned.combination import FeatureWeights
from metrics.learned.features import Preparation, Scaling
from metrics.learned.svm import Svm
from metrics.metaeval.datasets import FloatArray

FORMAT = "appraise-model"
VERSION = 1
About = dict[str, Any]  # Any: JSON


@dataclass(frozen=True, slots=True, eq=False)
class LearnedModel:
    """A learned function of features, with its provenance."""

    name: str
    names: tuple[str, ...]
    preparation: Preparation
    function: Svm | FeatureWeights
    about: About

    @property
    def kind(self) -> str:
        return "svm" if isinstance(self.function, Svm) else "combination"

    def values(self, rows: FloatArray) -> FloatArray:
        """Return one value per feature row; higher is better."""
        return self.function.decision(rows) if isinstance(self.function, Svm) else self.function(rows)


def describe(name: str, names: tuple[str, ...], preparation: Preparation, **more: object) -> About:
    """Return the description that every model file contains."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "name": name,
        "features": list(names),
        "definitions": features.signatures(names, preparation),
        "preparation": asdict(preparation),
        "software": find_versions("appraise", "numpy", "scikit-learn"),
        **more,
    }


def save(model: LearnedModel, path: str | Path) -> None:
    """Write the file; equal models give equal bytes."""
    function = model.function
    about = {**model.about, "kind": model.kind, "scaling": function.scaling.kind}
    if isinstance(function, FeatureWeights):
        rows = zip(model.names, function.values, function.scaling.shift, function.scaling.width, strict=True)
        columns = ("feature", "weight", "shift", "width")
        about["weights"] = [dict(zip(columns, (n, *map(float, rest)), strict=True)) for n, *rest in rows]
        text = json.dumps(about, ensure_ascii=False, allow_nan=False, indent=1)
        Path(path).write_text(text + "\n", encoding="utf-8")
        return
    about |= {"c": function.c, "sigma": function.sigma, "bias": function.bias}
    arrays = {
        "support": function.support,
        "dual": function.dual,
        "shift": function.scaling.shift,
        "width": function.scaling.width,
    }
    text = json.dumps(about, ensure_ascii=False, allow_nan=False)
    with Path(path).open("wb") as stream:
        np.savez_compressed(stream, about=np.frombuffer(text.encode(), np.uint8), **arrays)  # type: ignore[arg-type]  # the stub takes arrays for its flag


def load(path: str | Path) -> LearnedModel:
    """Read and check a model; ``InputError`` states what is wrong with it."""
    try:
        about, arrays = _read(Path(path))
        model = _model(about, arrays)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        _refuse(path, "bad_model", f"the file is not a usable model: {error}", "train it again")
    _check_definitions(model, path)
    return model


def _read(path: Path) -> tuple[About, Mapping[str, FloatArray]]:
    with convert_read_errors(path):
        content = path.read_bytes()
    if content[:2] != b"PK":
        return json.loads(content.decode()), {}
    arrays = read_arrays(path)
    about = np.asarray(arrays.pop("about"))
    if about.dtype != np.uint8:
        raise ValueError("its description is not text")
    return json.loads(about.tobytes().decode()), arrays


def _model(about: About, arrays: Mapping[str, FloatArray]) -> LearnedModel:
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}")
    if not isinstance(about.get("definitions"), dict):
        raise ValueError("it does not define its features")
    if about["version"] != VERSION:
        raise ValueError(f"it has version {about['version']}, known is {VERSION}")
    names = tuple(map(str, about["features"]))
    function = _machine(about, arrays, len(names)) if about["kind"] == "svm" else _weights(about, names)
    return LearnedModel(
        str(about["name"]), names, features.preparation_of(about["preparation"]), function, about
    )


def _machine(about: About, arrays: Mapping[str, FloatArray], columns: int) -> Svm:
    size = len(arrays["dual"])
    shapes = {"support": (size, columns), "dual": (size,), "shift": (columns,), "width": (columns,)}
    for name, shape in shapes.items():
        _numbers(name, arrays[name], shape)
    scaling = Scaling(str(about["scaling"]), arrays["shift"], arrays["width"])
    numbers = [float(about[name]) for name in ("c", "sigma", "bias")]
    _numbers("parameters", np.array(numbers), (3,))
    return Svm(numbers[0], numbers[1], arrays["support"], arrays["dual"], numbers[2], scaling)


def _weights(about: About, names: tuple[str, ...]) -> FeatureWeights:
    if about["kind"] != "combination":
        raise ValueError(f"unknown kind {about['kind']!r}")
    rows = about["weights"]
    if [row["feature"] for row in rows] != list(names):
        raise ValueError("its weights are not those of its features")
    table = np.array([[row[key] for key in ("weight", "shift", "width")] for row in rows], dtype=np.float64)
    _numbers("weights", table, (len(names), 3))
    return FeatureWeights(table[:, 0], Scaling(str(about["scaling"]), table[:, 1], table[:, 2]))


def _numbers(name: str, values: FloatArray, shape: tuple[int, ...]) -> None:
    values = np.asarray(values)
    if values.shape != shape or values.dtype != np.float64 or not np.isfinite(values).all():
        raise ValueError(f"{name} should be finite numbers of shape {shape}, not {values.shape}")


def _check_definitions(model: LearnedModel, path: str | Path) -> None:
    """Refuse features that this version does not have or computes differently."""
    try:
        now = features.signatures(model.names, model.preparation)
    except (LookupError, ValueError) as error:
        _refuse(path, "unknown_feature", str(error), "train it again")
    then = model.about["definitions"]
    changed = [name for name in model.names if then.get(name) != now[name]]
    if changed:
        message = f"feature {changed[0]!r} was {then.get(changed[0])!r} and is now {now[changed[0]]!r}"
        _refuse(path, "other_features", message, "train it again")


def _refuse(path: str | Path, code: str, message: str, remedy: str) -> NoReturn:
    raise InputError.of(code, message, remedy, Path(path).name)
