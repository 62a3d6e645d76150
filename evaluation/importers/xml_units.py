"""XML read as a stream of small trees: one ``<seg>`` or ``<doc>`` at a time, with the attributes of all
around it.

DTDs are forbidden outright, and with them entities, external files and the bombs made of them. Depth, size
and the number of elements in one unit are capped. We decode the bytes ourselves, so XML obeys the same rules
about encodings and control characters as every other format.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from evaluation.importers.decode import CHUNK, chunks
from evaluation.importers.model import Place
from evaluation.importers.reading import Reading, shown
from evaluation.importers.source import SourceFile

_DECLARED = re.compile(r"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([^"']{0,40})["']""")
_LAYOUT = re.compile(r"(?<![ \t])[ \t]*[\r\n][ \t\r\n]*")  # tried at the first blank of a run, not at each
_REMEDIES = {
    "invalid token": "in a text, write & as &amp; and < as &lt;",
    "mismatched tag": "close every tag, the inner before the outer",
    "no element found": "the file ends too early; fetch it again, or close every tag",
}
_MAX_ELEMENTS = 200_000
_MAX_TOKEN = 1024 * 1024


@dataclass(slots=True)
class Element:
    """A tag with its attributes, its children and its own text."""

    tag: str
    attributes: dict[str, str]
    place: Place
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text without the white space of the file's layout."""
        return _LAYOUT.sub(" ", "".join(self.pieces)).strip(" \t")

    def all(self, tag: str) -> list[Element]:
        """The children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self, tag: str) -> Iterator[Element]:
        """The descendants with this tag, in order."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.walk(tag)


@dataclass(frozen=True, slots=True)
class Unit:
    """One small tree, and the elements that enclose it from the root on (without their other children)."""

    element: Element
    around: tuple[Element, ...]

    def attribute(self, name: str) -> str:
        """The value of the nearest enclosing element that has this attribute."""
        for element in (self.element, *reversed(self.around)):
            if name in element.attributes:
                return element.attributes[name]
        return ""


def units(
    file: SourceFile, reading: Reading, roots: Collection[str], wanted: Collection[str]
) -> Iterator[Unit]:
    """Every element whose tag is ``wanted``, as soon as it is complete."""
    handler = _Handler(file.name, reading, roots, wanted)
    parser = DefusedExpatParser(forbid_dtd=True)
    parser.setContentHandler(handler)
    handler.parser = parser
    for number, text in enumerate(chunks(file, reading)):
        if number == 0:
            _check_encoding(text, file, reading)
        _parse(parser, text, file, reading, last=False)
        handler.check_progress(len(text))
        yield from handler.take()
    _parse(parser, "", file, reading, last=True)
    yield from handler.take()


class _Handler(ContentHandler):
    """Collects units; keeps only the path to the current element outside of them."""

    def __init__(self, file: str, reading: Reading, roots: Collection[str], wanted: Collection[str]) -> None:
        super().__init__()
        self.parser: DefusedExpatParser | None = None
        self._file, self._reading = file, reading
        self._roots, self._wanted = roots, wanted
        self._path: list[Element] = []
        self._unit_depth: int | None = None
        self._size = 0
        self._done: list[Unit] = []
        self._stuck = 0
        self._last: tuple[int, int] = (0, 0)

    def take(self) -> list[Unit]:
        done, self._done = self._done, []
        return done

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self._size += 1
        element = Element(name, dict(attrs.items()), self._place())
        if not self._path:
            self._check_root(element)
        if len(self._path) >= self._reading.limits.max_depth:
            cap = self._reading.limits.max_depth
            self._reading.refuse(
                "too_deep", f"nested more than {cap} deep", "flatten the file", element.place
            )
        if self._unit_depth is not None:
            self._path[-1].children.append(element)
            if self._size > _MAX_ELEMENTS:
                self._reading.refuse(
                    "too_large",
                    f"<{self._path[self._unit_depth].tag}> is too large",
                    "split it",
                    element.place,
                )
        elif name in self._wanted:
            self._unit_depth, self._size = len(self._path), 0
        self._path.append(element)

    def endElement(self, name: str) -> None:
        element = self._path.pop()
        if self._unit_depth == len(self._path):
            self._done.append(Unit(element, tuple(self._path)))
            self._unit_depth = None

    def characters(self, content: str) -> None:
        if self._unit_depth is not None:
            self._path[-1].pieces.append(content)
        elif content.strip():
            parent = self._path[-1].tag if self._path else ""
            self._reading.fault(
                "unknown_schema",
                f"text stands directly in <{shown(parent)}>",
                "put it into an element of the format",
                self._place(),
                content,
            )

    def check_progress(self, fed: int) -> None:
        """A single token of a megabyte is no text of ours, and costs old parsers quadratic time."""
        here = (self._place().line or 0, self._place().column or 0)
        self._stuck = 0 if here != self._last else self._stuck + fed
        self._last = here
        if self._stuck > _MAX_TOKEN:
            self._reading.refuse(
                "field_too_long", "a tag or comment is more than a megabyte long", "shorten it", self._place()
            )

    def _check_root(self, root: Element) -> None:
        expected = " or ".join(f"<{name}>" for name in self._roots)
        namespace = root.attributes.get("xmlns", "")
        if root.tag not in self._roots or namespace:
            said = f"<{shown(root.tag)}>" + (f" in namespace {shown(namespace)!r}" if namespace else "")
            self._reading.refuse(
                "unknown_schema", f"the root element is {said}", f"expected {expected}", root.place
            )

    def _place(self) -> Place:
        if self.parser is None:
            return Place(self._file)
        line, column = self.parser.getLineNumber(), self.parser.getColumnNumber()
        return Place(self._file, line, None if column is None else column + 1)


def _check_encoding(text: str, file: SourceFile, reading: Reading) -> None:
    declared = _DECLARED.match(text.lstrip()[:CHUNK])
    if declared and declared[1].lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        reading.refuse(
            "encoding_unsupported",
            f"the XML declares the encoding {shown(declared[1])!r}",
            "save it as UTF-8 and say so in its first line",
            Place(file.name, 1, 1),
            declared[0],
        )


def _parse(parser: DefusedExpatParser, text: str, file: SourceFile, reading: Reading, *, last: bool) -> None:
    try:
        parser.feed(text, isFinal=last)
    except DefusedXmlException:
        reading.refuse(
            "dtd_forbidden",
            "the file has a document type declaration",
            "remove the <!DOCTYPE …> and write characters instead of entities",
            Place(file.name, parser.getLineNumber(), (parser.getColumnNumber() or 0) + 1),
        )
    except SAXParseException as error:
        _refuse_syntax(error, file, reading)


def _refuse_syntax(error: SAXParseException, file: SourceFile, reading: Reading) -> NoReturn:
    message = error.getMessage()
    column = error.getColumnNumber()
    place = Place(file.name, error.getLineNumber(), None if column is None else column + 1)
    if "invalid character number" in message:
        reading.refuse("bad_unicode", "a character reference names no character", "remove it", place)
    if "encoding" in message:
        reading.refuse("encoding_unsupported", message, "save the file as UTF-8", place)
    remedy = next(
        (told for sign, told in _REMEDIES.items() if sign in message), "correct the XML at this place"
    )
    reading.refuse("xml_syntax", message, remedy, place)
