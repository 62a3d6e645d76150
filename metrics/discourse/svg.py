"""A discourse tree as SVG, styled by the page.

Units are placed side by side at the bottom, broken into short lines, with the relations above them. Every
edge is labelled N or S and has the class ``nucleus`` or ``satellite``, so that nothing depends on colour.
The SVG has a title and, as its description for screen readers, the tree in brackets. All text is escaped;
there is no inline style, script or handler.

The style sheet needs at least these rules::

    .discourse-tree text { text-anchor: middle; fill: currentColor; font-size: 13px; }
    .discourse-tree path { fill: none; stroke: currentColor; }
    .discourse-tree path.satellite { stroke-dasharray: 4 3; }
    .discourse-tree .relation { font-weight: bold; }
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from metrics.discourse.trees import Node, Nuclearity, format_brackets

COLUMN, ROW, LINE, MARGIN = 150, 56, 16, 12  # user units
CHARACTERS, LINES = 20, 8


@dataclass(frozen=True, slots=True)
class TreeBox:
    """The position of a node: its centre, its row, and the nodes below it."""

    node: Node
    x: float
    row: int
    below: tuple[TreeBox, ...]


def render_tree(tree: Node, *, title: str, lang: str = "en") -> str:
    """The SVG element; ``lang`` is the language of the units.

    >>> from metrics.discourse.trees import edu, join
    >>> svg = render_tree(join("Cause", "SN", [edu("as it <rained>"), edu("we stayed")]), title="Reference")
    >>> 'class="relation"' in svg, "as it &lt;rained&gt;" in svg, "style" in svg
    (True, True, False)
    """
    units = max(1, sum(1 for _ in tree.edus()))
    width = units * COLUMN + 2 * MARGIN
    lines = max(len(_break_lines(leaf.text)) for leaf in tree.edus())
    height = tree.depth * ROW + (lines + 1) * LINE + 2 * MARGIN
    box = _place(tree, 0, tree.depth)[0]
    words = escape(format_brackets(tree)) if tree.children else escape(tree.text)
    inside = "".join([*_render_edges(box), *_render_labels(box)])
    return (
        f'<svg class="discourse-tree" viewBox="0 0 {width} {height}" role="img" lang={quoteattr(lang)}>'
        f"<title>{escape(title)}</title><desc>{words}</desc>{inside}</svg>"
    )


def _place(node: Node, column: int, bottom: int, row: int = 0) -> tuple[TreeBox, int]:
    """The box of a node and the first free column to its right; all units are in the bottom row."""
    if node.is_edu:
        return TreeBox(node, MARGIN + (column + 0.5) * COLUMN, bottom, ()), column + 1
    boxes = []
    for child in node.children:
        box, column = _place(child, column, bottom, row + 1)
        boxes.append(box)
    return TreeBox(node, (boxes[0].x + boxes[-1].x) / 2, row, tuple(boxes)), column


def _render_edges(box: TreeBox) -> Iterator[str]:
    for child in box.below:
        role = "nucleus" if child.node.nuclearity is Nuclearity.NUCLEUS else "satellite"
        start, end = _y(box) + LINE / 2, _y(child) - LINE
        yield f'<path class="{role}" d="M{box.x:g} {start:g}L{child.x:g} {end:g}"/>'
        letter, place = role[0].upper(), (box.x + 3 * child.x) / 4 + LINE * (1 if child.x > box.x else -1)
        yield f'<text class="role" x="{place:g}" y="{(start + 3 * end) / 4:g}">{letter}</text>'
        yield from _render_edges(child)


def _render_labels(box: TreeBox) -> Iterator[str]:
    if box.below:
        yield f'<text class="relation" x="{box.x:g}" y="{_y(box):g}">{escape(box.node.linked_by)}</text>'
        for child in box.below:
            yield from _render_labels(child)
        return
    rows = "".join(
        f'<tspan x="{box.x:g}" y="{_y(box) + number * LINE:g}">{escape(text)}</tspan>'
        for number, text in enumerate(_break_lines(box.node.text))
    )
    yield f'<text class="unit">{rows}</text>'


def _y(box: TreeBox) -> float:
    return MARGIN + LINE + box.row * ROW


def _break_lines(text: str) -> list[str]:
    """The text in short lines, cut with an ellipsis if it is too long; the description has all of it."""
    plain = " ".join(text.split())
    lines = textwrap.wrap(plain, CHARACTERS, break_long_words=False, break_on_hyphens=False) or [""]
    first = lines[:LINES]
    return [*first[:-1], f"{first[-1]} …"] if len(lines) > LINES else first
