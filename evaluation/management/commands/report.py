"""``manage.py report NAME``: the figures of any registered report, as JSON or as its tables."""

from __future__ import annotations

from argparse import ArgumentParser
from enum import EnumType
from typing import Any, Literal, get_args, get_origin

from django.core.management.base import CommandParser
from django.http import QueryDict
from pydantic.fields import FieldInfo

from evaluation.management.base import RENDERERS, AppraiseCommand
from evaluation.reports.registry import AnyReport, load_reports, read_options
from evaluation.reports.scope import load_scope


class Command(AppraiseCommand):
    help = "Print a report about a task or a campaign: all of its figures as JSON, or its tables."
    examples = (
        "report stopping --task second-round --format text",
        "report panel --campaign demo --model mace --table members --format csv",
        "report campaign-diff --task second-round --before task:town-news --old tundra --new tundra-2",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        reports = parser.add_subparsers(
            dest="report", required=True, metavar="NAME", parser_class=type(parser)
        )
        for name, report in load_reports().items():
            _add_options(
                reports.add_parser(name, help=report.description, description=report.description), report
            )

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        report = load_reports()[options["report"]]
        kind = "campaign" if options.get("campaign") else "task"
        query = QueryDict(mutable=True)
        for name in report.options.model_fields:
            values = options[name] if isinstance(options[name], list) else [options[name]]
            query.setlist(name, [str(value) for value in values if value is not None])
        chosen, errors = read_options(report.options, query)
        if errors:
            self.refuse(
                "; ".join(f"--{name.replace('_', '-')}: {message}" for name, message in errors.items())
            )
        summary = report.compute(load_scope(kind, options[kind]), chosen)
        if missing := report.missing(summary):
            self.refuse(missing)
        if options["format"] == "json":
            self.write_json(report.document(summary))
            return
        names = [options["table"]] if options["table"] else list(report.tables)
        tables = [table for name in names if (table := report.tables[name](summary)) is not None]
        self.stdout.write("\n".join(map(RENDERERS[options["format"]], tables)), ending="")


def _add_options(parser: ArgumentParser, report: AnyReport) -> None:
    scope = parser.add_mutually_exclusive_group(required=True)
    for kind in report.scopes:
        scope.add_argument(f"--{kind}", metavar="SLUG", help=f"the {kind} that the report is about")
    parser.add_argument("--table", choices=sorted(report.tables), help="only this table (default: all)")
    parser.add_argument(
        "--format", choices=["json", *RENDERERS], default="json", help="all figures as JSON, or tables"
    )
    for name, field in report.options.model_fields.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", dest=name, help=field.description, **_argument(field)
        )


def _argument(field: FieldInfo) -> dict[str, Any]:  # Any: the keywords of add_argument
    """Return how argparse reads a field; its value is checked with the others, by ``read_options``."""
    annotation: Any = field.annotation  # Any: a type expression
    is_list = get_origin(annotation) is list
    inner = [kind for kind in get_args(annotation) or [annotation] if kind is not type(None)]
    if get_origin(annotation) is Literal:
        words = [str(word) for word in inner if word]
    else:
        members: list[object] = list(inner[0]) if isinstance(inner[0], EnumType) else []
        words = [str(member) for member in members]
    return {
        **({"action": "append", "default": []} if is_list else {"default": None}),
        **({"choices": words} if words else {"metavar": "VALUE"}),
    }
