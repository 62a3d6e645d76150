"""Pages of the documentation that are written by the code: every command and every operation of the API.

MkDocs runs this as a hook, so these pages cannot fall behind.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

OURS = ("appraise", "evaluation", "metrics")
DJANGOS_OWN = {
    "--version", "--verbosity", "--settings", "--pythonpath", "--traceback", "--no-color", "--force-color",
    "--skip-checks", "--help",
}  # fmt: skip


def on_files(files: Any, *, config: Any) -> Any:
    from mkdocs.structure.files import File

    for place, text in pages().items():
        files.append(File.generated(config, place, content=text))
    return files


def pages() -> dict[str, str]:
    """Place → text. Written in a home of their own: reading the code leaves nothing behind."""
    with tempfile.TemporaryDirectory(prefix="appraise-docs-") as home:
        _set_up_django(home)
        return {"reference/commands.md": commands(), "reference/operations.md": operations()}


def _set_up_django(home: str) -> None:
    import django

    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    os.environ["DJANGO_SETTINGS_MODULE"] = "appraise.settings"
    os.environ["APPRAISE_HOME"] = home
    django.setup()


def commands() -> str:
    from django.core.management import get_commands

    ours = sorted(name for name, app in get_commands().items() if app in OURS)
    said = "`.venv/bin/python manage.py COMMAND`, or `appraise COMMAND` from the package."
    lines = ["# Commands", "", said, ""]
    for name in ours:
        lines += _command(name, get_commands()[name])
    return "\n".join(lines)


def _command(name: str, app: str) -> Iterator[str]:
    from django.core.management import load_command_class

    parser = load_command_class(app, name).create_parser("manage.py", name)
    yield from (f"## {name}", "", _escaped(parser.description or ""), "")
    options = [action for action in parser._actions if not set(action.option_strings) & DJANGOS_OWN]
    if not options:
        return
    yield from ("| option | meaning |", "|---|---|")
    for action in options:
        spelled = ", ".join(f"`{spelling}`" for spelling in action.option_strings) or f"`{_metavar(action)}`"
        if action.option_strings and action.nargs != 0:
            spelled += f" `{_metavar(action)}`"
        yield f"| {_cell(spelled)} | {_cell(_escaped(_help(action)))} |"
    yield ""


def _metavar(action: Any) -> str:
    if action.choices is not None:
        return " / ".join(map(str, action.choices))
    named = action.metavar or action.dest.upper()
    return " ".join(named) if isinstance(named, tuple) else str(named)


def _help(action: Any) -> str:
    text = str(action.help or "").replace("%(default)s", str(action.default)).replace("%%", "%")
    return text + (" (required)" if action.required and action.option_strings else "")


def operations() -> str:
    from evaluation.api import api

    document = api.get_openapi_schema()
    lines = ["# API operations", "", "The same as the OpenAPI document that the site publishes.", ""]
    lines += ["| method | address | what it does |", "|---|---|---|"]
    for address, methods in document["paths"].items():
        for method, operation in methods.items():
            what = operation.get("description") or operation.get("summary") or ""
            lines.append(f"| {method.upper()} | `{address}` | {_cell(_escaped(what))} |")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
