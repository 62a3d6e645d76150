"""Our own format, as one JSON document or as JSON lines; ``schema.json`` beside this file describes both.

    {"format": "appraise-task", "version": 1, "source_language": "de", "target_language": "en",
     "items": [{"id": "1", "source": "…", "references": ["…"], "candidates": {"system": "…"}}],
     "judgements": [{"annotator": "…", "item": "1", "a": "system", "b": "system", "label": "A>B"}]}

In JSON lines each line is an item, a judgement (it has an ``annotator``) or, first, the header without its
lists. ``dump`` and ``dump_lines`` write what the readers read: the same items, the same digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from evaluation.importers.decode import lines
from evaluation.importers.judgement import FIELDS as JUDGEMENT_FIELDS
from evaluation.importers.judgement import judgement
from evaluation.importers.links import parse_links, tokens
from evaluation.importers.model import (
    Candidate,
    GivenPhrase,
    ImportedItem,
    ImportedJudgement,
    ImportedSet,
    Measure,
    PairLinks,
    PairPhrases,
    Record,
    Span,
)
from evaluation.importers.reading import Reading
from evaluation.importers.shape import Shape
from evaluation.importers.source import SourceFile
from evaluation.importers.strict_json import JsonReader

FORMAT, VERSION = "appraise-task", 1
LISTS = ("items", "judgements")
HEADER = ("format", "version", "name", "source_language", "target_language", "incomplete")
ITEM = (
    "id",
    "document",
    "source",
    "reference",
    "references",
    "candidates",
    "before",
    "after",
    "links",
    "phrases",
)


def read_document(files: Sequence[SourceFile], reading: Reading) -> Iterator[Record]:
    """One document per file: an object with ``items``, or a plain list of items."""
    for file in files:
        reader = JsonReader(file, reading)
        sign = reader.peek()
        if sign == "{":
            yield from _members(reader, reading)
        elif sign == "[":
            yield from _list(reader, "", reading)
        elif sign:
            Shape(reader.value(), "", reader.place, reading).wrong("an object or a list", None)
        reader.end()


def read_lines(files: Sequence[SourceFile], reading: Reading) -> Iterator[Record]:
    """One item, judgement or header per line; blank lines are skipped."""
    for file in files:
        for number, line in lines(file, reading, cr_ends=True):
            if line.strip(" \t"):
                yield from _line(file, number, line, reading)


def dump(imported: ImportedSet) -> str:
    """The set as one JSON document."""
    document = _header(imported)
    document["items"] = [item_object(item) for item in imported.items]
    if imported.judgements:
        document["judgements"] = [judgement_object(said) for said in imported.judgements]
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def dump_lines(imported: ImportedSet) -> Iterator[str]:
    """The set as JSON lines, one at a time."""
    for found in (
        iter([_header(imported)]),
        map(item_object, imported.items),
        map(judgement_object, imported.judgements),
    ):
        for value in found:
            yield json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def item_object(item: ImportedItem) -> dict[str, Any]:
    """An item as the files write it; absent things are left out."""
    links = [{"a": pair.a, "b": pair.b, "links": str(pair)} for pair in item.links]
    phrases = [
        {"a": pair.a, "b": pair.b, "phrases": [{"a": phrase.a, "b": phrase.b} for phrase in pair.phrases]}
        for pair in item.phrases
    ]
    optional = {
        "document": item.document,
        "source": item.source,
        "references": list(item.references),
        "before": item.before,
        "after": item.after,
        "links": links,
        "phrases": phrases,
    }
    candidates = {candidate.system: candidate.text for candidate in item.candidates}
    return {"id": item.id, "candidates": candidates} | {
        key: value for key, value in optional.items() if value
    }


def judgement_object(said: ImportedJudgement) -> dict[str, Any]:
    """A judgement as the files write it."""
    made: dict[str, Any] = {"annotator": said.annotator, "item": said.item}
    if said.measure is Measure.LABEL:
        made |= {"a": said.systems[0], "b": said.systems[1], "label": said.label}
    else:
        whole = said.value is not None and said.value.is_integer()
        made |= {"system": said.systems[0], said.measure.value: int(said.value or 0) if whole else said.value}
    return made if said.phrase is None else made | {"phrase": said.phrase}


def _header(imported: ImportedSet) -> dict[str, Any]:
    optional = {
        "name": imported.name,
        "source_language": imported.source_language,
        "target_language": imported.target_language,
        "incomplete": imported.incomplete,
    }
    return {"format": FORMAT, "version": VERSION} | {key: value for key, value in optional.items() if value}


def _members(reader: JsonReader, reading: Reading) -> Iterator[Record]:
    for key in reader.members():
        if key in LISTS and reader.peek() == "[":
            yield from _list(reader, f"/{key}", reading)
        else:
            place = reader.place
            whole = Shape({key: reader.value()}, "", place, reading)
            if key in LISTS:
                whole.at(key).wrong("a list", None)
            else:
                _learn(whole, (*HEADER, *LISTS))


def _list(reader: JsonReader, pointer: str, reading: Reading) -> Iterator[Record]:
    for index in reader.elements():
        place = reader.place
        shape = Shape(reader.value(), f"{pointer}/{index}", place, reading)
        record = _judgement(shape) if pointer == "/judgements" else _item(shape, index + 1)
        if record is not None:
            yield record


def _line(file: SourceFile, number: int, line: str, reading: Reading) -> Iterator[Record]:
    reader = JsonReader.of_line(line, number, file, reading)
    shape = Shape(reader.value(), "", reader.place._replace(column=1), reading)
    reader.end_of_line()
    if shape.has("format") or _is_header(shape):
        _learn(shape)
        return
    record = _judgement(shape) if shape.has("annotator") else _item(shape, number)
    if record is not None:
        yield record


def _is_header(shape: Shape) -> bool:
    """Describes the whole set and has no key of an item; the ``format`` may be left out."""
    return isinstance(shape.value, dict) and bool(shape.value) and shape.value.keys() <= set(HEADER)


def _learn(header: Shape, known: Sequence[str] = HEADER) -> None:
    """What the header says."""
    header.only(known)
    reading = header.reading
    if header.has("format") and header.at("format").text() != FORMAT:
        header.at("format").fault(f"the format is not {FORMAT}", f'write "format": "{FORMAT}"')
    if header.has("version") and header.at("version").integer() != VERSION:
        header.at("version").fault("the version is unknown", f"this release reads version {VERSION}")
    reading.name = reading.name or header.at("name").text("")
    if header.has("incomplete"):
        reading.incomplete = header.at("incomplete").truth() or reading.incomplete
    source, target = (header.at(f"{side}_language").text("") for side in ("source", "target"))
    reading.learn_languages(source, target, header.place)


def _item(shape: Shape, number: int) -> ImportedItem | None:
    if not isinstance(shape.value, dict):
        return shape.wrong("an object", None)
    shape.only(ITEM)
    references = [reference.text() for reference in shape.at("references").items()]
    if shape.has("reference"):
        references.insert(0, shape.at("reference").text())
    candidates = _candidates(shape.at("candidates"))
    return ImportedItem(
        id=shape.at("id").name() if shape.has("id") else str(number),
        source=shape.at("source").text() if shape.has("source") else "",
        candidates=candidates,
        place=shape.place,
        document=shape.at("document").name() if shape.has("document") else "",
        references=tuple(references),
        before=shape.at("before").text(""),
        after=shape.at("after").text(""),
        links=_links(shape, candidates),
        phrases=tuple(_phrases(pair) for pair in shape.at("phrases").items()),
    )


def _candidates(shape: Shape) -> tuple[Candidate, ...]:
    """An object from system to text, or a list of objects with both."""
    if isinstance(shape.value, list):
        return tuple(Candidate(one.at("system").name(), one.at("text").text()) for one in shape.items())
    return tuple(Candidate(system, text.text()) for system, text in shape.members())


def _links(shape: Shape, candidates: tuple[Candidate, ...]) -> tuple[PairLinks, ...]:
    """Word links per pair of systems; a bare text is about the first two candidates."""
    texts = {candidate.system: candidate.text for candidate in candidates}
    given = shape.at("links")
    if isinstance(given.value, str):
        names = list(texts)
        pairs = [(names[0], names[1], given)] if len(names) >= 2 else []
    else:
        pairs = [(pair.at("a").name(), pair.at("b").name(), pair.at("links")) for pair in given.items()]
    found = []
    for a, b, links in pairs:
        if a not in texts or b not in texts:
            links.fault("the links are about a system that has no candidate here", "name two candidates")
        else:
            parsed = parse_links(
                links.text(), tokens(texts[a]), tokens(texts[b]), shape.place, shape.reading, base=0
            )
            found.append(PairLinks(a, b, parsed))
    return tuple(found)


def _phrases(pair: Shape) -> PairPhrases:
    phrases = [GivenPhrase(_span(one.at("a")), _span(one.at("b"))) for one in pair.at("phrases").items()]
    return PairPhrases(pair.at("a").name(), pair.at("b").name(), tuple(phrases))


def _span(shape: Shape) -> Span | None:
    if shape.value is None:
        return None
    ends = [end.integer() for end in shape.items()]
    if len(ends) != 2 or not 0 <= ends[0] < ends[1]:
        shape.fault("a span is [start, end) with start < end", "write two integers, or null")
        return None
    return ends[0], ends[1]


def _judgement(shape: Shape) -> ImportedJudgement | None:
    if not isinstance(shape.value, dict):
        return shape.wrong("an object", None)
    shape.only(JUDGEMENT_FIELDS)
    fields = {}
    for key, member in shape.members():
        is_number = key in ("rating", "rank", "phrase")
        fields[key] = _plain(member.number()) if is_number else member.name()
    return judgement(fields, shape.place, shape.reading)


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() else f"{number:.15f}".rstrip("0")
