"""Batches of the newer Appraise: a list of ``{"task": {…}, "items": […]}``.

Pairwise items carry ``targets``, each with ``targetID`` and ``targetText``. Direct items carry one flat
target each: those with the same source are one item for us. ``a+b`` as ``targetID`` means that both systems
wrote it. Control items (``BAD``, ``CHK``) are left out with a warning, because they belong to the original
campaign; ``REF`` is a reference. A batch shows each sentence with its own choice of systems, so items need
not be complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from evaluation.importers.model import Candidate, ImportedItem, Place
from evaluation.importers.reading import Reading, numbered
from evaluation.importers.shape import Shape
from evaluation.importers.source import SourceFile
from evaluation.importers.strict_json import JsonReader

_CONTROLS = ("BAD", "CHK")


@dataclass(slots=True)
class _Gathered:
    """An item while its targets come in, perhaps from several batches."""

    id: str
    document: str
    source: str
    place: Place
    candidates: dict[str, str] = field(default_factory=dict)
    references: dict[str, None] = field(default_factory=dict)


def read(files: Sequence[SourceFile], reading: Reading) -> Iterator[ImportedItem]:
    """The items of every batch of every file, each source once."""
    reading.incomplete = True
    gathered: dict[tuple[str, str, str], _Gathered] = {}
    for shape in _items(files, reading):
        _gather(shape, gathered)
        if len(gathered) > reading.limits.max_items:
            reading.refuse(
                "too_many_items",
                f"there are more than {reading.limits.max_items:,} items",
                "split",
                shape.place,
            )
    used: dict[str, int] = {}
    for one in gathered.values():
        if one.candidates:
            candidates = tuple(Candidate(*pair) for pair in one.candidates.items())
            yield ImportedItem(
                numbered(one.id, used), one.source, candidates, one.place, one.document, tuple(one.references)
            )


def _items(files: Sequence[SourceFile], reading: Reading) -> Iterator[Shape]:
    for file in files:
        reader = JsonReader(file, reading)
        if reader.peek() == "{":
            yield from _batch(reader, "", reading)
        elif reader.peek() == "[":
            for index in reader.elements():
                if reader.peek() != "{":
                    Shape(reader.value(), f"/{index}", reader.place, reading).wrong("an object", None)
                else:
                    yield from _batch(reader, f"/{index}", reading)
        elif reader.peek():
            Shape(reader.value(), "", reader.place, reading).wrong("a list of batches", None)
        reader.end()


def _batch(reader: JsonReader, pointer: str, reading: Reading) -> Iterator[Shape]:
    for key in reader.members():
        place = reader.place
        if key == "items" and reader.peek() == "[":
            for index in reader.elements():
                place = reader.place
                yield Shape(reader.value(), f"{pointer}/items/{index}", place, reading)
            continue
        member = Shape(reader.value(), f"{pointer}/{key}", place, reading)
        if key == "items":
            member.wrong("a list", None)
        elif key == "task":
            member.members()  # reports anything but an object
            source, target = (member.at(f"{side}Language").text("") for side in ("source", "target"))
            reading.learn_languages(source, target, place)


def _gather(shape: Shape, gathered: dict[tuple[str, str, str], _Gathered]) -> None:
    if not isinstance(shape.value, dict):
        shape.wrong("an object", None)
        return
    kind = shape.at("itemType").text("TGT")
    if kind in _CONTROLS:
        shape.reading.warn(
            "controls_skipped",
            "a control item is left out",
            "choose attention checks here instead",
            shape.place,
        )
        return
    source = shape.at("sourceText").text()
    document = shape.at("documentID").text("")
    origin = shape.at("sourceID").name() if shape.has("sourceID") else ""
    identity = shape.at("itemID").name() if shape.has("itemID") else str(len(gathered) + 1)
    one = gathered.setdefault(
        (document, origin, source), _Gathered(identity, document or origin, source, shape.place)
    )
    for target in shape.at("targets").items() if shape.has("targets") else [shape]:
        _take(target, one, kind)


def _take(target: Shape, one: _Gathered, kind: str) -> None:
    name, text = target.at("targetID").name(), target.at("targetText").text()
    if kind == "REF":
        one.references[text] = None
        return
    for system in filter(None, (part.strip() for part in name.split("+"))):
        if one.candidates.setdefault(system, text) != text:
            target.reading.fault(
                "duplicate_system",
                f"{system!r} translates the same source in two ways (first at {one.place})",
                "keep one translation per system",
                target.place,
            )
