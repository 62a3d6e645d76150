"""``appraise.notebook``: the same values as the commands, in frames of either library, without Django."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

from appraise import notebook
from evaluation.agreement import Judgements, compute_agreement
from evaluation.schemes import SCHEMES
from metrics import registry
from metrics.base import make_segments
from tests.conftest import ROOT

Columns = dict[str, list[Any]]  # Any: cells

VOTES: Columns = {
    "annotator": ["ann", "bob", "eve"] * 4,
    "item": [n // 3 for n in range(12)],
    "label": ["A>B", "A>B", "A=B", "A<B", "A<B", "A<B", "N/A", "A=B", "A=B", "A>B", "A<B", "A>B"],
}
PAIRS: Columns = {
    "a": ["they sold the small garden house", "a red car", "same"],
    "b": ["they sold a little summer house", "a blue car", "same"],
    "reference": ["they sold the small summer house", "a red car", "same"],
}
OUTPUTS: Columns = {
    "system": ["north", "north", "south", "south"],
    "output": ["the red house", "it rains", "the blue house", "it rain"],
    "reference": ["the red house", "it rains"] * 2,
}
RATINGS: Columns = {
    "annotator": ["ann", "bob"] * 6,
    "system": ["north"] * 6 + ["south"] * 6,
    "segment": [0, 0, 1, 1, 2, 2] * 2,
    "score": [90.0, 80.0, 95.0, 70.0, 85.0, 75.0, 60.0, 50.0, 65.0, 40.0, 55.0, 45.0],
}
CALLS: list[tuple[Callable[[Any], Any], Columns]] = [
    (lambda frame: notebook.agreement(frame, "four-way", resamples=50), VOTES),
    (notebook.alignment, PAIRS),
    (notebook.questions, PAIRS),
    (lambda frame: notebook.metrics(frame, ["bleu", "ter"]), OUTPUTS),
    (lambda frame: notebook.metrics(frame, ["ter"], by_segment=True), OUTPUTS),
    (lambda frame: notebook.ratings(frame, resamples=50), RATINGS),
    (lambda frame: notebook.votes(frame, "ter"), PAIRS),
]


@pytest.mark.parametrize(("call", "columns"), CALLS)
def test_frames_of_both_libraries_and_dictionaries_have_the_same_rows(
    call: Callable[[Any], Any], columns: dict[str, list[Any]]
) -> None:
    rows = call(columns)
    assert rows
    assert call([dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]) == rows
    polars = call(pl.DataFrame(columns))
    assert isinstance(polars, pl.DataFrame)
    assert polars.to_dicts() == rows
    pandas = call(pd.DataFrame(columns))
    assert isinstance(pandas, pd.DataFrame)
    assert pandas.astype(object).where(pandas.notna(), None).to_dict("records") == rows


def test_agreement_is_that_of_the_report() -> None:
    rows = notebook.agreement(VOTES, "four-way", resamples=200, seed=3)
    scheme = SCHEMES["four-way"]
    judgements = Judgements.from_rows(zip(*VOTES.values(), strict=True), scheme.labels)
    report = compute_agreement(judgements, scheme, resamples=200, seed=3)
    values = {row["coefficient"]: row["value"] for row in rows}
    assert values["P(A)"] == report.p_a
    assert values[report.kappa.title] == report.kappa.value


def test_a_metric_votes_for_the_phrase_of_the_reference() -> None:
    votes = notebook.votes(PAIRS, "wer")
    assert [(vote["pair"], vote["a"], vote["b"], vote["vote"]) for vote in votes if vote["pair"] == 1] == [
        (1, "red", "blue", "A>B")
    ]
    assert {vote["pair"] for vote in votes} == {0, 1}  # nothing is asked about equal sentences


def test_scores_are_those_of_the_metric() -> None:
    segments = make_segments(OUTPUTS["output"][2:], [OUTPUTS["reference"][2:]])
    scores = registry.parse("ter").score(segments)
    rows = notebook.metrics(OUTPUTS, ["ter"])
    assert [row["score"] for row in rows if row["system"] == "south"] == [scores.corpus]


def test_ratings_rank_systems() -> None:
    north, south = notebook.ratings(RATINGS)
    assert (north["system"], north["mean"], north["n"]) == ("north", 82.5, 3)
    assert south["mean"] == 52.5
    assert north["low"] <= north["mean"] <= north["high"]


def test_missing_columns_are_named() -> None:
    with pytest.raises(ValueError, match="missing: item, label"):
        notebook.agreement({"annotator": ["ann"]}, "four-way")


def test_it_needs_neither_django_nor_frames() -> None:
    code = (
        "import sys; from appraise import notebook; notebook.questions([{'a': 'a b', 'b': 'a c'}]);"
        "sys.exit(bool({'django.db', 'pandas', 'polars', 'numba', 'scipy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
