"""Directions between packages: what may import what (docs/architecture.md)."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("appraise", "evaluation", "metrics")

# Modules that implement methods: they know neither the web nor the database.
PURE = [
    "appraise.lib", "appraise.notebook",
    "evaluation.agreement", "evaluation.alignment", "evaluation.assessments", "evaluation.blinding",
    "evaluation.campaign_diff", "evaluation.exporters", "evaluation.importers", "evaluation.panel",
    "evaluation.phenomena", "evaluation.power", "evaluation.presentation", "evaluation.results",
    "evaluation.schemes", "evaluation.stopping", "evaluation.study", "evaluation.tokens",
    "evaluation.voters", "evaluation.annotate.known_answers", "evaluation.annotate.places",
    "evaluation.annotate.known_answers", "evaluation.tasks.planning", "evaluation.tasks.edited_links",
    "metrics.base", "metrics.collocation", "metrics.discourse", "metrics.compiled", "metrics.laws",
    "metrics.learned", "metrics.lexical", "metrics.metaeval", "metrics.neural", "metrics.programs",
    "metrics.ranking", "metrics.registry",
    "metrics.replicate", "metrics.scoring.task_texts", "metrics.scoring.phrase_votes",
    "metrics.scoring.task_training", "metrics.scoring.task_ranking",
    "metrics.scoring.vote_agreement", "metrics.scoring.significance",
    "metrics.scoring.model_files",
]  # fmt: skip
# From the lowest to the highest: a package imports only those on its left.
SITE = ("appraise.lib", "evaluation", "metrics", "appraise")
ACTIVITIES = ("people", "annotate", "tasks", "reports", "api")
LAYERS = ("services", "queries", "forms", "views")


def modules() -> Iterator[tuple[str, Path]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            if "migrations" not in parts:
                yield ".".join(parts).removesuffix(".__init__"), path


MODULES = dict(modules())


def imports(path: Path) -> set[str]:
    """Every module that a file imports, also inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {
                full if (full := f"{node.module}.{alias.name}") in MODULES else node.module
                for alias in node.names
            }
    return names


class LazyImports(dict[str, set[str]]):
    """The imports of each module, parsed when they are first asked for: every worker collects this file."""

    def __missing__(self, module: str) -> set[str]:
        self[module] = imports(MODULES[module])
        return self[module]


IMPORTS = LazyImports()


def is_in(module: str, package: str) -> bool:
    return module == package or module.startswith(f"{package}.")


def package_of(module: str) -> str:
    """The unit that the rules are about: a package inside an app, or a module at an app's root."""
    app, *rest = module.split(".")
    if app == "appraise" and rest[:1] not in (["lib"], ["operations"]):
        return "appraise"
    return ".".join([app, *rest[:1]])


def site_level(module: str) -> int:
    return next(level for level, package in enumerate(SITE) if is_in(module, package))


def test_the_list_of_pure_modules_is_true() -> None:
    assert [name for name in PURE if name not in MODULES] == []


@pytest.mark.parametrize("package", PURE)
def test_pure_modules_import_neither_django_nor_models(package: str) -> None:
    forbidden = ("django", "ninja", "appraise.operations", "evaluation.models", "metrics.models")
    offenders = {
        module: sorted(name for name in IMPORTS[module] if any(is_in(name, one) for one in forbidden))
        for module in MODULES
        if is_in(module, package)
    }
    assert {module: names for module, names in offenders.items() if names} == {}


def test_apps_import_only_what_is_below_them() -> None:
    offenders = [
        (module, name)
        for module in MODULES
        for name in IMPORTS[module]
        if name.split(".")[0] in APPS and site_level(name) > site_level(module)
    ]
    assert offenders == []


def test_no_package_imports_itself_through_another() -> None:
    graph: defaultdict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        targets = {package_of(name) for name in IMPORTS[module] if name.split(".")[0] in APPS}
        graph[package_of(module)] |= targets - {package_of(module)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"package cycle: {' → '.join(error.args[1])}")


def test_activities_import_only_those_before_them() -> None:
    offenders = [
        (module, name)
        for place, activity in enumerate(ACTIVITIES)
        for module in MODULES
        if is_in(module, f"evaluation.{activity}")
        for name in IMPORTS[module]
        if any(is_in(name, f"evaluation.{later}") for later in ACTIVITIES[place + 1 :])
    ]
    assert offenders == []


@pytest.mark.parametrize("activity", ["evaluation.people", "evaluation.annotate", "evaluation.tasks"])
def test_inside_an_activity_views_call_forms_and_forms_call_services(activity: str) -> None:
    offenders = [
        (module, name)
        for place, layer in enumerate(LAYERS)
        for module in MODULES
        if is_in(module, f"{activity}.{layer}")
        for name in IMPORTS[module]
        if any(is_in(name, f"{activity}.{later}") for later in LAYERS[place + 1 :])
    ]
    assert offenders == []


def test_only_views_forms_and_the_api_speak_http() -> None:
    http = ("django.http", "django.shortcuts", "ninja.errors")
    offenders = {
        module: sorted(name for name in IMPORTS[module] if any(is_in(name, one) for one in http))
        for module in MODULES
        if {"services", "queries"} & set(module.split(".")) or is_in(module, "evaluation.models")
    }
    assert {module: names for module, names in offenders.items() if names} == {}


@pytest.mark.parametrize("app", APPS)
def test_an_app_has_at_most_ten_modules_at_its_root(app: str) -> None:
    at_root = [path.name for path in (ROOT / app).glob("*.py") if path.name != "__init__.py"]
    assert len(at_root) <= 10, sorted(at_root)


def pictured() -> set[str]:
    """What docs/architecture.md draws: names first in a line, two spaces before anything is said of them."""
    drawing = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("```")[1]
    names_seen, room = set(), ""
    for line in drawing.strip("\n").split("\n"):
        names = line.strip().partition("  ")[0].split()
        if not line.startswith(" "):
            room = ""
        names_seen |= {room + name for name in names}
        room = room or names[0]
    return names_seen


def test_everything_in_the_drawn_tree_exists() -> None:
    assert sorted(name for name in pictured() if not (ROOT / name).exists()) == []


@pytest.mark.parametrize("app", APPS)
def test_the_drawn_tree_shows_every_package_and_root_module(app: str) -> None:
    names = {
        f"{app}/{path.name}" + ("/" if path.is_dir() else "")
        for path in (ROOT / app).iterdir()
        if path.name not in {"__init__.py", "__pycache__"}
    }
    assert sorted(names - pictured()) == []
