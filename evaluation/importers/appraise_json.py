"""Batches of the newer Appraise: a list of ``{"task": {…}, "items": […]}``.

Pairwise items carry ``targets``, each with ``targetID`` and ``targetText``. Direct items carry one target
each: those with the same source become one item. ``a+b`` as ``targetID`` means that both systems produced the
text. Control items (``BAD``, ``CHK``) are skipped with a warning, because they belong to the original
campaign; ``REF`` is a reference. A batch shows each sentence with its own choice of systems, so items need
not be complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.importers.json_values import JsonValue
from evaluation.importers.model import ImportedCandidate, ImportedItem, SourceFile, SourcePosition
from evaluation.importers.state import ImportState, make_unique_id
from evaluation.importers.strict_json import JsonReader

_CONTROLS = ("BAD", "CHK")


@dataclass(slots=True)
class _ItemParts:
    """An item whose targets may come from several batches."""

    id: str
    document: str
    source: str
    position: SourcePosition
    candidates: dict[str, str] = field(default_factory=dict)
    references: dict[str, None] = field(default_factory=dict)


_Key = tuple[str, str, str]


def read(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the items of every batch of every file, each source once."""
    state.incomplete = True
    parts_of: dict[_Key, _ItemParts] = {}
    for value in _read_values(files, state):
        _add_item(value, parts_of)
        if len(parts_of) > state.limits.max_items:
            state.refuse_excess("items", state.limits.max_items, value.position)
    used: dict[str, int] = {}
    for parts in parts_of.values():
        if parts.candidates:
            identity = make_unique_id(parts.id, used)
            candidates = tuple(ImportedCandidate(*pair) for pair in parts.candidates.items())
            references = tuple(parts.references)
            yield ImportedItem(identity, parts.source, candidates, parts.position, parts.document, references)


def _read_values(files: Sequence[SourceFile], state: ImportState) -> Iterator[JsonValue]:
    """Yield the items of all batches as JSON values."""
    for file in files:
        reader = JsonReader(file, state)
        if reader.peek() == "{":
            yield from _read_batch(reader, "", state)
        elif reader.peek() == "[":
            for index in reader.elements():
                if reader.peek() == "{":
                    yield from _read_batch(reader, f"/{index}", state)
                else:
                    value = JsonValue(reader.value(), f"/{index}", reader.position, state)
                    value.report_type("an object", None)
        elif reader.peek():
            JsonValue(reader.value(), "", reader.position, state).report_type("a list of batches", None)
        reader.end()


def _read_batch(reader: JsonReader, pointer: str, state: ImportState) -> Iterator[JsonValue]:
    for key in reader.members():
        position = reader.position
        if key == "items" and reader.peek() == "[":
            for index in reader.elements():
                position = reader.position
                yield JsonValue(reader.value(), f"{pointer}/items/{index}", position, state)
            continue
        member = JsonValue(reader.value(), f"{pointer}/{key}", position, state)
        if key == "items":
            member.report_type("a list", None)
        elif key == "task":
            member.members()  # reports anything but an object
            source, target = (member.at(f"{side}Language").text("") for side in ("source", "target"))
            state.set_languages(source, target, position)


def _add_item(value: JsonValue, parts_of: dict[_Key, _ItemParts]) -> None:
    if not isinstance(value.value, dict):
        value.report_type("an object", None)
        return
    kind = value.at("itemType").text("TGT")
    if kind in _CONTROLS:
        remedy = "use attention checks of this task instead"
        value.state.warn("controls_skipped", "a control item is skipped", remedy, value.position)
        return
    source, document = value.at("sourceText").text(), value.at("documentID").text("")
    origin = value.name_at("sourceID")
    identity = value.name_at("itemID", str(len(parts_of) + 1))
    new = _ItemParts(identity, document or origin, source, value.position)
    parts = parts_of.setdefault((document, origin, source), new)
    for target in value.at("targets").items() if value.has("targets") else [value]:
        _add_target(target, parts, kind)


def _add_target(target: JsonValue, parts: _ItemParts, kind: str) -> None:
    name, text = target.at("targetID").name(), target.at("targetText").text()
    if kind == "REF":
        parts.references[text] = None
        return
    for system in filter(None, (part.strip() for part in name.split("+"))):
        if parts.candidates.setdefault(system, text) != text:
            message = f"{system!r} has two translations of the same source (first at {parts.position})"
            target.state.report("duplicate_system", message, "keep one per system", target.position)
