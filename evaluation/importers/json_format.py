"""The project's own format, as one JSON document or as JSON lines; ``schema.json`` describes both.

    {"format": "appraise-task", "version": 1, "source_language": "de", "target_language": "en",
     "items": [{"id": "1", "source": "…", "references": ["…"], "candidates": {"system": "…"}}],
     "judgements": [{"annotator": "…", "item": "1", "a": "system", "b": "system", "label": "A>B"}]}

In JSON lines each line is an item, a judgement (it has an ``annotator``) or, first, the header without its
lists. ``dump_lines`` writes what ``read_lines`` reads: the same items with the same digest.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from evaluation.importers.decode import lines
from evaluation.importers.json_values import JsonValue
from evaluation.importers.judgements import FIELDS as JUDGEMENT_FIELDS, check_judgement
from evaluation.importers.links import parse_pair_links
from evaluation.importers.model import (
    GivenPhrase,
    ImportedCandidate,
    ImportedItem,
    ImportedJudgement,
    ImportedSet,
    JudgementMeasure,
    PairLinks,
    PairPhrases,
    Record,
    SourceFile,
    Span,
)
from evaluation.importers.state import ImportState
from evaluation.importers.strict_json import JsonReader

FORMAT, VERSION = "appraise-task", 1
LISTS = ("items", "judgements")
HEADER = ("format", "version", "name", "source_language", "target_language", "incomplete")
ITEM = (
    "id", "document", "source", "reference", "references",
    "candidates", "before", "after", "links", "phrases",
)  # fmt: skip


def read_document(files: Sequence[SourceFile], state: ImportState) -> Iterator[Record]:
    """Read one document per file: an object with ``items``, or a plain list of items."""
    for file in files:
        reader = JsonReader(file, state)
        sign = reader.peek()
        if sign == "{":
            yield from _read_members(reader, state)
        elif sign == "[":
            yield from _read_list(reader, "", state)
        elif sign:
            JsonValue(reader.value(), "", reader.position, state).report_type("an object or a list", None)
        reader.end()


def read_lines(files: Sequence[SourceFile], state: ImportState) -> Iterator[Record]:
    """Read one item, judgement or header per line; blank lines are skipped."""
    for file in files:
        for number, line in lines(file, state, cr_ends=True):
            if line.strip(" \t"):
                yield from _read_line(file, number, line, state)


def dump_lines(imported: ImportedSet) -> Iterator[str]:
    """Yield the set as JSON lines."""
    items, judgements = map(item_object, imported.items), map(judgement_object, imported.judgements)
    for value in chain([_header(imported)], items, judgements):
        yield json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def item_object(item: ImportedItem) -> dict[str, Any]:
    """Return an item as a JSON object; absent fields are omitted."""
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


def judgement_object(judgement: ImportedJudgement) -> dict[str, Any]:
    """Return a judgement as a JSON object."""
    fields: dict[str, Any] = {"annotator": judgement.annotator, "item": judgement.item}
    if judgement.measure is JudgementMeasure.LABEL:
        fields |= {"a": judgement.systems[0], "b": judgement.systems[1], "label": judgement.label}
    else:
        value = judgement.value
        is_whole = value is not None and value.is_integer()
        fields |= {
            "system": judgement.systems[0],
            judgement.measure.value: int(value or 0) if is_whole else value,
        }
    return fields if judgement.phrase is None else fields | {"phrase": judgement.phrase}


def _header(imported: ImportedSet) -> dict[str, Any]:
    optional = {
        "name": imported.name,
        "source_language": imported.source_language,
        "target_language": imported.target_language,
        "incomplete": imported.incomplete,
    }
    return {"format": FORMAT, "version": VERSION} | {key: value for key, value in optional.items() if value}


def _read_members(reader: JsonReader, state: ImportState) -> Iterator[Record]:
    for key in reader.members():
        if key in LISTS and reader.peek() == "[":
            yield from _read_list(reader, f"/{key}", state)
        else:
            position = reader.position
            member = JsonValue({key: reader.value()}, "", position, state)
            if key in LISTS:
                member.at(key).report_type("a list", None)
            else:
                _learn_header(member, (*HEADER, *LISTS))


def _read_list(reader: JsonReader, pointer: str, state: ImportState) -> Iterator[Record]:
    for index in reader.elements():
        position = reader.position
        value = JsonValue(reader.value(), f"{pointer}/{index}", position, state)
        record = _judgement(value) if pointer == "/judgements" else _item(value, index + 1)
        if record is not None:
            yield record


def _read_line(file: SourceFile, number: int, line: str, state: ImportState) -> Iterator[Record]:
    reader = JsonReader(file, state, line, number)
    value = JsonValue(reader.value(), "", reader.position._replace(column=1), state)
    reader.end_of_line()
    if value.has("format") or _is_header(value):
        _learn_header(value)
        return
    record = _judgement(value) if value.has("annotator") else _item(value, number)
    if record is not None:
        yield record


def _is_header(value: JsonValue) -> bool:
    """Whether the object describes the whole set and has no key of an item; ``format`` is optional."""
    return isinstance(value.value, dict) and bool(value.value) and value.value.keys() <= set(HEADER)


def _learn_header(header: JsonValue, known: Sequence[str] = HEADER) -> None:
    """Take over the declarations of the header."""
    header.report_unknown_keys(known)
    state = header.state
    if header.has("format") and header.at("format").text() != FORMAT:
        header.at("format").report(f"the format is not {FORMAT}", f'write "format": "{FORMAT}"')
    if header.has("version") and header.at("version").integer() != VERSION:
        header.at("version").report("the version is unknown", f"this release reads version {VERSION}")
    state.name = state.name or header.at("name").text("")
    if header.has("incomplete"):
        state.incomplete = header.at("incomplete").boolean() or state.incomplete
    source, target = (header.at(f"{side}_language").text("") for side in ("source", "target"))
    state.set_languages(source, target, header.position)


def _item(value: JsonValue, number: int) -> ImportedItem | None:
    if not isinstance(value.value, dict):
        return value.report_type("an object", None)
    value.report_unknown_keys(ITEM)
    references = [reference.text() for reference in value.at("references").items()]
    if value.has("reference"):
        references.insert(0, value.at("reference").text())
    candidates = _candidates(value.at("candidates"))
    return ImportedItem(
        id=value.name_at("id", str(number)),
        source=value.at("source").text() if value.has("source") else "",
        candidates=candidates,
        position=value.position,
        document=value.name_at("document"),
        references=tuple(references),
        before=value.at("before").text(""),
        after=value.at("after").text(""),
        links=_links(value, candidates),
        phrases=tuple(_phrases(pair) for pair in value.at("phrases").items()),
    )


def _candidates(value: JsonValue) -> tuple[ImportedCandidate, ...]:
    """Return the candidates of an object from system to text, or of a list of objects with both."""
    if isinstance(value.value, list):
        return tuple(
            ImportedCandidate(entry.at("system").name(), entry.at("text").text()) for entry in value.items()
        )
    return tuple(ImportedCandidate(system, text.text()) for system, text in value.members())


def _links(value: JsonValue, candidates: tuple[ImportedCandidate, ...]) -> tuple[PairLinks, ...]:
    """Return word links per pair of systems; a plain text is about the first two candidates."""
    candidate_of = {candidate.system: candidate for candidate in candidates}
    links = value.at("links")
    if isinstance(links.value, str):
        names = list(candidate_of)
        pairs = [(names[0], names[1], links)] if len(names) >= 2 else []
    else:
        pairs = [(pair.at("a").name(), pair.at("b").name(), pair.at("links")) for pair in links.items()]
    parsed = []
    for a, b, text in pairs:
        if a not in candidate_of or b not in candidate_of:
            text.report("the links are about a system without a candidate here", "name two candidates")
        else:
            two = candidate_of[a], candidate_of[b]
            parsed.append(parse_pair_links(text.text(), two, value.position, value.state, base=0))
    return tuple(parsed)


def _phrases(pair: JsonValue) -> PairPhrases:
    phrases = [GivenPhrase(_span(side.at("a")), _span(side.at("b"))) for side in pair.at("phrases").items()]
    return PairPhrases(pair.at("a").name(), pair.at("b").name(), tuple(phrases))


def _span(value: JsonValue) -> Span | None:
    if value.value is None:
        return None
    ends = [end.integer() for end in value.items()]
    if len(ends) != 2 or not 0 <= ends[0] < ends[1]:
        value.report("a span is [start, end) with start < end", "write two integers, or null")
        return None
    return ends[0], ends[1]


def _judgement(value: JsonValue) -> ImportedJudgement | None:
    if not isinstance(value.value, dict):
        return value.report_type("an object", None)
    value.report_unknown_keys(JUDGEMENT_FIELDS)
    fields = {}
    for key, member in value.members():
        is_number = key in ("rating", "rank", "phrase")
        fields[key] = _plain(member.number()) if is_number else member.name()
    return check_judgement(fields, value.position, value.state)


def _plain(number: float) -> str:
    return str(int(number)) if number.is_integer() else f"{number:.15f}".rstrip("0")
