"""Formulas of the documentation: ``math`` blocks in LaTeX become MathML.

Browsers render MathML without a script from another site; GitHub renders the same blocks.
"""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert
from pymdownx.superfences import SuperFencesException  # type: ignore[import-untyped]  # it has no types


def on_config(config: Any) -> Any:  # Any: of MkDocs
    """A hook of MkDocs: ``math`` blocks are handed to ``render_formula``."""
    fence = {"name": "math", "class": "math", "format": render_formula}
    config["mdx_configs"].setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]
    return config


def render_formula(source: str, *_: Any, **__: Any) -> str:  # Any: of superfences
    """One formula, in a box that scrolls on a narrow screen.

    >>> "<mi>&#x003BA;</mi>" in render_formula(r"\\kappa = 1")
    True
    """
    try:
        mathml = convert(source.strip(), display="block")
    except Exception as error:  # the library's errors have no base of their own, and the build ignores them
        raise SuperFencesException(f"{type(error).__name__} in the formula {source!r}") from error
    if "\\" in mathml:
        raise SuperFencesException(f"an unknown command in the formula {source!r}")
    return f'<div class="formula" tabindex="0">{mathml}</div>'
