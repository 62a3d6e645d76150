"""Reads the programs of a site: one table of ``programs.toml`` for each, named as the metric is.

The file is in the folder of the site (``APPRAISE_HOME``); ``ready/programs.toml`` has declarations to copy.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from metrics.base import Needs
from metrics.tools.base import PROJECT

READY = Path(__file__).parent / "ready"
NAME = re.compile(r"[a-z0-9][a-z0-9+._-]*")
TEXTS = ("reference", "source")
KINDS = ("scores", "choices")
REQUIRED = ("command", "version")


@dataclass(frozen=True)
class ProgramDeclaration:
    """What the site knows about a program."""

    name: str
    command: tuple[str, ...]
    version: str
    title: str = ""
    answers: str = "scores"  # or "choices": it answers the questions that annotators get
    direction: str = "higher"
    needs: tuple[str, ...] = ()
    batch: int = 32
    timeout: float = 600.0  # seconds for a batch
    startup: float = 600.0  # seconds more for the first one, while a model is loaded
    address: str = ""  # where the program sends the texts; empty if they stay on this machine
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)

    @property
    def text_needs(self) -> Needs:
        return Needs("reference" in self.needs, "source" in self.needs, f"the program {self.command[0]}")

    @property
    def full_title(self) -> str:
        title = self.title or f"program {self.name}"
        texts = ", ".join(("both translations" if self.answers == "choices" else "translation", *self.needs))
        return f"{title}; sends {texts} to {self.address}" if self.address else title


class BadDeclaration(ValueError):
    """A table is not a declaration; the message names the key."""


def programs_path() -> Path:
    return Path(os.environ.get("APPRAISE_HOME") or PROJECT / "var") / "programs.toml"


def read_programs(path: Path) -> tuple[list[ProgramDeclaration], list[str]]:
    """Return the declarations of a file, and what is wrong with the others."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return [], []
    except (OSError, ValueError) as error:
        return [], [f"{path.name}: {error}"]
    declarations, problems = [], []
    for name, table in tables.items():
        try:
            declarations.append(read_declaration(name, table))
        except BadDeclaration as error:
            problems.append(f"{path.name}: [{name}]: {error}")
    return declarations, problems


def read_declaration(name: str, table: Any) -> ProgramDeclaration:  # Any: any value of TOML
    """
    >>> read_declaration("x", {"command": ["score-x"], "version": "1", "needs": ["source"]}).direction
    'higher'
    >>> read_declaration("x", {"command": ["score-x"], "version": "1", "batch": 0})
    Traceback (most recent call last):
    metrics.programs.declarations.BadDeclaration: batch must be a whole number of at least 1, not 0
    """
    if not isinstance(table, dict):
        raise BadDeclaration("write a table with command and version")
    if not NAME.fullmatch(name):
        raise BadDeclaration("a name consists of small letters, digits and + . _ -")
    unknown = sorted(set(table) - set(ProgramDeclaration.__dataclass_fields__) | ({"name"} & set(table)))
    missing = [key for key in REQUIRED if key not in table]
    if unknown or missing:
        wrong = [f"unknown key {key}" for key in unknown] + [f"{key} is missing" for key in missing]
        raise BadDeclaration("; ".join(wrong))
    for key, (expected, is_valid) in CHECKS.items():
        if key in table and not is_valid(table[key]):
            raise BadDeclaration(f"{key} must be {expected}, not {table[key]!r}")
    values = table | {key: tuple(table[key]) for key in ("command", "needs") if key in table}
    return ProgramDeclaration(name, **(values | {"command": tuple(map(_expand, table["command"]))}))


def _expand(argument: str) -> str:
    """``{python}`` is this interpreter, ``{ready}`` the folder of the programs that come with Appraise."""
    return argument.replace("{python}", sys.executable).replace("{ready}", str(READY))


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < float("inf")


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


CHECKS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "command": ("a list of texts", lambda value: _are_texts(value) and bool(value)),
    "version": ("a text", _is_text),
    "title": ("a text", _is_text),
    "answers": (f"one of {', '.join(KINDS)}", lambda value: value in KINDS),
    "direction": ("higher or lower", lambda value: value in ("higher", "lower")),
    "needs": (f"a list of {', '.join(TEXTS)}", lambda value: _are_texts(value) and set(value) <= set(TEXTS)),
    "batch": ("a whole number of at least 1", lambda value: _is_number(value) and isinstance(value, int)),
    "timeout": ("a positive number of seconds", _is_number),
    "startup": ("a positive number of seconds", _is_number),
    "address": ("a text", _is_text),
    "environment": (
        "a table of texts",
        lambda value: isinstance(value, dict) and all(isinstance(text, str) for text in value.values()),
    ),
}
