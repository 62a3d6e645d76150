"""Names: a public class exists once in the product, and functions are named by what they do."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PRODUCT = ("appraise", "evaluation", "metrics")
EVERYTHING = (*PRODUCT, "tests", "benchmarks", "faults", "endurance", "scripts")
# Participles and adverbs that say neither what a function does nor what a property is.
FORBIDDEN = {
    "said", "told", "met", "found", "called", "given", "asked", "kept", "made", "seen", "shown", "taken",
    "drawn", "held", "lightly", "anew", "whole", "typed", "passed", "detached", "understood",
    "remembered", "forgotten",
}  # fmt: skip


def parse_modules(folder: str) -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        if "migrations" not in path.parts:
            yield path.relative_to(ROOT), ast.parse(path.read_text("utf-8"))


def test_a_public_class_name_exists_once() -> None:
    """Django requires the name ``Command``. Classes inside a class (``Meta``, ``State``, ``Kind``) do not
    count: Django requires some of these names, and the others are always written after their owner."""
    places = defaultdict(list)
    for folder in PRODUCT:
        for path, tree in parse_modules(folder):
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(str(path))
    del places["Command"]
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == {}


@pytest.mark.parametrize("folder", EVERYTHING)
def test_no_function_has_a_forbidden_name(folder: str) -> None:
    offenders = [
        f"{path}:{node.lineno}: {node.name}"
        for path, tree in parse_modules(folder)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.strip("_") in FORBIDDEN
    ]
    assert offenders == []
