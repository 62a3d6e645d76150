"""The folder that an operator offers for replications: its data sets and tools.

A set is ``NAME.segments.tsv`` with its outputs beside it, or ``NAME.jsonl`` with everything inside; a file of
judgements is ``NAME.judgements.tsv``; all may be gzipped and lie in folders below. Tools have fixed names:
``lm.npz``, ``lexicon.npz``, ``collocations.npz`` and ``discourse.npz`` at the top. Names cannot escape the
folder, because only what is listed can be chosen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any  # the options differ in type

from evaluation.problems import InputError, Problem
from metrics.replicate.recipes import RECIPES, Options

TOOLS = {
    "lm": "lm.npz",
    "lexicon": "lexicon.npz",
    "table": "collocations.npz",
    "discourse_model": "discourse.npz",
}
SECOND = {"paper-000": "train", "paper-001": "test", "paper-004": "test"}
JUDGED, INLINE, JUDGEMENTS = ".segments.tsv", ".jsonl", ".judgements.tsv"


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be chosen, by name → what the recipes are given."""

    sets: dict[str, str]
    judgements: dict[str, str]
    tools: dict[str, str]

    def __bool__(self) -> bool:
        return bool(self.sets or self.judgements)


def look(folder: Path) -> Offer:
    """What lies in the folder; nothing where there is none."""
    sets: dict[str, str] = {}
    judgements: dict[str, str] = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else ():
        plain = str(path.relative_to(folder)).removesuffix(".gz")
        if not path.is_file() or not path.resolve().is_relative_to(folder.resolve()):
            continue
        if plain.endswith(JUDGED):
            name = plain.removesuffix(JUDGED)
            sets[name] = str(folder / name)
        elif plain.endswith(INLINE) and not plain.endswith(".rankings.jsonl"):
            sets[plain.removesuffix(INLINE)] = str(path)
        elif plain.endswith(JUDGEMENTS):
            judgements[plain.removesuffix(JUDGEMENTS)] = str(path)
    tools = {name: str(folder / file) for name, file in TOOLS.items() if (folder / file).is_file()}
    return Offer(sets, judgements, tools)


def options(recipe: str, offer: Offer, chosen: list[str], second: list[str], scheme: str = "") -> Options:
    """The options of a recipe for chosen names; refused where one is not offered."""
    offered = offer.judgements if recipe == "paper-003" else offer.sets
    if unknown := [name for name in (*chosen, *second) if name not in offered]:
        remedy = "choose what the page offers"
        raise InputError(Problem("unknown_set", f"{recipe} has no data called {unknown[0]!r}", remedy))
    if second and recipe not in SECOND:
        raise InputError(Problem("foreign_option", f"{recipe} knows no second sets", "choose none"))
    known = RECIPES[recipe][1]
    values: dict[str, Any] = {name: path for name, path in offer.tools.items() if name in known}
    if recipe == "paper-003":
        values["scheme"] = scheme
    if second:
        values[SECOND[recipe]] = tuple(offered[name] for name in second)
    return Options(sets=tuple(offered[name] for name in chosen), **values)
