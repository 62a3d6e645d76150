"""Which Appraise this is: from the checkout's own ``pyproject.toml``, or from the installed package."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


@cache
def version() -> str:
    """
    >>> version().count(".") >= 1
    True
    """
    if PROJECT.is_file():
        return str(tomllib.loads(PROJECT.read_text("utf-8"))["project"]["version"])
    try:
        return installed_version("appraise")
    except PackageNotFoundError:  # files copied by hand
        return "unknown"
