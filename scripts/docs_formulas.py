"""Formulas of the documentation: ``math`` blocks in LaTeX become MathML.

Browsers draw MathML by themselves, so nothing is fetched from another site; GitHub draws the same blocks.
"""

from __future__ import annotations

from typing import Any

from latex2mathml.converter import convert


def on_config(config: Any) -> Any:  # Any: of MkDocs
    """A hook of MkDocs: ``math`` blocks are handed to ``fenced``."""
    fence = {"name": "math", "class": "math", "format": fenced}
    config["mdx_configs"].setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]
    return config


def fenced(source: str, *_: Any, **__: Any) -> str:  # Any: of superfences
    """One formula, in a box that scrolls on a narrow screen.

    >>> "<mi>&#x003BA;</mi>" in fenced(r"\\kappa = 1")
    True
    """
    drawn = convert(source.strip(), display="block")
    if "\\" in drawn:
        raise ValueError(f"a command of this formula is unknown: {source.strip()}")
    return f'<div class="formula" tabindex="0">{drawn}</div>'
