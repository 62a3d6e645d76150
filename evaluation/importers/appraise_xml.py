"""Appraise task files: ``<set>`` of the first Appraise, ``<hits>`` or a single ``<hit>`` of its WMT
campaigns.

    <set id source-language target-language>
      <seg id doc-id> <source/> <reference/>* <translation system="…"/>+ </seg>
    <hits><hit block-id source-language target-language systems="a,b">
      <seg> <source id="…"/> <reference/>* <translation system="…"/>+ </seg>

Systems with the same output are merged in such files (``system="a,b"``): each gets its own candidate.
``[[[…]]]`` around a part of the source is removed. A WMT file shows each sentence with its own choice of
systems, and may show a sentence twice: the second one gets an id with ``-2``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appraise.lib.problems import shorten
from evaluation.importers.model import ImportedCandidate, ImportedItem, SourceFile
from evaluation.importers.state import ImportState, make_unique_id
from evaluation.importers.xml_units import XmlElement, XmlSchema, XmlUnit, iterate_units

SCHEMA = XmlSchema(("set", "hits", "hit"), ("seg",))
_KNOWN = ("source", "reference", "translation", "context-before", "context-after")


def read(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the items of every file, in order."""
    for file in files:
        yield from _read_file(file, state)


def _read_file(file: SourceFile, state: ImportState) -> Iterator[ImportedItem]:
    used: dict[str, int] = {}
    for number, unit in enumerate(iterate_units(file, state, SCHEMA), 1):
        root = unit.ancestors[0] if unit.ancestors else unit.element
        is_set = root.tag == "set"
        if number == 1:
            state.name = state.name or root.attributes.get("id", "")
        if number == 1 or not is_set:  # a <set> has one language pair, each <hit> its own
            _learn_languages(unit, state)
        if not is_set:
            state.incomplete = True
        item = _build_item(unit, number, is_set, used, state)
        if item is not None:
            yield item


def _learn_languages(unit: XmlUnit, state: ImportState) -> None:
    parent = unit.ancestors[-1] if unit.ancestors else None
    position = parent.position if parent else unit.element.position
    source, target = unit.attribute("source-language"), unit.attribute("target-language")
    for side, code in (
        ("source", source or state.source_language),
        ("target", target or state.target_language),
    ):
        if not code:
            message = f"the attribute {side}-language is missing"
            remedy = f'write <{parent.tag if parent else "set"} {side}-language="…">'
            state.report("unknown_schema", message, remedy, position)
    state.set_languages(source, target, position)


def _build_item(
    unit: XmlUnit, number: int, is_set: bool, used: dict[str, int], state: ImportState
) -> ImportedItem | None:
    seg = unit.element
    for child in seg.children:
        if child.tag not in _KNOWN:
            message = f"<{shorten(child.tag)}> is not allowed in <seg>"
            state.report("unknown_schema", message, "remove it", child.position)
    sources = seg.all("source")
    if len(sources) != 1:
        message = f"<seg> has {len(sources)} <source> elements"
        state.report("unknown_schema", message, "write exactly one", seg.position)
        return None
    candidates = _build_candidates(seg, unit, state)
    if not candidates:
        remedy = 'add <translation system="…">'
        state.report("missing_system", "<seg> has no <translation>", remedy, seg.position)
        return None
    # In WMT files a sentence may occur twice; the second gets another id.
    identity = seg.attributes.get("id") or sources[0].attributes.get("id") or str(number)
    return ImportedItem(
        id=identity if is_set else make_unique_id(identity, used),
        source=_remove_marks(sources[0].text),
        candidates=candidates,
        position=seg.position,
        document=seg.attributes.get("doc-id", ""),
        references=tuple(reference.text for reference in seg.all("reference")),
        before=" ".join(context.text for context in seg.all("context-before")),
        after=" ".join(context.text for context in seg.all("context-after")),
    )


def _remove_marks(text: str) -> str:
    """Return the text without ``[[[`` and ``]]]`` around parts of it.

    >>> _remove_marks("[[[The]]] red [[[house]]] and [[[its garden")
    'The red house and [[[its garden'
    """
    parts, at = [], 0
    # Not a regular expression: from each of many opening brackets it would search to the end of the text.
    while (begin := text.find("[[[", at)) >= 0 and (end := text.find("]]]", begin + 3)) >= 0:
        parts += [text[at:begin], text[begin + 3 : end]]
        at = end + 3
    return "".join([*parts, text[at:]])


def _build_candidates(seg: XmlElement, unit: XmlUnit, state: ImportState) -> tuple[ImportedCandidate, ...]:
    """Return one candidate per system; the ``systems`` of the hit name unnamed translations, in order."""
    translations = seg.all("translation")
    listed = _split_names(unit.attribute("systems"))
    candidates: list[ImportedCandidate] = []
    for index, translation in enumerate(translations):
        names = _split_names(translation.attributes.get("system", ""))
        if not names and len(listed) == len(translations):
            names = [listed[index]]
        if not names:
            message, remedy = "<translation> names no system", 'write <translation system="…">'
            state.report("unknown_schema", message, remedy, translation.position)
        candidates += [ImportedCandidate(name, translation.text) for name in names]
    return tuple(candidates)


def _split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
