"""Appraise task files: ``<set>`` of the first Appraise, ``<hits>`` or a single ``<hit>`` of its WMT
campaigns.

    <set id source-language target-language>
      <seg id doc-id> <source/> <reference/>* <translation system="…"/>+ </seg>
    <hits><hit block-id source-language target-language systems="a,b">
      <seg> <source id="…"/> <reference/>* <translation system="…"/>+ </seg>

Systems whose output was the same were merged by those who wrote such files (``system="a,b"``): each gets its
candidate back. ``[[[…]]]`` around a stretch of the source is taken off. A WMT file shows each sentence with
its own choice of systems, and may show a sentence twice: the second time its id gets ``-2``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.importers.model import Candidate, ImportedItem
from evaluation.importers.reading import Reading, numbered, shown
from evaluation.importers.source import SourceFile
from evaluation.importers.xml_units import Element, Unit, units

ROOTS = ("set", "hits", "hit")
_KNOWN = ("source", "reference", "translation", "context-before", "context-after")


def read(files: Sequence[SourceFile], reading: Reading) -> Iterator[ImportedItem]:
    """The items of every file, in order."""
    for file in files:
        yield from _read_file(file, reading)


def _read_file(file: SourceFile, reading: Reading) -> Iterator[ImportedItem]:
    used: dict[str, int] = {}
    first = True
    for number, unit in enumerate(units(file, reading, ROOTS, {"seg"}), 1):
        root = unit.around[0] if unit.around else unit.element
        is_set = root.tag == "set"
        if first:
            reading.name = reading.name or root.attributes.get("id", "")
        if first or not is_set:
            _languages(unit, reading)
        first = False
        if not is_set:
            reading.incomplete = True
        item = _item(unit, number, is_set, used, reading)
        if item is not None:
            yield item


def _languages(unit: Unit, reading: Reading) -> None:
    place = unit.around[-1].place if unit.around else unit.element.place
    source, target = unit.attribute("source-language"), unit.attribute("target-language")
    for side, code in (("source", source), ("target", target)):
        given = reading.source_language if side == "source" else reading.target_language
        if not code and not given:
            reading.fault(
                "unknown_schema",
                f"the attribute {side}-language is missing",
                f'write <{unit.around[-1].tag if unit.around else "set"} {side}-language="…">',
                place,
            )
    reading.learn_languages(source, target, place)


def _item(
    unit: Unit, number: int, is_set: bool, used: dict[str, int], reading: Reading
) -> ImportedItem | None:
    seg = unit.element
    for child in seg.children:
        if child.tag not in _KNOWN:
            reading.fault(
                "unknown_schema", f"<{shown(child.tag)}> does not belong in <seg>", "remove it", child.place
            )
    sources = seg.all("source")
    if len(sources) != 1:
        reading.fault(
            "unknown_schema", f"<seg> has {len(sources)} <source> elements", "write exactly one", seg.place
        )
        return None
    candidates = _candidates(seg, unit, reading)
    if not candidates:
        reading.fault(
            "missing_system", "<seg> has no <translation>", 'add <translation system="…">', seg.place
        )
        return None
    return ImportedItem(
        id=_identity(seg, sources[0], number, is_set, used),
        source=_unmarked(sources[0].text),
        candidates=candidates,
        place=seg.place,
        document=seg.attributes.get("doc-id", ""),
        references=tuple(reference.text for reference in seg.all("reference")),
        before=" ".join(e.text for e in seg.all("context-before")),
        after=" ".join(e.text for e in seg.all("context-after")),
    )


def _unmarked(text: str) -> str:
    """The text without ``[[[`` and ``]]]`` around a stretch of it.

    >>> _unmarked("[[[The]]] red [[[house]]] and [[[its garden")
    'The red house and [[[its garden'
    """
    kept, at = [], 0
    # Not by a pattern: from each of many opening brackets it would look for a closing one to the end.
    while (begin := text.find("[[[", at)) >= 0 and (end := text.find("]]]", begin + 3)) >= 0:
        kept += [text[at:begin], text[begin + 3 : end]]
        at = end + 3
    return "".join([*kept, text[at:]])


def _identity(seg: Element, source: Element, number: int, is_set: bool, used: dict[str, int]) -> str:
    """The id that the file gives; in WMT files a repeated sentence is numbered."""
    given = seg.attributes.get("id") or source.attributes.get("id") or str(number)
    return given if is_set else numbered(given, used)


def _candidates(seg: Element, unit: Unit, reading: Reading) -> tuple[Candidate, ...]:
    """One candidate per system; unnamed translations take their names from the ``systems`` of the hit, in
    order.
    """
    translations = seg.all("translation")
    listed = [name.strip() for name in unit.attribute("systems").split(",") if name.strip()]
    candidates: list[Candidate] = []
    for index, translation in enumerate(translations):
        names = [n.strip() for n in translation.attributes.get("system", "").split(",") if n.strip()]
        if not names and len(listed) == len(translations):
            names = [listed[index]]
        if not names:
            reading.fault(
                "unknown_schema",
                "<translation> does not say which system wrote it",
                'write <translation system="…">',
                translation.place,
            )
        candidates += [Candidate(name, translation.text) for name in names]
    return tuple(candidates)
