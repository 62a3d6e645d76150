"""The WMT test set format: ``<dataset><doc><src/><ref/>*<hyp/>+</doc></dataset>``, each side with its own
``<seg>``.

    <dataset id="…"><doc id="…" origlang="de">
      <src lang="de"><p><seg id="1">…</seg></p></src>
      <ref lang="en" translator="A"><p><seg id="1">…</seg></p></ref>
      <hyp lang="en" system="…"><p><seg id="1">…</seg></p></hyp>
    </doc></dataset>

Segments are joined by their ids within the document, never by position. An item is called
``document:segment``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.importers.model import Candidate, ImportedItem
from evaluation.importers.reading import Reading, shown
from evaluation.importers.source import SourceFile
from evaluation.importers.xml_units import Element, Unit, units

ROOTS = ("dataset",)


def read(files: Sequence[SourceFile], reading: Reading) -> Iterator[ImportedItem]:
    """The items of every file, document by document."""
    for file in files:
        yield from _read_file(file, reading)


def _read_file(file: SourceFile, reading: Reading) -> Iterator[ImportedItem]:
    for number, unit in enumerate(units(file, reading, ROOTS, {"doc"}), 1):
        enclosing = [element.attributes.get("id", "") for element in unit.around]
        reading.name = reading.name or next(filter(None, enclosing), unit.attribute("id"))
        yield from _document(unit, number, reading)


def _document(unit: Unit, number: int, reading: Reading) -> Iterator[ImportedItem]:
    doc = unit.element
    name = doc.attributes.get("id", "") or str(number)
    sources = doc.all("src")
    if len(sources) != 1:
        reading.fault(
            "unknown_schema", f"<doc> has {len(sources)} <src> elements", "write exactly one", doc.place
        )
        return
    hypotheses = doc.all("hyp")
    _languages(doc, sources[0], hypotheses, reading)
    texts = _segments(sources[0], reading)
    references = [_side(ref, texts, reading) for ref in doc.all("ref")]
    systems = [(_system(hyp, reading), _side(hyp, texts, reading)) for hyp in hypotheses]
    for segment, source in texts.items():
        yield ImportedItem(
            id=f"{name}:{segment}",
            source=source.text,
            candidates=tuple(
                Candidate(system, found[segment].text) for system, found in systems if segment in found
            ),
            place=source.place,
            document=name,
            references=tuple(found[segment].text for found in references if segment in found),
        )


def _languages(doc: Element, source: Element, hypotheses: list[Element], reading: Reading) -> None:
    """The language of the source is that of ``<src>``; ``origlang`` only says where the text came from."""
    code = source.attributes.get("lang") or source.attributes.get("language", "")
    for side in hypotheses or doc.all("ref"):
        target = side.attributes.get("lang") or side.attributes.get("language", "")
        reading.learn_languages(code, target, side.place)


def _segments(side: Element, reading: Reading) -> dict[str, Element]:
    """The segments of one side by their ids."""
    found: dict[str, Element] = {}
    for segment in side.walk("seg"):
        identity = segment.attributes.get("id", "")
        if not identity:
            reading.fault("unknown_schema", "<seg> has no id", 'write <seg id="…">', segment.place)
        elif identity in found:
            reading.fault(
                "duplicate_id",
                f"the id {shown(identity)!r} was used before, at {found[identity].place}",
                "give each segment of a document its own id",
                segment.place,
            )
        else:
            found[identity] = segment
    return found


def _side(side: Element, source: dict[str, Element], reading: Reading) -> dict[str, Element]:
    """The segments of a reference or hypothesis, which must be those of the source."""
    found = _segments(side, reading)
    whose = side.attributes.get("system") or side.attributes.get("translator") or side.tag
    for identity in [name for name in source if name not in found]:
        reading.fault(
            "missing_system",
            f"{shown(whose)!r} has no segment {shown(identity)!r}",
            "add the segment",
            side.place,
        )
    for identity in [name for name in found if name not in source]:
        reading.fault(
            "unknown_item",
            f"the source has no segment {shown(identity)!r}",
            "use the ids of <src>",
            found[identity].place,
        )
    return found


def _system(hyp: Element, reading: Reading) -> str:
    name = hyp.attributes.get("system", "").strip()
    if not name:
        reading.fault(
            "unknown_schema", "<hyp> does not say which system wrote it", 'write <hyp system="…">', hyp.place
        )
    return name
