"""Discourse trees of Rhetorical Structure Theory (Mann and Thompson 1988).

A leaf is an elementary discourse unit (EDU) with its text; an inner node has children. Each node has a
nuclearity and a relation to its parent, as in RST-DT files (``rel2par``): the nucleus of a mononuclear
relation has the relation ``span``, its satellite the name of the relation. File readers and parsers make
these trees; ``kernel`` converts them for comparison.

Trees of different origin can only be compared if they use the same relations. ``coarse`` maps fine names to
the eighteen coarse relations of RST-DT (Carlson and Marcu 2001). Known are those of RST-DT (about 110, also
with the suffixes ``-e``, ``-s``, ``-n`` for embedded, satellite and nucleus) and those of GUM
(``class-subclass``). An unknown name stays as it is, and then matches only itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache

from metrics.discourse.words import VOCABULARY

SPAN = "span"
MAX_DEPTH = 150  # of real documents below 30; deeper files are refused before they exhaust the stack


class Nuclearity(StrEnum):
    ROOT = "Root"
    NUCLEUS = "Nucleus"
    SATELLITE = "Satellite"


@dataclass(frozen=True, slots=True)
class Node:
    """A tree; ``edu`` and ``join`` make one.

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
        """The relation between the children; empty for an EDU.

        With several satellites it is the relation of the first.
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
    return Node(children=tuple(_attach(*part) for part in zip(parts, pattern, names, strict=True)))


def relations_of(relation: str, pattern: str) -> list[str]:
    """The relation of each part in ``rel2par`` style.

    >>> relations_of("Cause", "SN"), relations_of("Joint", "NN")
    (['Cause', 'span'], ['Joint', 'Joint'])
    """
    single = pattern.count("N") == 1 and len(pattern) > 1
    return [SPAN if single and letter == "N" else relation for letter in pattern]


def _attach(node: Node, letter: str, relation: str) -> Node:
    role = Nuclearity.NUCLEUS if letter == "N" else Nuclearity.SATELLITE
    return replace(node, nuclearity=role, relation=relation)


def as_root(node: Node) -> Node:
    """The same tree as a root."""
    return replace(node, nuclearity=Nuclearity.ROOT, relation="")


def binarise(tree: Node) -> Node:
    """A tree in which every relation has two parts; a node with one child is replaced by the child.

    Several nuclei are nested to the right under the same relation. Satellites are attached to the nucleus
    one by one, the nearest first and the right side before the left, each with its own relation.

    >>> binarise(join("Joint", "NNN", [edu("a"), edu("b"), edu("c")])).children[1].pattern
    'NN'
    """
    children = tuple(binarise(child) for child in tree.children)
    if len(children) == 1:
        return replace(children[0], nuclearity=tree.nuclearity, relation=tree.relation)
    if len(children) == 2 or not children:
        return replace(tree, children=children)
    nuclei = [n for n, child in enumerate(children) if child.nuclearity is Nuclearity.NUCLEUS]
    first, last = nuclei[0], nuclei[-1]
    core = _nest(children[first : last + 1])
    for satellite in children[last + 1 :]:
        core = Node(children=(_nucleus(core), satellite))
    for satellite in reversed(children[:first]):
        core = Node(children=(satellite, _nucleus(core)))
    return replace(core, nuclearity=tree.nuclearity, relation=tree.relation)


def _nest(parts: tuple[Node, ...]) -> Node:
    if len(parts) == 1:
        return parts[0]
    rest = _nest(parts[1:])
    relation = parts[0].relation if parts[0].nuclearity is Nuclearity.NUCLEUS else SPAN
    tail = rest if len(parts) == 2 else replace(rest, nuclearity=Nuclearity.NUCLEUS, relation=relation)
    return Node(children=(parts[0], tail))


def _nucleus(node: Node) -> Node:
    return replace(node, nuclearity=Nuclearity.NUCLEUS, relation=SPAN)


def rename_relations(tree: Node, rename: Callable[[str], str]) -> Node:
    """The tree with every relation but ``span`` renamed, for example by ``relations.coarse``."""
    relation = rename(tree.relation) if tree.relation and tree.relation != SPAN else tree.relation
    return replace(
        tree, relation=relation, children=tuple(rename_relations(c, rename) for c in tree.children)
    )


def as_json(node: Node) -> dict[str, object]:
    """A tree as JSON values; the role of the root is omitted.

    >>> as_json(join("Cause", "SN", [edu("it rained"), edu("we stayed")]))["children"][0]
    {'role': 'Satellite', 'relation': 'Cause', 'text': 'it rained'}
    """
    values: dict[str, object] = {}
    if node.nuclearity is not Nuclearity.ROOT:
        values |= {"role": str(node.nuclearity), "relation": node.relation}
    if node.is_edu:
        return values | {"text": node.text}
    return values | {"children": [as_json(child) for child in node.children]}


RST_DT, GUM = VOCABULARY["rst-dt"], VOCABULARY["gum"]
_FINE = {name: coarse for coarse, names in RST_DT.items() for name in names.split()}
_FINE |= {name.lower(): name for name in RST_DT}


@cache
def coarse(name: str) -> str:
    """The coarse relation of a fine one; an unknown name comes back unchanged.

    >>> [coarse(name) for name in ("elaboration-object-attribute-e", "joint-sequence", "Zeugma")]
    ['Elaboration', 'Temporal', 'Zeugma']
    """
    low = name.lower()
    plain = low[:-2] if low[-2:] in ("-e", "-s", "-n") else low
    for known in (low, plain, plain[:-2] if plain[-2:] in ("-e", "-s", "-n") else plain):
        if known in _FINE:
            return _FINE[known]
    return GUM.get(low) or GUM.get(low.partition("-")[0]) or name
