"""The notebooks of the documentation run from top to bottom, and are stored without outputs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts.docs_notebooks import FOLDER, FailedCell, render

NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def write_notebook(path: Path, *sources: str) -> Path:
    cells = [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    path.write_text(json.dumps({"cells": cells}), "utf-8")
    return path


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_every_cell_runs_and_most_show_something(path: Path) -> None:
    text = "\n".join(render(path))
    assert text.count("```text") >= text.count("```python") / 2 > 1


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_it_is_stored_without_outputs(path: Path) -> None:
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["language"]) == (4, "python")
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])


def test_cells_share_their_names(tmp_path: Path) -> None:
    path = write_notebook(tmp_path / "two.ipynb", "x = 1\nprint('one')", "x + 1")
    assert list(render(path))[1::2] == ["```text\none\n\n```\n", "```text\n2\n```\n"]


def test_a_cell_that_fails_fails_the_build(tmp_path: Path) -> None:
    path = write_notebook(tmp_path / "wrong.ipynb", "x = 1", "x / 0")
    with pytest.raises(FailedCell, match=r"wrong\.ipynb, cell 2: ZeroDivisionError"):
        list(render(path))
