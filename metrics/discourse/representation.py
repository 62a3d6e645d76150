"""Discourse trees as the kernel sees them: DR and DR-LEX (Guzmán et al. 2014, paper 004, section 3.2).

The kernel matches a node with either all or none of its children, so the shape of the tree decides what can
match.

* *DR* holds structure, nuclearity and relations and no words. A unit is a node with its nuclearity; below it
  stands its relation with the units that the relation links, or ``EDU``. Two trees that agree on the upper
  relation match there, whatever lies below.
* *DR-LEX* separates the skeleton from its labels: ``SPAN`` has the properties ``NUC`` and ``REL`` beside its
  units, ``EDU`` has ``NUC`` and its words under ``NGRAM``. Each word has a dummy leaf, so that single words
  match on their own; trees that differ in labels still match in their skeletons.

The printed figure shows the shapes but not every node; where it is silent, ``docs/discourse.md`` gives our
reading. A sentence without words has the empty tree, which is similar to nothing but itself.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from metrics.discourse.trees import Node

DUMMY = "*"


class Tree(NamedTuple):
    """A node with a label; the leaves are labels without children."""

    label: str
    children: tuple[Tree, ...] = ()


def dr(node: Node) -> Tree:
    """The representation without words, of a binarised tree or of one with more parts.

    >>> from metrics.discourse.trees import edu, join
    >>> print(bracketed(dr(join("Attribution", "SN", [edu("suggest"), edu("the ECB should be")]))))
    (Root (Attribution (Satellite EDU) (Nucleus EDU)))
    """
    if _is_empty(node):
        return Tree(str(node.nuclearity))
    if node.is_edu:
        return Tree(str(node.nuclearity), (Tree("EDU"),))
    return Tree(str(node.nuclearity), (Tree(node.linked_by, tuple(dr(child) for child in node.children)),))


def dr_lex(node: Node, *, lowercase: bool = False) -> Tree:
    """The representation with words.

    >>> from metrics.discourse.trees import edu, join
    >>> for part in dr_lex(join("Attribution", "SN", [edu("suggest"), edu("the ECB")])).children:
    ...     print(bracketed(part))
    (NUC Root)
    (REL Attribution)
    (EDU (NUC Satellite) (NGRAM (suggest *)))
    (EDU (NUC Nucleus) (NGRAM (the *) (ECB *)))
    """
    if _is_empty(node):
        return Tree("EDU")
    role = Tree("NUC", (Tree(str(node.nuclearity)),))
    if node.is_edu:
        text = node.text.lower() if lowercase else node.text
        return Tree("EDU", (role, Tree("NGRAM", tuple(map(_word, text.split())))))
    relation = Tree("REL", (Tree(node.linked_by),))
    return Tree("SPAN", (role, relation, *(dr_lex(child, lowercase=lowercase) for child in node.children)))


def bracketed(tree: Tree) -> str:
    """A tree on one line, for reading."""
    inside = " ".join([tree.label, *map(bracketed, tree.children)])
    return f"({inside})" if tree.children else inside


@lru_cache(maxsize=1 << 16)
def _word(word: str) -> Tree:
    return Tree(word, (Tree(DUMMY),))


def _is_empty(node: Node) -> bool:
    return node.is_edu and not node.text.strip()
