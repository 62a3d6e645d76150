"""XLIFF 1.2 and 2.0 and TMX: one file per system, joined by the ids of their units or by source.

    <xliff version="1.2"><file original="…" source-language="de" target-language="en"><body>
      <trans-unit id="1"><source>…</source><target>…</target></trans-unit></body></file></xliff>
    <xliff version="2.0" srcLang="de" trgLang="en"><file id="…">
      <unit id="1"><segment><source>…</source><target>…</target></segment></unit></file></xliff>
    <tmx version="1.4"><header srclang="de" …/><body>
      <tu tuid="1"><tuv xml:lang="de"><seg>…</seg></tuv><tuv xml:lang="en"><seg>…</seg></tuv></tu>
    </body></tmx>

The name of a file is the name of its system. Inline elements lose their tags; elements that contain codes of
the original format lose their content too. Units with ``translate="no"`` are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evaluation.importers.joined_files import TranslatedUnit, join_files, report_missing
from evaluation.importers.languages import normalise, primary
from evaluation.importers.model import ImportedItem, SourceFile
from evaluation.importers.state import ImportState
from evaluation.importers.xml_units import XmlElement, XmlSchema, XmlUnit, iterate_units

_XLIFF = XmlSchema(
    ("xliff",),
    ("trans-unit", "unit"),
    (
        "",
        *(f"urn:oasis:names:tc:xliff:document:{version}" for version in ("1.1", "1.2", "2.0", "2.1", "2.2")),
    ),
    is_strict=False,
)
_TMX = XmlSchema(("tmx",), ("header", "tu"), allows_doctype=True, is_strict=False)
_CODES = ("bpt", "ept", "ph", "it", "ut")
"""Inline elements whose content is code of the original format."""


def read_xliff(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the items of XLIFF files."""
    return join_files(files, state, (list(_read_xliff(file, state)) for file in files))


def read_tmx(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the items of TMX files."""
    return join_files(files, state, (list(_read_tmx(file, state)) for file in files))


def _read_xliff(file: SourceFile, state: ImportState) -> Iterator[TranslatedUnit]:
    for unit in iterate_units(file, state, _XLIFF):
        source, target = unit.attribute("source-language"), unit.attribute("target-language")
        state.set_languages(
            source or unit.attribute("srcLang"), target or unit.attribute("trgLang"), unit.element.position
        )
        if unit.attribute("translate") != "no":
            yield from _read_unit(unit, state)


def _read_unit(unit: XmlUnit, state: ImportState) -> Iterator[TranslatedUnit]:
    """Yield the unit of XLIFF 1.2, or each segment of a unit of XLIFF 2.0."""
    identity = unit.element.attributes.get("id", "")
    document = unit.attribute("original") or _find_file_id(unit)
    segments = unit.element.all("segment")
    for number, segment in enumerate(segments or [unit.element], 1):
        name = f"{identity}:{segment.attributes.get('id', number)}" if len(segments) > 1 else identity
        sources, targets = segment.all("source"), segment.all("target")
        if len(sources) != 1:
            report_missing(state, "the <source> of a unit", segment.position)
            continue
        target = targets[0].inner_text(_CODES) if targets else ""
        yield TranslatedUnit(name, document, sources[0].inner_text(_CODES), target, segment.position)


def _find_file_id(unit: XmlUnit) -> str:
    return next((parent.attributes.get("id", "") for parent in unit.ancestors if parent.tag == "file"), "")


def _read_tmx(file: SourceFile, state: ImportState) -> Iterator[TranslatedUnit]:
    source_language = ""
    for number, unit in enumerate(iterate_units(file, state, _TMX)):
        element = unit.element
        if element.tag == "header":
            source_language = element.attributes.get("srclang", "")
            continue
        sides = _find_sides(element, element.attributes.get("srclang") or source_language, state)
        if sides is None:
            continue
        texts = []
        for side in sides:
            segs = side.all("seg")
            texts.append(segs[0].inner_text(_CODES) if segs else "")
        state.set_languages(_language(sides[0]), _language(sides[1]), element.position)
        identity = element.attributes.get("tuid") or str(number)
        yield TranslatedUnit(identity, "", texts[0], texts[1], element.position)


def _find_sides(tu: XmlElement, language: str, state: ImportState) -> tuple[XmlElement, XmlElement] | None:
    """Return the variants in the source and in the target language."""
    variants = tu.all("tuv")
    wanted = state.target_language
    sources = [side for side in variants if _is_in(side, language)] or variants[:1]
    targets = [side for side in variants if side not in sources]
    if len(targets) > 1 and wanted:
        targets = [side for side in targets if _is_in(side, wanted)]
    if len(targets) != 1 or len(sources) != 1:
        message = f"<tu> has {len(variants)} variants, of which one source and one target are needed"
        remedy = "state the languages of the import, or export two languages"
        state.report("unknown_schema", message, remedy, tu.position)
        return None
    return sources[0], targets[0]


def _language(side: XmlElement) -> str:
    return side.attributes.get("xml:lang") or side.attributes.get("lang", "")


def _is_in(side: XmlElement, language: str) -> bool:
    known, wanted = normalise(_language(side)), normalise(language)
    return bool(known and wanted) and primary(known or "") == primary(wanted or "")
