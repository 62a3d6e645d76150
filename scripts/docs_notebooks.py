"""The notebooks of the documentation: a hook of MkDocs runs every cell and shows what it prints and returns.

Cells run in this process, in order, in one namespace. One that fails fails the build. Stored outputs are
ignored: notebooks are committed without any.
"""

from __future__ import annotations

import ast
import io
import json
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"


class FailedCell(Exception):
    """A cell raised an error; names the notebook and the cell."""


def on_files(files: Any, *, config: Any) -> Any:  # Any: MkDocs has no types
    from mkdocs.structure.files import File

    for path in sorted(FOLDER.glob("*.ipynb")):
        text = "\n".join(render(path))
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=text))
    return files


def render(path: Path) -> Iterator[str]:
    """Run a notebook; yield its Markdown with the output of each cell below it."""
    namespace: dict[str, Any] = {"__name__": "__main__"}  # Any: what the cells define
    for number, cell in enumerate(json.loads(path.read_text("utf-8"))["cells"], 1):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source + "\n"
            continue
        try:
            output = run(source, namespace)
        except Exception as error:  # whatever the cell raises
            raise FailedCell(f"{path.name}, cell {number}: {error!r}") from error
        yield f"```python\n{source}\n```\n"
        if output:
            yield f"```text\n{output}\n```\n"


def run(source: str, namespace: dict[str, Any]) -> str:
    """Run a cell; return what it prints and then, as in a notebook, the value of its last expression.

    >>> run("x = 2\\nprint('two')\\nx + 1", {})
    'two\\n3'
    """
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    value = None
    with redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<cell>", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), namespace)
    return printed.getvalue() + ("" if value is None else str(value))
