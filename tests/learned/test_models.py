"""Model files: what is written is read, and what is damaged or out of date is refused."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from appraise.lib.problems import InputError
from metrics import registry
from metrics.base import MetricUnavailable, Segment
from metrics.learned import models
from metrics.learned.combination import FeatureWeights
from metrics.learned.features import BASIC, Preparation, Scaling
from metrics.learned.metric import load
from metrics.learned.svm import Labelled, train

SEGMENTS = [
    Segment("he walked the dog", ("he took the dog for a walk",), "x"),
    Segment("a b", ("a b c",), "y"),
]


def linear(names: tuple[str, ...] = ("chrf", "wer", "copied")) -> models.LearnedModel:
    preparation = Preparation()
    weights = FeatureWeights(
        np.arange(1.0, 1 + len(names)), Scaling("standard", np.zeros(len(names)), np.ones(len(names)))
    )
    about = models.describe("mine", names, preparation, training={"sha256": "0"})
    return models.LearnedModel("mine", names, preparation, weights, about)


def machine() -> models.LearnedModel:
    rng = np.random.default_rng(1)
    classes = np.where(np.arange(40) % 2 == 0, 1, -1)
    found = train(
        Labelled(rng.normal(size=(40, 9)) + classes[:, None], classes), c=5, sigma=3, scaling="standard"
    )
    about = models.describe("human-like", BASIC, Preparation("13a", True))
    return models.LearnedModel("human-like", BASIC, Preparation("13a", True), found, about)


@pytest.mark.parametrize("model", [linear(), machine()], ids=["combination", "svm"])
def test_a_model_comes_back_as_it_was_saved(tmp_path: Path, model: models.LearnedModel) -> None:
    path = tmp_path / "model.file"
    models.save(model, path)
    again = models.load(path)
    rows = np.random.default_rng(2).normal(size=(7, len(model.names)))
    np.testing.assert_array_equal(again.values(rows), model.values(rows))
    assert (again.name, again.names, again.preparation) == (model.name, model.names, model.preparation)
    other = tmp_path / "again"
    models.save(model, other)
    assert path.read_bytes() == other.read_bytes()


def test_a_saved_model_scores_like_any_metric(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    models.save(linear(), path)
    metric = load(path)
    assert (metric.name, metric.higher_is_better, metric.needs.source) == ("mine", True, True)
    scores = metric.score(SEGMENTS)
    assert scores.segments.shape == (2,)
    assert scores.corpus == pytest.approx(scores.segments.mean())
    assert "kind:combination" in scores.signature
    assert metric.score([]).corpus is None
    by_name = registry.parse(f"model:path={path}")
    np.testing.assert_array_equal(by_name.score(SEGMENTS).segments, scores.segments)
    assert by_name.signature == metric.signature


def test_the_registry_says_that_a_model_must_be_named() -> None:
    with pytest.raises(MetricUnavailable, match="model:path=FILE"):
        registry.get("model")
    (entry,) = [entry for entry in registry.list_metrics() if entry.name == "model"]
    assert entry.missing is not None


def test_a_missing_model_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unreadable_file"):
        load(tmp_path / "none.json")
    with pytest.raises(MetricUnavailable, match="unreadable_file"):
        registry.parse(f"model:path={tmp_path / 'none.json'}").score(SEGMENTS)


def changed(**values: Any) -> str:
    model = linear()
    about = {**model.about, "kind": "combination", "scaling": "standard"}
    about["weights"] = [{"feature": name, "weight": 1.0, "shift": 0.0, "width": 1.0} for name in model.names]
    return json.dumps({**about, **values})


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "bad_model"),
        ("[]", "bad_model"),
        ("{}", "bad_model"),
        ("PK broken", "bad_model"),
        (changed(version=99), "bad_model"),
        (changed(kind="oracle"), "bad_model"),
        (changed(weights=[]), "bad_model"),
        (
            changed(weights=[{"feature": n, "weight": "x", "shift": 0, "width": 1} for n in linear().names]),
            "bad_model",
        ),
        (
            changed(weights=[{"feature": n, "weight": 1, "shift": 0, "width": None} for n in linear().names]),
            "bad_model",
        ),
        (changed(preparation={}), "bad_model"),
        (changed(definitions={"chrf": "chrf|v:0"}), "other_features"),
        (changed(definitions={}), "other_features"),
    ],
)
def test_damaged_or_outdated_models_are_refused(tmp_path: Path, content: str, code: str) -> None:
    path = tmp_path / "m.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        models.load(path)
    assert [problem.code for problem in error.value.problems] == [code]
    assert error.value.problems[0].file == "m.json"


def test_features_that_no_longer_exist_are_refused(tmp_path: Path) -> None:
    content = changed(
        features=["gone"], weights=[{"feature": "gone", "weight": 1.0, "shift": 0.0, "width": 1.0}]
    )
    path = tmp_path / "m.json"
    path.write_text(content)
    with pytest.raises(InputError, match="unknown_feature"):
        models.load(path)


def test_a_machine_with_missing_or_wrong_arrays_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    models.save(machine(), path)
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in stored.files}
    for name, value in (("dual", None), ("support", np.ones((1, 9))), ("width", np.full(9, np.nan))):
        broken = {key: kept for key, kept in arrays.items() if key != name}
        if value is not None:
            broken[name] = value
        np.savez(path, **broken)
        with pytest.raises(InputError, match="bad_model"):
            models.load(path)


def test_a_pickle_inside_is_never_opened(tmp_path: Path) -> None:
    path = tmp_path / "m.npz"
    models.save(machine(), path)
    np.savez(path, about=np.array([object()], dtype=object))
    with pytest.raises(InputError, match="bad_model"):
        models.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.npy", b"cos\nsystem\n")
    with pytest.raises(InputError, match="bad_model"):
        models.load(path)
