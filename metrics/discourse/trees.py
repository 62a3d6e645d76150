"""Discourse trees after Rhetorical Structure Theory (Mann and Thompson 1988), one type for every source.

A leaf is an elementary discourse unit (EDU) and carries text; an inner node carries children. Each node says
how it stands to its parent: its nuclearity, and its relation as RST-DT files name it (``rel2par``), where
the nucleus of a one-nucleus relation has the relation ``span`` and the satellite has the real name. The
readers in ``formats`` make these trees, the parsers too, and the representations of ``representation`` are
made from them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

SPAN = "span"
MAX_DEPTH = 150  # real documents stay below 30; deeper input is refused before it can exhaust the stack


class Nuclearity(StrEnum):
    ROOT = "Root"
    NUCLEUS = "Nucleus"
    SATELLITE = "Satellite"


@dataclass(frozen=True, slots=True)
class Node:
    """A tree; make one with ``edu`` and ``join`` rather than by hand.

    >>> tree = join("Elaboration", "NS", [edu("Voices are coming"), edu("suggesting help")])
    >>> [str(child.nuclearity) for child in tree.children], tree.linked_by
    (['Nucleus', 'Satellite'], 'Elaboration')
    """

    nuclearity: Nuclearity = Nuclearity.ROOT
    relation: str = ""
    text: str = ""
    children: tuple[Node, ...] = ()

    @property
    def is_edu(self) -> bool:
        return not self.children

    @property
    def linked_by(self) -> str:
        """The relation that holds the children together; empty for an EDU.

        With several satellites it is the relation of the first; binarise to see the others.
        """
        return next(
            (child.relation for child in self.children if child.relation != SPAN), SPAN * bool(self.children)
        )

    @property
    def pattern(self) -> str:
        """The nuclearity of the children, for instance ``NS``; empty for an EDU."""
        return "".join(child.nuclearity[0] for child in self.children)

    def edus(self) -> Iterator[Node]:
        """The leaves, from left to right."""
        return (node for node in self.nodes() if node.is_edu)

    def nodes(self) -> Iterator[Node]:
        """All nodes, parents before children."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    @property
    def depth(self) -> int:
        """The number of relations between the root and the deepest EDU."""
        return 1 + max(child.depth for child in self.children) if self.children else 0


def edu(text: str) -> Node:
    """A tree of one elementary discourse unit."""
    return Node(text=text)


def join(relation: str, pattern: str, parts: Sequence[Node]) -> Node:
    """Link parts by one relation; ``pattern`` gives their nuclearity, for instance ``NS`` or ``NNN``.

    With one nucleus the satellites get the relation and the nucleus ``span``; with several, the nuclei share
    it.
    """
    if len(pattern) != len(parts) or not parts or set(pattern) - set("NS") or "N" not in pattern:
        raise ValueError(
            f"pattern {pattern!r} does not fit {len(parts)} parts: one N or S each, at least one N"
        )
    names = relations_of(relation, pattern)
    return Node(children=tuple(_below(*part) for part in zip(parts, pattern, names, strict=True)))


def relations_of(relation: str, pattern: str) -> list[str]:
    """What each part of a relation is called in ``rel2par`` style.

    >>> relations_of("Cause", "SN"), relations_of("Joint", "NN")
    (['Cause', 'span'], ['Joint', 'Joint'])
    """
    single = pattern.count("N") == 1 and len(pattern) > 1
    return [SPAN if single and letter == "N" else relation for letter in pattern]


def _below(node: Node, letter: str, relation: str) -> Node:
    role = Nuclearity.NUCLEUS if letter == "N" else Nuclearity.SATELLITE
    return replace(node, nuclearity=role, relation=relation)


def as_root(node: Node) -> Node:
    """The same tree standing alone."""
    return replace(node, nuclearity=Nuclearity.ROOT, relation="")


def binarised(tree: Node) -> Node:
    """Every relation between exactly two parts; a node with one child is dissolved.

    Several nuclei are nested to the right under the same relation. Satellites are attached to the nucleus
    one by one, the nearest first and the right side before the left, each with its own relation.

    >>> binarised(join("Joint", "NNN", [edu("a"), edu("b"), edu("c")])).children[1].pattern
    'NN'
    """
    children = tuple(binarised(child) for child in tree.children)
    if len(children) == 1:
        return replace(children[0], nuclearity=tree.nuclearity, relation=tree.relation)
    if len(children) == 2 or not children:
        return replace(tree, children=children)
    nuclei = [n for n, child in enumerate(children) if child.nuclearity is Nuclearity.NUCLEUS]
    first, last = nuclei[0], nuclei[-1]
    core = _nested(children[first : last + 1])
    for satellite in children[last + 1 :]:
        core = Node(children=(_nucleus(core), satellite))
    for satellite in reversed(children[:first]):
        core = Node(children=(satellite, _nucleus(core)))
    return replace(core, nuclearity=tree.nuclearity, relation=tree.relation)


def _nested(parts: tuple[Node, ...]) -> Node:
    if len(parts) == 1:
        return parts[0]
    rest = _nested(parts[1:])
    relation = parts[0].relation if parts[0].nuclearity is Nuclearity.NUCLEUS else SPAN
    tail = rest if len(parts) == 2 else replace(rest, nuclearity=Nuclearity.NUCLEUS, relation=relation)
    return Node(children=(parts[0], tail))


def _nucleus(node: Node) -> Node:
    return replace(node, nuclearity=Nuclearity.NUCLEUS, relation=SPAN)


def relabelled(tree: Node, rename: Callable[[str], str]) -> Node:
    """The tree with every relation but ``span`` renamed, for instance by ``relations.coarse``."""
    relation = rename(tree.relation) if tree.relation and tree.relation != SPAN else tree.relation
    return replace(tree, relation=relation, children=tuple(relabelled(c, rename) for c in tree.children))
