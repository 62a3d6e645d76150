"""The SGML of earlier WMT and NIST campaigns: a ``srcset``, ``refset`` and ``tstset`` file per side.

    <srcset setid="…" srclang="de"><doc docid="…"><seg id="1"> … </seg></doc></srcset>
    <tstset setid="…" srclang="de" trglang="en"><doc docid="…" sysid="…"><seg id="1"> … </seg></doc></tstset>

Tags are in any case, and need not be balanced; ``&`` and ``<`` need not be escaped. Sets may be in one file
(``<mteval>``). Segments are matched by document and id, never by position.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import unescape

from appraise.lib.problems import shorten
from evaluation.importers.decode import lines
from evaluation.importers.model import ImportedCandidate, ImportedItem, SourceFile, SourcePosition
from evaluation.importers.state import ImportState

ROOTS = ("srcset", "refset", "tstset", "mteval")
_TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)((?:\s[^<>]*)?)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ENTITIES = {"&quot;": '"', "&apos;": "'"}


@dataclass(slots=True)
class _ItemParts:
    position: SourcePosition
    source: str | None = None
    references: list[str] = field(default_factory=list)
    candidates: list[ImportedCandidate] = field(default_factory=list)


@dataclass(slots=True)
class _Reader:
    """Collects segments; ``kind`` is the set that is open, ``segment`` the id of the open segment."""

    state: ImportState
    parts_of: dict[tuple[str, str], _ItemParts] = field(default_factory=dict)
    kind: str = ""
    system: str = ""
    document: str = ""
    segment: str | None = None
    pieces: list[str] = field(default_factory=list)

    def read(self, file: SourceFile) -> None:
        self._begin()
        position = SourcePosition(file.name)
        for number, line in lines(file, self.state, cr_ends=True):
            position, at = SourcePosition(file.name, number), 0
            for tag in _TAG.finditer(line):
                self.pieces.append(line[at : tag.start()])
                at = tag.end()
                self._handle(tag, position)
            self.pieces.append(line[at:] + " ")
        if self.segment is not None:
            message = f"the segment {shorten(self.segment)!r} does not end"
            self.state.report(
                "unknown_schema", message, "the file is incomplete; download it again", position
            )

    def _begin(self) -> None:
        self.kind = self.system = self.document = ""
        self.segment = None

    def _handle(self, tag: re.Match[str], position: SourcePosition) -> None:
        name, is_end = tag[2].lower(), bool(tag[1])
        attributes = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(tag[3])}
        if name == "seg":
            if is_end and self.segment is not None:
                self._store(position)
            self.segment = None if is_end else attributes.get("id", "")
            self.pieces = []
        elif not is_end and name == "doc":
            self.document = attributes.get("docid", "")
            self.system = attributes.get("sysid", self.system)
        elif not is_end:
            self.kind = name
            self.system = attributes.get("sysid", "")
            self.state.name = self.state.name or attributes.get("setid", "")
            source, target = (_clean_language(attributes.get(name, "")) for name in ("srclang", "trglang"))
            self.state.set_languages(source, target, position)

    def _store(self, position: SourcePosition) -> None:
        text = unescape("".join(self.pieces), _ENTITIES).strip()
        if not (self.document and self.segment):
            message = "a segment has no id, or its document has no docid"
            self.state.report("unknown_schema", message, 'write <doc docid="…"> and <seg id="…">', position)
            return
        parts = self.parts_of.setdefault((self.document, self.segment), _ItemParts(position))
        if len(self.parts_of) > self.state.limits.max_items:
            self.state.refuse_excess("items", self.state.limits.max_items, position)
        if self.kind == "srcset":
            if parts.source is not None:
                message = f"the source of segment {shorten(self.segment)!r} was given before"
                self.state.report("duplicate_id", message, "give one source per segment", position)
            parts.source, parts.position = text, position
        elif self.kind == "refset":
            parts.references.append(text)
        elif not self.system:
            self.state.report("unknown_schema", "<tstset> names no system", 'write <doc sysid="…">', position)
        else:
            parts.candidates.append(ImportedCandidate(self.system, text))


def read(files: Sequence[SourceFile], state: ImportState) -> Iterator[ImportedItem]:
    """Yield the segments of all files."""
    reader = _Reader(state)
    for file in files:
        reader.read(file)
    for (document, segment), parts in reader.parts_of.items():
        yield ImportedItem(
            f"{document}:{segment}",
            parts.source or "",
            tuple(parts.candidates),
            parts.position,
            document,
            tuple(parts.references),
        )


def _clean_language(code: str) -> str:
    """Return the code, or nothing for ``any``, which sets for several languages declare."""
    return "" if code.lower() == "any" else code
