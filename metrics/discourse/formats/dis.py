"""RST-DT's bracket files (``.dis``): one tree, one node a line, EDUs numbered from 1.

    ( Root (span 1 2)
      ( Nucleus (leaf 1) (rel2par span) (text _!Voices are coming_!) )
      ( Satellite (leaf 2) (rel2par elaboration) (text _!suggesting help_!) )
    )

The numbers are checked against the tree: a file whose spans contradict its brackets is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from evaluation.problems import InputError, Problem
from metrics.discourse.formats.scanner import Group, Word, fault, scan
from metrics.discourse.trees import MAX_DEPTH, Node, Nuclearity

ATTRIBUTES = ("span", "leaf", "rel2par", "text")
ROLES = {str(role): role for role in Nuclearity}


def read(text: str, name: str = "") -> list[Node]:
    """All trees of a file; raises ``InputError`` with every fault of the first tree that has any."""
    return [_Reader(name).tree(group) for group in scan(text, name)]


def write(trees: Iterable[Node]) -> str:
    """The file; reading it gives equal trees. Raises ``ValueError`` for text that the format cannot hold."""
    return "".join("\n".join(_lines(tree, 1, 0)) + "\n" for tree in trees)


class _Reader:
    """Reads one tree and remembers how many EDUs it has met and what was wrong."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.met = 0
        self.problems: list[Problem] = []

    def tree(self, group: Group) -> Node:
        root = self.node(group, 0)
        if root.nuclearity is not Nuclearity.ROOT:
            self.complain("no_root", f"the tree begins with {root.nuclearity}", "begin it with ( Root", group)
        if self.problems:
            raise InputError(self.problems)
        return root

    def node(self, group: Group, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise fault("too_deep", f"more than {MAX_DEPTH} levels", "check the file", self.name, group)
        role, attributes, parts = self.sorted_items(group)
        if depth and role is Nuclearity.ROOT:
            self.complain("inner_root", "a Root inside the tree", "make it Nucleus or Satellite", group)
        before = self.met
        self.met += not parts
        children = tuple(self.node(part, depth + 1) for part in parts)
        self.check_numbers(group, attributes, before, bool(parts))
        relation = self.value(group, attributes, "rel2par", needed=depth > 0)
        if children and not any(child.nuclearity is Nuclearity.NUCLEUS for child in children):
            self.complain("no_nucleus", "none of the parts is a Nucleus", "mark at least one", group)
        return Node(role, relation, self.value(group, attributes, "text", needed=not parts), children)

    def sorted_items(self, group: Group) -> tuple[Nuclearity, dict[str, list[Word]], list[Group]]:
        head = group.items[0] if group.items else None
        if not isinstance(head, Word) or head.value not in ROLES:
            raise fault(
                "unknown_role", "expected Root, Nucleus or Satellite", "name the role", self.name, group
            )
        attributes: dict[str, list[Word]] = {}
        parts = []
        for inner in group.groups():
            first = inner.items[0] if inner.items else None
            if isinstance(first, Word) and first.value in ATTRIBUTES:
                attributes[first.value] = inner.words()[1:]
            else:
                parts.append(inner)
        return ROLES[head.value], attributes, parts

    def check_numbers(
        self, group: Group, attributes: dict[str, list[Word]], before: int, inner: bool
    ) -> None:
        key, meant = ("span", [before + 1, self.met]) if inner else ("leaf", [self.met])
        given = [word.value for word in attributes.get(key, [])]
        if given != [str(number) for number in meant]:
            said, right = " ".join(given) or "nothing", " ".join(map(str, meant))
            remedy = f"the brackets mean ({key} {right})"
            self.complain("wrong_numbers", f"expected ({key} {right}), found {said}", remedy, group)

    def value(self, group: Group, attributes: dict[str, list[Word]], key: str, *, needed: bool) -> str:
        words = attributes.get(key, [])
        if needed and not words:
            self.complain("missing_attribute", f"the node has no ({key} …)", f"add ({key} …)", group)
        return " ".join(word.value for word in words)

    def complain(self, code: str, message: str, remedy: str, place: Group) -> None:
        self.problems.append(Problem(code, message, remedy, self.name, place.line, place.column))


def _lines(node: Node, first: int, depth: int) -> Iterator[str]:
    """The lines of a node whose first EDU has this number, in the layout that corpora use."""
    indent, relation = "  " * depth, f" (rel2par {node.relation})" if depth else " "
    if "_!" in node.text or "\n" in node.text:
        raise ValueError(f"the .dis format cannot hold this text: {node.text!r}")
    if node.is_edu:
        yield f"{indent}( {node.nuclearity} (leaf {first}){relation} (text _!{node.text}_!) )"
        return
    last = first + sum(1 for _ in node.edus()) - 1
    yield f"{indent}( {node.nuclearity} (span {first} {last}){relation}"
    for child in node.children:
        yield from _lines(child, first, depth + 1)
        first += sum(1 for _ in child.edus())
    yield f"{indent})"
