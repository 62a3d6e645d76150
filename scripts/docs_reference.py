"""Pages of the documentation that are written by the code: every command and every operation of the API.

MkDocs runs this as a hook, so these pages cannot fall behind.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Schema = dict[str, Any]  # Any: a part of an OpenAPI document

OURS = ("appraise.operations", "evaluation", "metrics")
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

    found = get_commands()
    lines = ["# Commands", "", "In a checkout a command is `.venv/bin/python manage.py COMMAND`, from the"]
    lines += ["installed package `appraise COMMAND`. `COMMAND --help` prints the same explanations.", ""]
    names = sorted(name for name, app in found.items() if app in OURS)
    lines += ["| command | what it does |", "|---|---|"]
    lines += [f"| [{name}](#{name}) | {_cell(_escape(_about(name, found[name])))} |" for name in names]
    for name in names:
        lines += ["", *_command(name, found[name])]
    return "\n".join(lines)


def _about(name: str, app: str) -> str:
    from django.core.management import load_command_class

    return str(load_command_class(app, name).help)


def _command(name: str, app: str) -> Iterator[str]:
    from django.core.management import load_command_class

    command = load_command_class(app, name)
    parser = command.create_parser("manage.py", name)
    yield from (f"## {name}", "", _escape(parser.description or ""), "")
    if examples := getattr(command, "examples", ()):
        yield from ("```", *(f".venv/bin/python manage.py {example}" for example in examples), "```", "")
    yield from _options(parser)
    for kinds in (action for action in parser._actions if isinstance(action, _SubParsersAction)):
        told = {choice.dest: choice.help or "" for choice in kinds._choices_actions}
        for kind, below in kinds.choices.items():
            yield from (f"### {name} {kind}", "", _escape(told[kind]), "")
            yield from _options(below)


def _options(parser: ArgumentParser) -> Iterator[str]:
    usual = [action for action in parser._actions if not set(action.option_strings) & DJANGOS_OWN]
    options = [action for action in usual if not isinstance(action, _SubParsersAction)]
    if not options:
        return
    yield from ("| option | meaning |", "|---|---|")
    for action in options:
        spelled = ", ".join(f"`{spelling}`" for spelling in action.option_strings) or f"`{_metavar(action)}`"
        if action.option_strings and action.nargs != 0:
            spelled += f" `{_metavar(action)}`"
        yield f"| {_cell(spelled)} | {_cell(_escape(_help(action)))} |"
    yield ""


def _metavar(action: Action) -> str:
    if action.choices is not None and not action.metavar:
        return " / ".join(map(str, action.choices))
    named = action.metavar or action.dest.upper()
    return " ".join(named) if isinstance(named, tuple) else str(named)


def _help(action: Action) -> str:
    from evaluation.management.base import help_with_default

    text = help_with_default(action).replace("%(default)s", str(action.default)).replace("%%", "%")
    return text + (" (required)" if action.required and action.option_strings else "")


def operations() -> str:
    from evaluation.api.core import api

    document = api.get_openapi_schema()
    lines = ["# API operations", "", "Written from the OpenAPI document that a site publishes at"]
    lines += ["`/api/openapi.json`. The examples use names of the demonstration; `$TOKEN` is a"]
    lines += ["[token](../api.md#tokens).", ""]
    for address, methods in document["paths"].items():
        for method, operation in methods.items():
            lines += _operation(method.upper(), address, operation, document["components"]["schemas"])
    return "\n".join(lines)


def _operation(method: str, address: str, operation: Schema, schemas: Schema) -> Iterator[str]:
    yield from (f"## {operation['summary']}", "", f"`{method} {address}`", "")
    if told := operation.get("description"):
        yield from (_escape(told), "")
    yield from ("```", example(method, address, operation, schemas), "```", "")
    if fields := parameters(operation, schemas):
        yield from ("| parameter | in | values | meaning |", "|---|---|---|---|")
        for name, place, field in fields:
            said = _cell(_escape(field.get("description", "")))
            yield f"| `{name}` | {place} | {_cell(_values(field))} | {said} |"
        yield ""
    for status, answer in operation["responses"].items():
        names = ", ".join(f"`{name}`" for name in _answer(answer, schemas))
        yield from (f"Answers {status}" + (f" with {names}." if names else "."), "")


def example(method: str, address: str, operation: Schema, schemas: Schema) -> str:
    """A line for a shell that does the operation on the demonstration."""
    for place in operation.get("parameters", []):
        if place["in"] == "path":
            address = address.replace(f"{{{place['name']}}}", str(place["schema"]["examples"][0]))
    line = 'curl -H "Authorization: Bearer $TOKEN"'
    for kind, body in operation.get("requestBody", {}).get("content", {}).items():
        if kind == "application/json":
            schema = _resolve(body["schema"], schemas)
            fields, required = schema["properties"].items(), schema.get("required", ())
            # What may be left out is left out, unless it has an example.
            shown = {name: field for name, field in fields if name in required or "examples" in field}
            sent = json.dumps({name: field["examples"][0] for name, field in shown.items()})
            line += f" -H 'Content-Type: {kind}' -d '{sent}'"
        else:
            line += " -F files=@fixtures/samples/wide.csv -F name=News"
    return f"{line} http://127.0.0.1:8000{address}"


def parameters(operation: Schema, schemas: Schema) -> list[tuple[str, str, Schema]]:
    """Name, place and schema of everything that an operation can be told."""
    found = [
        (place["name"], place["in"], _resolve(place["schema"], schemas) | _description(place))
        for place in operation.get("parameters", [])
    ]
    for body in operation.get("requestBody", {}).get("content", {}).values():
        fields = _resolve(body["schema"], schemas)["properties"]
        found += [(name, "body", _resolve(field, schemas)) for name, field in fields.items()]
    return found


def _description(place: Schema) -> Schema:
    return {"description": place["description"]} if place.get("description") else {}


def _resolve(schema: Schema, schemas: Schema) -> Schema:
    """A schema, or the one that it refers to."""
    if "$ref" in schema:
        return {**schemas[schema["$ref"].rpartition("/")[2]], **schema}
    for part in schema.get("allOf", []):
        return {**_resolve(part, schemas), **schema}
    return schema


def _values(field: Schema) -> str:
    inner = field.get("items", field)
    told = " / ".join(f"`{value}`" for value in inner.get("enum", []) if value != "")
    kinds = [part.get("type") for part in inner.get("anyOf", []) if part.get("type") != "null"]
    told = told or str(inner.get("type") or (kinds or [""])[0])
    default = field.get("default")
    if field.get("type") == "array":
        told += ", may be repeated"
    return told if default in (None, "", []) else f"{told}; default `{json.dumps(default)}`".replace('"', "")


def _answer(answer: Schema, schemas: Schema) -> list[str]:
    """The names of what an answer holds: of an object, or of each object of a list."""
    for body in answer.get("content", {}).values():
        schema = body["schema"]
        inner = schema.get("items") or schema.get("additionalProperties") or schema
        return list(_resolve(inner, schemas).get("properties", {})) if isinstance(inner, dict) else []
    return []


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())


def _escape(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
