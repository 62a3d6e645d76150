"""RS3, the XML of RSTTool and rstWeb: segments and groups that point to their parents.

In RS3 a satellite points to the nucleus itself, and a ``span`` group stands for that nucleus with its
satellites; a ``multinuc`` group holds several nuclei. A file with several parentless items holds several
trees. A name may serve both kinds of relation in one tree; the file then gets ``name_m`` and ``name_r``, and
the reader undoes this where both are declared. Not every ``.dis`` node has an RS3 form: nodes with one part,
and nodes that mix several nuclei with satellites, are refused by the writer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.saxutils import escape, quoteattr
from xml.sax.xmlreader import AttributesImpl

from defusedxml.common import DefusedXmlException
from defusedxml.sax import parseString

from evaluation.problems import InputError, Problem
from metrics.discourse.trees import MAX_DEPTH, SPAN, Node, Nuclearity, edu

RST, MULTINUC = "rst", "multinuc"


def read(text: str, name: str = "") -> list[Node]:
    """All trees of a file in the order of their text; raises ``InputError``."""
    body = _Body(name)
    try:
        parseString(text.encode(), body)
    except SAXParseException as error:
        place = (name, error.getLineNumber(), (error.getColumnNumber() or 0) + 1)
        raise InputError(Problem("bad_xml", error.getMessage(), "mend the XML", *place)) from error
    except DefusedXmlException as error:
        message = "XML entities and external references are not read"
        raise InputError(Problem("forbidden_xml", message, "remove the DOCTYPE", name)) from error
    return _trees(body)


@dataclass(slots=True)
class _Item:
    """A segment or a group as the file has it, with those that point to it."""

    kind: str
    parent: str
    relation: str
    line: int
    position: int
    text: str = ""
    nuclei: list[_Item] = field(default_factory=list)
    satellites: list[_Item] = field(default_factory=list)


class _Body(ContentHandler):
    """Collects items and declared relations while the XML goes by."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        self.items: dict[str, _Item] = {}
        self.declared: set[tuple[str, str]] = set()
        self.problems: list[Problem] = []
        self.open: _Item | None = None

    def startElement(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "rel":
            self.declared.add((attributes.get("name", ""), attributes.get("type", "")))
        elif tag in ("segment", "group"):
            kind = "segment" if tag == "segment" else attributes.get("type", "")
            line = self._locator.getLineNumber() or 0  # type: ignore[attr-defined]  # expat always sets a locator
            item = _Item(
                kind, attributes.get("parent", ""), attributes.get("relname", ""), line, len(self.items)
            )
            key = attributes.get("id", "")
            if not key or key in self.items:
                self.complain(
                    "bad_id", f"id {key!r} is empty or used twice", "give each item its own id", item
                )
            if kind not in ("segment", SPAN, MULTINUC):
                self.complain("bad_group", f"group type {kind!r}", "use span or multinuc", item)
            self.items[key] = item
            self.open = item if tag == "segment" else None

    def characters(self, content: str) -> None:
        if self.open is not None:
            self.open.text += content

    def endElement(self, tag: str) -> None:
        if tag == "segment":
            self.open = None

    def complain(self, code: str, message: str, remedy: str, item: _Item) -> None:
        self.problems.append(Problem(code, message, remedy, self.name, item.line))

    def relation(self, item: _Item) -> str:
        plain = item.relation[:-2]
        both = {(f"{plain}_m", MULTINUC), (f"{plain}_r", RST)} <= self.declared
        return plain if both and item.relation[-2:] in ("_m", "_r") else item.relation


def _trees(body: _Body) -> list[Node]:
    roots = _linked(body)
    _check_items(body)
    if body.problems:
        raise InputError(body.problems)
    built = sorted((_full(root, body) for root in roots), key=lambda pair: pair[1])
    trees = [tree for tree, _ in built]
    read_back = [leaf.text for tree in trees for leaf in tree.edus()]
    if read_back != [_plain(item.text) for item in body.items.values() if item.kind == "segment"]:
        message = "the tree's branches cross: its text order is not the file's"
        raise InputError(Problem("crossing", message, "attach each satellite beside its nucleus", body.name))
    return trees


def _linked(body: _Body) -> list[_Item]:
    """Hand every item to its parent and return those without one."""
    roots = []
    for item in body.items.values():
        parent = body.items.get(item.parent)
        if parent is None:
            if item.parent:
                body.complain("no_parent", f"no item has the id {item.parent!r}", "mend the parent", item)
            roots.append(item)
        elif not item.relation:
            body.complain("no_relation", "the item has a parent but no relname", "name the relation", item)
        elif item.relation == SPAN or (
            parent.kind == MULTINUC and (item.relation, MULTINUC) in body.declared
        ):
            parent.nuclei.append(item)
        else:
            parent.satellites.append(item)
    return roots


def _check_items(body: _Body) -> None:
    for item in body.items.values():
        wanted = {"segment": (0, 0), SPAN: (1, 1), MULTINUC: (2, len(body.items))}.get(item.kind)
        if wanted and not wanted[0] <= len(item.nuclei) <= wanted[1]:
            message = f"a {item.kind} with {len(item.nuclei)} nuclei"
            body.complain(
                "bad_group", message, "span groups have one, multinuc two or more, segments none", item
            )
        steps, above = 0, item
        while above.parent in body.items and steps <= 2 * MAX_DEPTH:
            steps, above = steps + 1, body.items[above.parent]
        if steps > 2 * MAX_DEPTH:
            message = f"the item hangs in a circle or below {2 * MAX_DEPTH} levels"
            body.complain("too_deep", message, "mend the parents", item)


def _full(item: _Item, body: _Body) -> tuple[Node, int]:
    """The item's tree with its satellites, and the position of its first segment."""
    core, position = _core(item, body)
    if not item.satellites:
        return core, position
    parts = [(position, replace(core, nuclearity=Nuclearity.NUCLEUS, relation=SPAN))]
    for satellite in item.satellites:
        tree, start = _full(satellite, body)
        relation = body.relation(satellite)
        parts.append((start, replace(tree, nuclearity=Nuclearity.SATELLITE, relation=relation)))
    parts.sort(key=lambda part: part[0])
    return Node(children=tuple(part for _, part in parts)), parts[0][0]


def _core(item: _Item, body: _Body) -> tuple[Node, int]:
    if item.kind == "segment":
        return edu(_plain(item.text)), item.position
    inner = sorted(((_full(nucleus, body), nucleus) for nucleus in item.nuclei), key=lambda pair: pair[0][1])
    if item.kind == SPAN:
        return inner[0][0]
    children = tuple(
        replace(tree, nuclearity=Nuclearity.NUCLEUS, relation=body.relation(nucleus))
        for (tree, _), nucleus in inner
    )
    return Node(children=children), inner[0][0][1]


def _plain(text: str) -> str:
    return " ".join(text.split())


def write(trees: Iterable[Node]) -> str:
    """The XML file; raises ``ValueError`` for nodes that RS3 cannot hold."""
    return _Writer(list(trees)).text()


class _Writer:
    def __init__(self, trees: list[Node]) -> None:
        uses = {
            (child.relation, kind) for tree in trees for node in tree.nodes() for child, kind in _uses(node)
        }
        self.both = {name for name, kind in uses if kind == RST} & {
            name for name, kind in uses if kind == MULTINUC
        }
        self.declared = sorted((self.called(name, kind), kind) for name, kind in uses)
        self.segments: list[str] = []
        self.groups: list[str] = []
        self.free = sum(
            1 for tree in trees for _ in tree.edus()
        )  # segments take the first ids, in text order
        for tree in trees:
            self.add(tree, self.number(tree), "")

    def called(self, name: str, kind: str) -> str:
        return name + ("_m" if kind == MULTINUC else "_r") if name in self.both else name

    def number(self, node: Node) -> int | None:
        """A group's id is given before its parts are written; a segment gets the next in text order."""
        if node.is_edu:
            return None
        self.free += 1
        return self.free

    def add(self, node: Node, group: int | None, link: str) -> int:
        if group is None:
            self.segments.append(
                f'    <segment id="{len(self.segments) + 1}"{link}>{escape(node.text)}</segment>'
            )
            return len(self.segments)
        several = node.pattern.count("N") > 1
        if len(node.children) < 2 or (several and "S" in node.pattern):
            raise ValueError(f"RS3 cannot hold a node with the parts {node.pattern!r}")
        self.groups.append(f'    <group id="{group}" type="{MULTINUC if several else SPAN}"{link}/>')
        if several:
            for child in node.children:
                self.add(child, self.number(child), _link(group, self.called(child.relation, MULTINUC)))
        else:
            self.add_with_satellites(node, group)
        return group

    def add_with_satellites(self, node: Node, group: int) -> None:
        """Satellites point to the nucleus, whose id must be known before a left satellite is written."""
        at = node.pattern.index("N")
        before = sum(1 for child in node.children[:at] for _ in child.edus())
        own = self.number(node.children[at])
        nucleus = own if own is not None else len(self.segments) + before + 1
        for child in node.children:
            if child.nuclearity is Nuclearity.NUCLEUS:
                self.add(child, own, _link(group, SPAN))
            else:
                self.add(child, self.number(child), _link(nucleus, self.called(child.relation, RST)))

    def text(self) -> str:
        relations = [
            f"      <rel name={quoteattr(name)} type={quoteattr(kind)}/>" for name, kind in self.declared
        ]
        head = [
            "<rst>",
            "  <header>",
            "    <relations>",
            *relations,
            "    </relations>",
            "  </header>",
            "  <body>",
        ]
        return "\n".join([*head, *self.segments, *self.groups, "  </body>", "</rst>", ""])


def _link(parent: int, relation: str) -> str:
    return f' parent="{parent}" relname={quoteattr(relation)}'


def _uses(node: Node) -> list[tuple[Node, str]]:
    kind = MULTINUC if node.pattern.count("N") > 1 else RST
    return [(child, kind) for child in node.children if child.relation != SPAN]
