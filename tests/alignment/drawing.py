"""Comparisons drawn on a line as the annotator sees them.

``[A | B]`` is a question, ε a missing side, ``↷`` a phrase that moved, ``«…»`` a question about its place.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from evaluation.alignment import Kind, Phrase, PhraseAlignment
from evaluation.alignment.pairs import select_asked
from evaluation.alignment.question_rules import QuestionSize
from evaluation.importers import ImportedCandidate, ImportedItem, SourcePosition
from evaluation.tasks.planning import PlannedComparison, Planner

DEMO = Path(__file__).resolve().parents[2] / "fixtures" / "demo"


def draw_example(file: str, item: str, one: str, other: str) -> str:
    """Two systems' outputs of one item of a demo file, cut into phrases as an import cuts them."""
    planner = Planner("en", size=QuestionSize.PHRASE)
    return drawing(imported(planner, read_outputs(file, item, one, other)))


def list_questions(file: str, item: str, one: str, other: str, size: QuestionSize) -> str:
    """The questions about two systems' outputs of a demo item on one line; the first system is A."""
    outputs = read_outputs(file, item, one, other)
    comparison = plan(Planner("en", size=size), outputs)
    flipped = comparison.first.text != outputs[one]
    pairs = [(q.b, q.a) if flipped else (q.a, q.b) for q in comparison.questions]
    return " · ".join(f"{a or 'ε'} | {b or 'ε'}" for a, b in pairs) or "–"


def read_outputs(file: str, item: str, one: str, other: str) -> dict[str, str]:
    for line in (DEMO / f"{file}.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record.get("id") == item:
            return {name: record["candidates"][name] for name in (one, other)}
    raise ValueError(f"{file} has no item {item!r}")


def imported(planner: Planner, outputs: Mapping[str, str]) -> PhraseAlignment:
    """The alignment of two systems' different outputs, as an import makes it."""
    return plan(planner, outputs).alignment


def plan(planner: Planner, outputs: Mapping[str, str]) -> PlannedComparison:
    one, other = outputs
    item = ImportedItem(
        "1", "", tuple([ImportedCandidate(*output) for output in outputs.items()]), SourcePosition("drawing")
    )
    (comparison,) = planner.plan(item, [(one, other)]).comparisons
    return comparison


def drawing(alignment: PhraseAlignment) -> str:
    asked = select_asked(alignment)
    return " ".join([_phrase(alignment, p, n in asked) for n, p in enumerate(alignment.phrases)])


def _phrase(alignment: PhraseAlignment, phrase: Phrase, asked: bool) -> str:
    a = " ".join(alignment.a[slice(*phrase.a)]) if phrase.a else "ε"
    b = " ".join(alignment.b[slice(*phrase.b)]) if phrase.b else "ε"
    moved = "↷" if phrase.moved else ""
    if phrase.kind is not Kind.SHARED:
        return f"{moved}[{a} | {b}]"
    return f"«{moved}{a}»" if asked else moved + a
