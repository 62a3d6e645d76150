"""XML as a stream of small trees: one ``<seg>`` or ``<doc>`` at a time, with the attributes of its ancestors.

Entities are forbidden, and so are DTDs, except a reference to one that the format prescribes, which is not
followed. Depth, size and the number of
elements in one unit are limited. The bytes are decoded by ``decode``, so XML obeys the same rules for
encodings and control characters as every other format.
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

from appraise.lib.problems import shorten
from evaluation.importers.decode import CHUNK, chunks
from evaluation.importers.model import SourceFile, SourcePosition
from evaluation.importers.state import ImportState

_DECLARED = re.compile(r"""<\?xml[^>]{0,200}?\sencoding\s*=\s*["']([^"']{0,40})["']""")
_LAYOUT = re.compile(r"(?<![ \t])[ \t]*[\r\n][ \t\r\n]*")  # starts at the first blank only: linear
_REMEDIES = {
    "invalid token": "in a text, write & as &amp; and < as &lt;",
    "mismatched tag": "close every tag, the inner before the outer",
    "no element found": "the file is incomplete; download it again, or close every tag",
}
_MAX_ELEMENTS = 200_000
_MAX_TOKEN = 1024 * 1024


@dataclass(slots=True)
class XmlElement:
    """A tag with its attributes, its children and its own text."""

    tag: str
    attributes: dict[str, str]
    position: SourcePosition
    children: list[XmlElement] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    offset: int = 0
    """The number of the parent's pieces that precede this element."""

    @property
    def text(self) -> str:
        """The text without line breaks and indentation."""
        return _LAYOUT.sub(" ", "".join(self.pieces)).strip(" \t")

    def inner_text(self, codes: Collection[str]) -> str:
        """Return the text with that of its descendants, in order, but not that of ``codes``."""
        return _LAYOUT.sub(" ", "".join(self._walk_text(codes))).strip(" \t")

    def _walk_text(self, codes: Collection[str]) -> Iterator[str]:
        start = 0
        for child in self.children:
            yield from self.pieces[start : child.offset]
            start = child.offset
            if child.tag not in codes:
                yield from child._walk_text(codes)
        yield from self.pieces[start:]

    def all(self, tag: str) -> list[XmlElement]:
        """Return the children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self, tag: str) -> Iterator[XmlElement]:
        """Yield the descendants with this tag, in order."""
        for child in self.children:
            if child.tag == tag:
                yield child
            yield from child.walk(tag)


@dataclass(frozen=True, slots=True)
class XmlSchema:
    """The root elements and namespaces of a format, and the elements that are its units.

    ``is_strict``: there is no text outside of units.
    """

    roots: tuple[str, ...]
    units: tuple[str, ...]
    namespaces: tuple[str, ...] = ("",)
    allows_doctype: bool = False
    is_strict: bool = True


@dataclass(frozen=True, slots=True)
class XmlUnit:
    """One small tree, and its ancestors from the root on (without their other children)."""

    element: XmlElement
    ancestors: tuple[XmlElement, ...]

    def attribute(self, name: str) -> str:
        """Return the value of this attribute on the element or its nearest ancestor."""
        for element in (self.element, *reversed(self.ancestors)):
            if name in element.attributes:
                return element.attributes[name]
        return ""


def iterate_units(file: SourceFile, state: ImportState, schema: XmlSchema) -> Iterator[XmlUnit]:
    """Yield every element that is a unit of the schema, as soon as it is complete."""
    handler = _Handler(file.name, state, schema)
    # A reference to a DTD is skipped, not followed: the parser opens no external file by default.
    parser = DefusedExpatParser(
        forbid_dtd=not schema.allows_doctype, forbid_external=not schema.allows_doctype
    )
    parser.setContentHandler(handler)
    handler.parser = parser
    for number, text in enumerate(chunks(file, state)):
        if number == 0:
            _check_encoding(text, file, state)
        _parse(parser, text, file, state, last=False)
        handler.check_progress(len(text))
        yield from handler.take()
    _parse(parser, "", file, state, last=True)
    yield from handler.take()


class _Handler(ContentHandler):
    """Collects units; outside of them it keeps only the path to the current element."""

    def __init__(self, file: str, state: ImportState, schema: XmlSchema) -> None:
        super().__init__()
        self.parser: DefusedExpatParser | None = None
        self._file, self._state, self._schema = file, state, schema
        self._path: list[XmlElement] = []
        self._unit_depth: int | None = None
        self._size = 0
        self._done: list[XmlUnit] = []
        self._stuck = 0
        self._last: tuple[int, int] = (0, 0)

    def take(self) -> list[XmlUnit]:
        done, self._done = self._done, []
        return done

    def startElement(self, name: str, attrs: AttributesImpl) -> None:
        self._size += 1
        element = XmlElement(name, dict(attrs.items()), self._position())
        if not self._path:
            self._check_root(element)
        if len(self._path) >= self._state.limits.max_depth:
            message = f"elements are nested more than {self._state.limits.max_depth} deep"
            self._state.refuse("too_deep", message, "flatten the file", element.position)
        if self._unit_depth is not None:
            element.offset = len(self._path[-1].pieces)
            self._path[-1].children.append(element)
            if self._size > _MAX_ELEMENTS:
                message = f"<{self._path[self._unit_depth].tag}> is too large"
                self._state.refuse("too_large", message, "split it", element.position)
        elif name in self._schema.units:
            self._unit_depth, self._size = len(self._path), 0
        self._path.append(element)

    def endElement(self, name: str) -> None:
        element = self._path.pop()
        if self._unit_depth == len(self._path):
            self._done.append(XmlUnit(element, tuple(self._path)))
            self._unit_depth = None

    def characters(self, content: str) -> None:
        if self._unit_depth is not None:
            self._path[-1].pieces.append(content)
        elif self._schema.is_strict and content.strip():
            parent = self._path[-1].tag if self._path else ""
            message, remedy = f"there is text directly in <{shorten(parent)}>", "move it into an element"
            self._state.report("unknown_schema", message, remedy, self._position(), content)

    def check_progress(self, fed: int) -> None:
        """Refuse a token of more than a megabyte: it is no text, and takes old parsers quadratic time."""
        here = (self._position().line or 0, self._position().column or 0)
        self._stuck = 0 if here != self._last else self._stuck + fed
        self._last = here
        if self._stuck > _MAX_TOKEN:
            self._state.refuse(
                "field_too_long", "a tag or comment is longer than a megabyte", "shorten it", self._position()
            )

    def _check_root(self, root: XmlElement) -> None:
        expected = " or ".join(f"<{name}>" for name in self._schema.roots)
        namespace = root.attributes.get("xmlns", "")
        if root.tag not in self._schema.roots or namespace not in self._schema.namespaces:
            actual = f"<{shorten(root.tag)}>" + (f" in namespace {shorten(namespace)!r}" if namespace else "")
            message = f"the root element is {actual}"
            self._state.refuse("unknown_schema", message, f"use {expected}", root.position)

    def _position(self) -> SourcePosition:
        if self.parser is None:
            return SourcePosition(self._file)
        line, column = self.parser.getLineNumber(), self.parser.getColumnNumber()
        return SourcePosition(self._file, line, None if column is None else column + 1)


def _check_encoding(text: str, file: SourceFile, state: ImportState) -> None:
    declared = _DECLARED.match(text.lstrip()[:CHUNK])
    if declared and declared[1].lower() not in ("utf-8", "utf8", "us-ascii", "ascii"):
        message = f"the XML declares the encoding {shorten(declared[1])!r}"
        remedy = "save it as UTF-8 and declare that in its first line"
        position = SourcePosition(file.name, 1, 1)
        state.refuse("encoding_unsupported", message, remedy, position, declared[0])


def _parse(
    parser: DefusedExpatParser, text: str, file: SourceFile, state: ImportState, *, last: bool
) -> None:
    try:
        parser.feed(text, isFinal=last)
    except DefusedXmlException:
        state.refuse(
            "dtd_forbidden",
            "the file has a document type declaration",
            "remove <!DOCTYPE …> and write characters instead of entities",
            SourcePosition(file.name, parser.getLineNumber(), (parser.getColumnNumber() or 0) + 1),
        )
    except SAXParseException as error:
        _refuse_syntax(error, file, state)


def _refuse_syntax(error: SAXParseException, file: SourceFile, state: ImportState) -> NoReturn:
    message = error.getMessage()
    column = error.getColumnNumber()
    position = SourcePosition(file.name, error.getLineNumber(), None if column is None else column + 1)
    if "invalid character number" in message:
        state.refuse("bad_unicode", "a character reference names no character", "remove it", position)
    if "encoding" in message:
        state.refuse("encoding_unsupported", message, "save the file as UTF-8", position)
    remedy = next(
        (text for sign, text in _REMEDIES.items() if sign in message), "correct the XML at this position"
    )
    state.refuse("xml_syntax", message, remedy, position)
