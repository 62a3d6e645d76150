"""The draws of a bundle: read back, their weights computed again and compared with the stored ones."""

from __future__ import annotations

from math import isclose

import numpy as np

from evaluation.agreement.judgements import Floats
from evaluation.exporters.unbundle import Bundle, Row, bad_bundle
from evaluation.selection import Question, question_weights
from evaluation.study import Study

MEMBER = "questions"


def read_weights(bundle: Bundle, study: Study) -> tuple[Floats, list[str]] | None:
    """The weight of each pair of the study, and where a stored weight is not what its draws say.

    None for a bundle in which nothing was drawn; a pair that no ordinary comparison asks weighs one.
    """
    if f"data/{MEMBER}.jsonl" not in bundle.manifest["files"]:
        return None
    with bad_bundle(bundle):
        return _read(bundle, study)


def _read(bundle: Bundle, study: Study) -> tuple[Floats, list[str]]:
    slugs = [study.tasks[task].slug for task in study.pair_tasks]
    code_of = {key: code for code, key in enumerate(zip(slugs, study.pair_keys, strict=True))}
    weights, differences = np.ones(len(slugs)), []
    for task, rows in _by_task(bundle).items():
        for row, weight in zip(rows, question_weights([_question(row) for row in rows]), strict=True):
            if not _same(row["weight"], weight):
                differences.append(f"{task}, {row['item']}: weight {row['weight']} stored, {weight} computed")
            if weight is not None:
                weights[[code_of[task, pair] for pair in row["pairs"]]] = weight
    return weights, differences


def _by_task(bundle: Bundle) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in bundle.rows(MEMBER):
        found.setdefault(row["task"], []).append(row)
    return found


def _question(row: Row) -> Question:
    return Question(row["asked"], row["draw"], row["probability"], row["rest"])


def _same(stored: float | None, computed: float | None) -> bool:
    if stored is None or computed is None:
        return stored is computed
    return isclose(stored, computed, rel_tol=1e-9)
