"""The table over tasks: what "average" means is said."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.agreement import Judgements
from evaluation.agreement.tasks import (
    AgreementSettings,
    TaskRow,
    average_task_rows,
    compute_task_table,
    pool_judgements,
)
from evaluation.schemes import FOUR_WAY, SIX_WAY
from tests.agreement.studies import random_matrix

# Federmann 2010, Table 2.
KAPPA = (0.4127, 0.2232, 0.2481, 0.2476, 0.1484, 0.2942, 0.2250)
PRIME = (0.7770, 0.6357, 0.6680, 0.6664, 0.6215, 0.7471, 0.8100)


def study(seed: int, items: int = 50) -> Judgements:
    return Judgements.from_matrix(random_matrix(seed, items=items, size=6), SIX_WAY.labels)


def test_the_mean_of_table_2_is_not_its_average_row() -> None:
    printed = zip(KAPPA, PRIME, strict=True)
    rows = [TaskRow("task", 1, 1, 1, kappa, None, prime, None) for kappa, prime in printed]
    mean = average_task_rows(rows)
    assert (round(mean.kappa or 0, 4), round(mean.prime or 0, 4)) == (0.2570, 0.7037)


def test_pooled_counts_all_pairs_of_all_tasks() -> None:
    table = compute_task_table({"1": study(1), "2": study(2, 200)}, AgreementSettings(SIX_WAY, resamples=50))
    assert table.pooled.pairs == sum(row.pairs for row in table.rows)
    assert table.pooled.items == table.mean.items
    weighted = sum(row.pairs * (row.kappa or 0) for row in table.rows) / table.pooled.pairs
    assert table.pooled.kappa == pytest.approx(weighted)
    assert table.mean.kappa == pytest.approx(np.mean([row.kappa for row in table.rows]))
    assert table.mean.interval is None
    assert table.rows[0].interval is not None


def test_items_of_different_tasks_are_never_the_same_item() -> None:
    both = pool_judgements([study(1), study(1)], SIX_WAY.labels)
    assert len(both.judged_items[0]) == 2 * len(study(1).judged_items[0])
    assert both.annotator_names == study(1).annotator_names


def test_a_task_without_answers_does_not_enter_the_mean() -> None:
    nobody = Judgements.from_rows([], SIX_WAY.labels)
    table = compute_task_table({"1": study(1), "new": nobody}, AgreementSettings(SIX_WAY, resamples=50))
    assert (table.rows[1].kappa, table.rows[1].band) == (None, None)
    assert table.mean.kappa == table.rows[0].kappa


def test_no_tasks_at_all() -> None:
    table = compute_task_table({}, AgreementSettings(SIX_WAY))
    assert (table.rows, table.mean.kappa, table.pooled.kappa) == ((), None, None)


def test_other_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="labels A>B"):
        pool_judgements([study(1)], FOUR_WAY.labels)
