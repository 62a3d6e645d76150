"""The study behind the default model of the panel."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.studies import panel_models
from evaluation.agreement import Judgements
from evaluation.panel.models import MODELS, fit_model
from evaluation.schemes import FOUR_WAY
from tests.studies.test_published_campaigns import answer_of


def test_the_simulation_compares_every_model_and_the_plurality_with_the_truth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(panel_models, "CAMPAIGNS", 3)
    found = answer_of(panel_models.main, "--simulate")["simulated"]
    assert set(found["right"]) == {"plurality", *MODELS}
    assert found["right"]["staged"] > found["right"]["plurality"] > 0.8
    assert found["against_unanimous"]["staged"] == 0


def test_ranks_of_phrases_become_answers_and_annotators_are_left_out(tmp_path: Path) -> None:
    """Three annotators rank two systems alike in 40 sentences, and are all predicted."""
    head = ["TASK", "TYPE", "ITEM_ID", "ANNOTATOR_ID", "TIME"]
    head += [
        f"{name}_{n}{side}"
        for n in range(5)
        for name, side in (("SYSTEM", ""), ("SCORE", "_A"), ("SCORE", "_B"))
    ]
    rows = [
        ["t", kind, str(item), str(person), "1", "x", str(1 + item % 2), "", "y", "2", "", *[""] * 9]
        for item in range(40)
        for person in range(3)
        for kind in ("CONSTITUENT", "RANK")
    ]
    path = tmp_path / "judgements.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(",".join(row) for row in [head, *rows]) + "\n")
    judgements = panel_models.read_phrase_rankings(str(path))
    assert (len(judgements), set(judgements.labels.tolist())) == (120, {0, 1})
    found = answer_of(panel_models.main, "--wmt08", path)[str(path)]
    assert found["left_out"] == 120
    assert set(found["right"].values()) == {1.0}
    assert json.dumps(found["against_unanimous"]) == json.dumps(dict.fromkeys(MODELS, 0))


def test_only_two_or_more_equal_answers_are_unanimous() -> None:
    study = Judgements.from_matrix(np.array([[0, 1, 2], [0, -1, 1], [0, -1, -1]]), FOUR_WAY.labels)
    panel = fit_model("staged", study)
    wrong = panel.posterior[:, [3, 2, 1, 0]]  # any other consensus everywhere
    assert panel_models.is_overruled(study, panel).tolist() == [False] * 3
    turned = type(panel)(**{**vars(panel), "posterior": wrong})
    assert panel_models.is_overruled(study, turned).tolist() == [True, False, False]
