"""What the exports of answers contain, for programs that read them.

``table_schema`` describes CSV (a Frictionless Table Schema), ``line_schema`` a line of JSON Lines (JSON
Schema). A change that a reader could notice raises ``VERSION`` and is a line in the list of changes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from evaluation.schemes import CHOICE_REASONS, Choice

Schema = dict[str, Any]  # Any: a JSON document
VERSION = 1
TEXT, NUMBER, FLAG, NAMES = "string", "integer", "boolean", "array"  # as JSON Schema calls them
LABELS = tuple(choice.value for choice in Choice)
REASONS = tuple(reason.code for reason in CHOICE_REASONS)


class ExportColumn(NamedTuple):
    """A column; ``null`` in JSON where it is missing, and always an empty cell in CSV."""

    name: str
    kind: str
    about: str
    values: tuple[str, ...] = ()  # all that occur; none: any
    least: int = 0
    may_be_missing: bool = False
    may_be_empty: bool = False  # a text without characters


ANSWER_COLUMNS = (
    ExportColumn("task", TEXT, "name of the task in addresses"),
    ExportColumn("item", TEXT, "ID of the item in the input file", may_be_empty=True),
    ExportColumn("document", TEXT, "document of the item", may_be_empty=True),
    ExportColumn("pair", TEXT, "digest that names the pair"),
    ExportColumn("kind", TEXT, "what differs", ("different", "one_sided", "moved", "sentence")),
    ExportColumn("first", TEXT, "first text of the pair as stored", may_be_empty=True),
    ExportColumn("second", TEXT, "second text of the pair as stored", may_be_empty=True),
    ExportColumn("systems_first", NAMES, "systems whose outputs contain the first text", may_be_empty=True),
    ExportColumn("systems_second", NAMES, "systems whose outputs contain the second text", may_be_empty=True),
    ExportColumn("check", TEXT, "whether the pair is an attention check", ("degraded",), may_be_empty=True),
    ExportColumn("question", NUMBER, "number of the question's first phrase", may_be_missing=True),
    ExportColumn("annotator", TEXT, "pseudonym, “machine” and a metric, or a name in identified exports"),
    ExportColumn("presentation", NUMBER, "0, or a higher number for a hidden repeat"),
    ExportColumn("version", NUMBER, "1, or a higher number for a changed answer", least=1),
    ExportColumn("current", FLAG, "whether this version counts"),
    ExportColumn("label", TEXT, "first against second; missing: withdrawn", LABELS, may_be_missing=True),
    ExportColumn("reason", TEXT, "reason of the answer", REASONS, may_be_empty=True),
    ExportColumn("left", TEXT, "the text shown as A", ("first", "second")),
    ExportColumn("surplus", FLAG, "whether the answer was more than the task asked for"),
    ExportColumn("alignment", NUMBER, "version of the alignment", may_be_missing=True),
    ExportColumn("active_ms", NUMBER, "time in which the page was visible", may_be_missing=True),
    ExportColumn("elapsed_ms", NUMBER, "time on the clock", may_be_missing=True),
    ExportColumn("order", NUMBER, "order of the answers, with gaps", least=1),
    ExportColumn("received_at", TEXT, "time of day, in identified exports only", may_be_missing=True),
)  # fmt: skip


def table_schema() -> Schema:
    """Describe the export ``csv``; an empty cell is a missing value."""
    return {"title": _title(), "fields": [_field(column) for column in ANSWER_COLUMNS], "missingValues": [""]}


def line_schema() -> Schema:
    """Describe a line of the export ``jsonl``."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": _title(),
        "type": "object",
        "properties": {column.name: _property(column) for column in ANSWER_COLUMNS},
        "required": [column.name for column in ANSWER_COLUMNS],
        "additionalProperties": False,
    }


SCHEMAS = {"csv": table_schema, "jsonl": line_schema}


def _title() -> str:
    return f"Appraise answers, version {VERSION}"


def _field(column: ExportColumn) -> Schema:
    constraints: Schema = {"required": not (column.may_be_missing or column.may_be_empty)}
    if column.values:
        constraints["enum"] = list(column.values)
    if column.kind == NUMBER:
        constraints["minimum"] = column.least
    field = {
        "name": column.name,
        "type": column.kind,
        "description": column.about,
        "constraints": constraints,
    }
    if column.kind == FLAG:
        field |= {"trueValues": ["yes"], "falseValues": ["no"]}
    if column.kind == NAMES:  # joined by “+”, which a name may contain
        field["type"] = TEXT
    return field


def _property(column: ExportColumn) -> Schema:
    schema: Schema = {"description": column.about}
    schema["type"] = [column.kind, "null"] if column.may_be_missing else column.kind
    if column.kind == NUMBER:
        schema["minimum"] = column.least
    elif column.kind == NAMES:
        schema["items"] = {"type": TEXT}
    elif column.values:
        missing = [None] if column.may_be_missing else [""] if column.may_be_empty else []
        schema["enum"] = [*column.values, *missing]
    elif column.kind == TEXT and not (column.may_be_missing or column.may_be_empty):
        schema["minLength"] = 1
    return schema
