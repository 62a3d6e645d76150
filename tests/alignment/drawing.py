"""Comparisons drawn on a line as the annotator sees them.

``[A | B]`` is a question, ε a missing side, ``↷`` a phrase that moved, ``«…»`` a question about its place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from evaluation.alignment import Alignment, Kind, Phrase
from evaluation.alignment.pairs import questions
from evaluation.importers import Candidate, ImportedItem, Place
from evaluation.planning import Planner

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


def drawn(file: str, item: str, one: str, other: str) -> str:
    """Two systems' outputs of one item of a demo file, cut as the import cuts them."""
    for line in (DEMO / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("id") == item:
            return drawing(
                imported(Planner("en"), {name: record["candidates"][name] for name in (one, other)})
            )
    raise ValueError(f"{file} has no item {item!r}")


def imported(planner: Planner, outputs: Mapping[str, str]) -> Alignment:
    """The alignment of two systems' different outputs, as an import makes it."""
    one, other = outputs
    item = ImportedItem("1", "", tuple([Candidate(*output) for output in outputs.items()]), Place("drawing"))
    (comparison,) = planner.plan(item, [(one, other)]).comparisons
    return comparison.alignment


def drawing(alignment: Alignment) -> str:
    asked = questions(alignment)
    return " ".join([_phrase(alignment, p, n in asked) for n, p in enumerate(alignment.phrases)])


def _phrase(alignment: Alignment, phrase: Phrase, asked: bool) -> str:
    a = " ".join(alignment.a[slice(*phrase.a)]) if phrase.a else "ε"
    b = " ".join(alignment.b[slice(*phrase.b)]) if phrase.b else "ε"
    moved = "↷" if phrase.moved else ""
    if phrase.kind is not Kind.SHARED:
        return f"{moved}[{a} | {b}]"
    return f"«{moved}{a}»" if asked else moved + a
