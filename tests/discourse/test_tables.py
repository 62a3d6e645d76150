"""The layout of tables 2–5 on made-up judgements whose answer is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from metrics.discourse.tables import (
    DiscourseSet,
    GainTable,
    combine_tuned,
    combine_tuned_on,
    segment_table,
    system_table,
)
from metrics.metaeval.datasets import Comparisons, find_set, read_dataset, read_human
from metrics.metaeval.kendall import TieRule
from tests.learned.data import write_set

SEGMENTS, SYSTEMS = 240, 4


def judged_set(seed: int) -> DiscourseSet:
    """Quality has two hidden parts: a metric sees one, DR-LEX the other, DR sees noise and ties."""
    random = np.random.default_rng(seed)
    seen, unseen = random.normal(size=(2, SEGMENTS, SYSTEMS))
    quality = seen + unseen
    better, worse = [], []
    for row in range(SEGMENTS):
        for a in range(SYSTEMS):
            for b in range(a + 1, SYSTEMS):
                first, second = row * SYSTEMS + a, row * SYSTEMS + b
                wins = quality[row, a] > quality[row, b]
                better.append(first if wins else second)
                worse.append(second if wins else first)
    scores = {"half": seen.ravel(), "dr-lex": unseen.ravel(), "dr": np.zeros(SEGMENTS * SYSTEMS)}
    scores["dr"][::2] = random.normal(size=SEGMENTS * SYSTEMS // 2)
    systems = {
        "half": np.array([1.0, 2, 3, 4]),
        "dr": np.array([1.0, 2, 3, 4]),
        "dr-lex": np.array([2.0, 1, 4, 3]),
    }
    human = Comparisons(np.array(better), np.array(worse), np.empty((0, 2), np.int64))
    segments = np.repeat(np.arange(SEGMENTS), SYSTEMS)
    return DiscourseSet(scores, human, segments, segments // 30, systems, np.array([1.0, 2, 3, 4]))


SETS = [judged_set(1), judged_set(2)]
ROWS = {"half": ["half"]}


def gains(table: GainTable) -> list[float | None]:
    return [cell.gain for cell in table.rows["half"]]


def test_a_uniform_sum_gains_from_what_the_metric_cannot_see() -> None:
    table = segment_table(SETS, ROWS, resamples=200)
    _, dr, lex = table.rows["half"]
    assert lex.gain is not None
    assert lex.gain > 0.2
    assert lex.interval is not None
    assert 0 < lex.interval[0] < lex.gain < lex.interval[1]
    assert dr.gain is not None
    assert dr.gain < 0
    assert table.average == table.rows["half"]


def test_tuned_weights_do_not_let_noise_do_harm() -> None:
    uniform_table, tuned_table = (
        segment_table(SETS, ROWS, resamples=0),
        segment_table(SETS, ROWS, combine_tuned, resamples=0),
    )
    assert tuned_table.rows["half"][0] == uniform_table.rows["half"][0]
    assert tuned_table.rows["half"][1].value > uniform_table.rows["half"][1].value
    assert tuned_table.rows["half"][2].value > 0.9


def test_weights_carry_over_to_another_collection() -> None:
    table = segment_table([judged_set(3)], ROWS, combine_tuned_on(SETS), resamples=0)
    assert table.rows["half"][2].value > 0.9


def test_folds_are_made_of_the_documents_that_a_set_names(tmp_path: Path) -> None:
    """Section 5.4: no document is split over two folds; blocks stand in only where none is named."""
    prefix = write_set(tmp_path, "named", segments=100)
    path = Path(f"{prefix}.segments.tsv")
    header, *lines = path.read_text().splitlines()
    named = [f"{line}\tdocument {number // 40}" for number, line in enumerate(lines)]
    path.write_text("\n".join([f"{header}\tdocument", *named]) + "\n")
    files = find_set(prefix)
    dataset = read_dataset(files.segments, files.outputs)
    one = DiscourseSet.of(dataset, read_human(files, dataset), {})
    assert one.documents.tolist() == (one.segments // 40).tolist()


def test_without_resamples_there_are_no_intervals() -> None:
    assert segment_table(SETS, ROWS, resamples=0).rows["half"][2].interval is None


def test_the_tie_rule_is_the_callers() -> None:
    ties = segment_table(SETS, {"dr": ["dr"]}, rule=TieRule.DROP, resamples=0).rows["dr"][0].value
    assert ties > segment_table(SETS, {"dr": ["dr"]}, resamples=0).rows["dr"][0].value


def test_the_system_table_has_the_mean_correlation() -> None:
    table = system_table(SETS, ROWS)
    assert table.rows["half"][0].value == pytest.approx(1.0)
    assert table.rows["half"][2].value < 1
    assert table.average[0].gain is None
