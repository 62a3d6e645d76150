"""Batches of the newer Appraise: a list of ``{"task": {…}, "items": […]}``.

Pairwise items carry ``targets``, each with ``targetID`` and ``targetText``. Direct items carry one target
each: those with the same source in a document become one item. ``a+b`` as ``targetID`` means that both
systems produced the text. In direct items ``documentID`` is ``document#system``, with further marks for
copies, and ``targetID`` may begin with the ``sourceID``, which names the test set.

``BAD`` is a damaged copy and can serve as an attention check; ``REF`` is a reference. Whole documents,
tutorials and other controls (``CHK``) are skipped with a warning. A batch shows each sentence with its own
choice of systems, so items need not be complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.importers.json_values import JsonValue
from evaluation.importers.model import ImportedCandidate, ImportedItem, SourceFile, SourcePosition
from evaluation.importers.state import ImportState, make_unique_id
from evaluation.importers.strict_json import JsonReader

_CONTROL = "CHK"


@dataclass(slots=True)
class _ItemParts:
    """An item whose targets may come from several batches."""

    id: str
    document: str
    source: str
    position: SourcePosition
    candidates: dict[str, str] = field(default_factory=dict)
    references: dict[str, None] = field(default_factory=dict)
    damaged: dict[str, str] = field(default_factory=dict)


_Key = tuple[str, str, str, str]


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
            damaged = [
                ImportedCandidate(*pair) for pair in parts.damaged.items() if pair[0] in parts.candidates
            ]
            yield ImportedItem(
                identity,
                parts.source,
                candidates,
                parts.position,
                parts.document,
                tuple(parts.references),
                damaged=tuple(damaged),
            )


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
    if _is_skipped(value, kind):
        return
    source = value.at("segmentText" if value.has("segmentText") else "sourceText").text()
    is_direct = not value.has("targets")
    origin, label = value.name_at("sourceID"), value.at("documentID").text("")
    document = label.partition("#")[0] if is_direct else label
    segment = _find_segment(value)
    identity = f"{document}:{segment}" if segment else value.name_at("itemID", str(len(parts_of) + 1))
    new = _ItemParts(identity, document or origin, source, value.position)
    parts = parts_of.setdefault((document, origin, segment, source), new)
    for target in [value] if is_direct else value.at("targets").items():
        _add_target(target, parts, kind, origin)


def _find_segment(value: JsonValue) -> str:
    """Return the number of the segment, which batches of error spans give as ``system | number | document``.

    It tells two sentences with the same source in a document apart; ``itemID`` counts anew in each batch.
    """
    fields = value.at("_item").text("").split(" | ")
    return fields[1] if len(fields) == 3 else ""


def _is_skipped(value: JsonValue, kind: str) -> bool:
    """Whether the item is no sentence to be judged; warn of it."""
    mqm = value.at("mqm").value
    if value.at("isCompleteDocument").value is True:
        code, what = "documents_skipped", "a whole document, which asks for a score of all its sentences,"
    elif "tutorial" in value.at("documentID").text("") or (isinstance(mqm, dict) and "tutorial" in mqm):
        code, what = "tutorial_skipped", "a sentence of a tutorial"
    elif kind == _CONTROL:
        code, what = "controls_skipped", "a control item"
    else:
        return False
    remedy = "use attention checks and practice of this task instead"
    value.state.warn(code, f"{what} is skipped", remedy, value.position)
    return True


def _add_target(target: JsonValue, parts: _ItemParts, kind: str, origin: str) -> None:
    name, text = target.at("targetID").name(), target.at("targetText").text()
    if kind == "REF":
        parts.references[text] = None
        return
    if kind == "BAD":
        message = "a damaged copy is kept for attention checks"
        remedy = "they are asked if the task has hidden attention checks"
        target.state.warn("damaged_copies", message, remedy, target.position)
    texts = parts.damaged if kind == "BAD" else parts.candidates
    for system in filter(None, (part.strip() for part in name.split("+"))):
        # A test set that is named in every target is no part of the system's name.
        system = system.removeprefix(f"{origin}.") or system
        if texts.setdefault(system, text) != text and kind != "BAD":
            message = f"{system!r} has two translations of the same source (first at {parts.position})"
            target.state.report("duplicate_system", message, "keep one per system", target.position)
