"""``export --format parquet``, with and without the extra."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from pyarrow import parquet

from evaluation.models import Annotator, Task
from evaluation.schemes import Choice
from tests.database.answering import always, answer_task


def test_the_command_writes_a_row_for_each_answer(task: Task, bob: Annotator, tmp_path: Path) -> None:
    answer_task(task, bob, always(Choice.A_BETTER))
    path = tmp_path / "answers.parquet"
    call_command("export", task=task.slug, format="parquet", out=path)
    table = parquet.read_table(path)
    assert table.num_rows > 0
    assert set(table.column("label").to_pylist()) <= {"A>B", "A<B"}
    with pytest.raises(CommandError, match="binary file"):
        call_command("export", task=task.slug, format="parquet")


def test_without_the_extra_the_command_names_it(
    task: Task, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "answers.parquet"
    with pytest.raises(CommandError, match=r"pip install 'appraise-mt\[parquet\]'"):
        call_command("export", task=task.slug, format="parquet", out=path)
    assert not path.exists()
