"""The arrows of the house point one way (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# Rooms that hold the methods and know nothing of the web or the database.
PURE = [
    "evaluation/agreement", "evaluation/alignment", "evaluation/blinding.py",
    "evaluation/changes", "evaluation/checks.py",
    "evaluation/correcting.py", "evaluation/digests.py", "evaluation/exporters", "evaluation/study",
    "evaluation/importers", "evaluation/lightly.py", "evaluation/panel", "evaluation/phenomena",
    "evaluation/places.py", "evaluation/planning.py", "evaluation/practice.py",
    "evaluation/presentation.py", "evaluation/problems.py", "evaluation/release.py", "evaluation/results",
    "evaluation/schemes.py", "evaluation/streams.py",
    "evaluation/power", "evaluation/selection", "evaluation/sequential", "evaluation/tokens.py",
    "evaluation/votes.py", "evaluation/word_classes.py",
    "metrics/base.py", "metrics/registry.py", "metrics/kernels", "metrics/lexical", "metrics/learned",
    "metrics/ranking", "metrics/collocation", "metrics/discourse", "metrics/metaeval", "metrics/datasets.py",
    "metrics/replicate",
    "metrics/substitution.py", "metrics/testset.py", "metrics/phrase_votes.py", "metrics/sidebyside.py",
    "metrics/task_training.py", "metrics/task_ranking.py", "metrics/score_files.py", "metrics/model_files.py",
    "metrics/nbest.py", "metrics/uneven.py", "metrics/npz.py", "metrics/parallel.py", "metrics/tables.py",
    "metrics/one_place.py", "metrics/rereading.py", "metrics/significance.py", "metrics/tokenizers.py",
]  # fmt: skip


def modules(*places: str) -> Iterator[Path]:
    for place in places:
        path = ROOT / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def imports(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def reaches(path: Path, *packages: str) -> list[str]:
    return sorted(
        name for name in imports(path) if any(name == p or name.startswith(p + ".") for p in packages)
    )


def test_the_list_of_pure_rooms_is_true() -> None:
    assert [place for place in PURE if not (ROOT / place).exists()] == []


def pictured() -> set[str]:
    """What docs/architecture.md draws: names first in a line, two spaces before anything is said of them."""
    drawing = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("```")[1]
    found, room = set(), ""
    for line in drawing.strip("\n").split("\n"):
        names = line.strip().partition("  ")[0].split()
        if not line.startswith(" "):
            room = ""
        found |= {room + name for name in names}
        room = room or names[0]
    return found


def test_everything_in_the_picture_of_the_house_exists() -> None:
    assert sorted(name for name in pictured() if not (ROOT / name).exists()) == []


@pytest.mark.parametrize("house", ["appraise", "evaluation", "metrics"])
def test_the_picture_of_the_house_shows_every_room(house: str) -> None:
    rooms = {
        f"{house}/{path.name}" + ("/" if path.is_dir() else "")
        for path in (ROOT / house).iterdir()
        if path.name not in {"__init__.py", "__pycache__"}
    }
    assert sorted(rooms - pictured()) == []


@pytest.mark.parametrize("path", list(modules(*PURE)), ids=lambda p: str(p.relative_to(ROOT)))
def test_pure_modules_never_import_django(path: Path) -> None:
    assert reaches(path, "django", "ninja", "appraise", "evaluation.models", "evaluation.services") == []


def test_people_never_depend_on_machines() -> None:
    offenders = {str(p.relative_to(ROOT)): reaches(p, "metrics") for p in modules("evaluation")}
    assert {path: found for path, found in offenders.items() if found} == {}


def test_reading_never_writes() -> None:
    """Reports may ask services what an assignment is about, but only views, forms and services write."""
    offenders = {
        str(p.relative_to(ROOT)): reaches(p, "evaluation.views", "evaluation.forms")
        for p in modules("evaluation/reports", "evaluation/services", "evaluation/models")
    }
    assert {path: found for path, found in offenders.items() if found} == {}


def test_services_and_reports_do_not_speak_http() -> None:
    offenders = {
        str(p.relative_to(ROOT)): reaches(p, "django.http", "django.shortcuts", "ninja")
        for p in modules("evaluation/services", "evaluation/reports", "metrics/services", "metrics/reports")
    }
    assert {path: found for path, found in offenders.items() if found} == {}


def test_models_know_only_pure_modules() -> None:
    offenders = {
        str(p.relative_to(ROOT)): reaches(p, "evaluation.services", "evaluation.reports", "evaluation.views")
        for p in modules("evaluation/models")
    }
    assert {path: found for path, found in offenders.items() if found} == {}
