"""The WMT test set format: ``<dataset><doc><src/><ref/>*<hyp/>+</doc></dataset>``, each side with its own
``<seg>``.

    <dataset id="…"><doc id="…" origlang="de">
      <src lang="de"><p><seg id="1">…</seg></p></src>
      <ref lang="en" translator="A"><p><seg id="1">…</seg></p></ref>
      <hyp lang="en" system="…"><p><seg id="1">…</seg></p></hyp>
    </doc></dataset>

Segments are matched by their ids within the document, never by position. The id of an item is
``document:segment``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from appraise.lib.problems import shorten
from evaluation.importers.model import ImportedCandidate, ImportedItem, SourceFile
from evaluation.importers.state import ImportState
from evaluation.importers.xml_units import XmlElement, XmlSchema, iterate_units

SCHEMA = XmlSchema(("dataset",), ("doc",))


def read(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the items of every file, document by document."""
    for file in files:
        for number, unit in enumerate(iterate_units(file, state, SCHEMA), 1):
            enclosing = [element.attributes.get("id", "") for element in unit.ancestors]
            state.name = state.name or next(filter(None, enclosing), unit.attribute("id"))
            yield from _read_document(unit.element, number, state)


def _read_document(doc: XmlElement, number: int, state: ImportState) -> Iterator[ImportedItem]:
    name = doc.attributes.get("id", "") or str(number)
    sources = doc.all("src")
    if len(sources) != 1:
        message = f"<doc> has {len(sources)} <src> elements"
        state.report("unknown_schema", message, "write exactly one", doc.position)
        return
    hypotheses = doc.all("hyp")
    _learn_languages(doc, sources[0], hypotheses, state)
    texts = _index_segments(sources[0], state)
    references = [_check_side(ref, texts, state) for ref in doc.all("ref")]
    outputs = [(_system(hyp, state), _check_side(hyp, texts, state)) for hyp in hypotheses]
    for segment, source in texts.items():
        written = [(system, segments[segment].text) for system, segments in outputs if segment in segments]
        yield ImportedItem(
            id=f"{name}:{segment}",
            source=source.text,
            candidates=tuple(ImportedCandidate(*pair) for pair in written),
            position=source.position,
            document=name,
            references=tuple(segments[segment].text for segments in references if segment in segments),
        )


def _learn_languages(
    doc: XmlElement, source: XmlElement, hypotheses: list[XmlElement], state: ImportState
) -> None:
    # The source language is that of <src>; ``origlang`` only says where the text came from.
    code = _language(source)
    for side in hypotheses or doc.all("ref"):
        state.set_languages(code, _language(side), side.position)


def _language(side: XmlElement) -> str:
    return side.attributes.get("lang") or side.attributes.get("language", "")


def _index_segments(side: XmlElement, state: ImportState) -> dict[str, XmlElement]:
    """Return the segments of one side by id."""
    segments: dict[str, XmlElement] = {}
    for segment in side.walk("seg"):
        identity = segment.attributes.get("id", "")
        if not identity:
            state.report("unknown_schema", "<seg> has no id", 'write <seg id="…">', segment.position)
        elif identity in segments:
            message = f"the id {shorten(identity)!r} was used before, at {segments[identity].position}"
            remedy = "give each segment of a document its own id"
            state.report("duplicate_id", message, remedy, segment.position)
        else:
            segments[identity] = segment
    return segments


def _check_side(side: XmlElement, source: dict[str, XmlElement], state: ImportState) -> dict[str, XmlElement]:
    """Return the segments of a reference or hypothesis, which must be those of the source."""
    segments = _index_segments(side, state)
    name = side.attributes.get("system") or side.attributes.get("translator") or side.tag
    for identity in source:
        if identity not in segments:
            message = f"{shorten(name)!r} has no segment {shorten(identity)!r}"
            state.report("missing_system", message, "add the segment", side.position)
    for identity, segment in segments.items():
        if identity not in source:
            message = f"the source has no segment {shorten(identity)!r}"
            state.report("unknown_item", message, "use the ids of <src>", segment.position)
    return segments


def _system(hyp: XmlElement, state: ImportState) -> str:
    name = hyp.attributes.get("system", "").strip()
    if not name:
        state.report("unknown_schema", "<hyp> names no system", 'write <hyp system="…">', hyp.position)
    return name
