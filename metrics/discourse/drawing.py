"""A discourse tree as a drawing: an SVG string with classes only, to be styled by the page.

Units stand side by side at the bottom, broken into short lines; relations stand above what they link. Every
line has the letter N or S beside it and the class ``nucleus`` or ``satellite``, so nothing depends on
colour. The drawing carries a title, and as its description the whole tree in brackets, for those who cannot
see it. All text is escaped; there is no inline style, script or handler.

A page needs at least these rules::

    .discourse-tree text { text-anchor: middle; fill: currentColor; font-size: 13px; }
    .discourse-tree path { fill: none; stroke: currentColor; }
    .discourse-tree path.satellite { stroke-dasharray: 4 3; }
    .discourse-tree .relation { font-weight: bold; }
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from metrics.discourse.formats.brackets import write
from metrics.discourse.trees import Node, Nuclearity

COLUMN, ROW, LINE, MARGIN = 150, 56, 16, 12  # user units
CHARACTERS, LINES = 20, 8


@dataclass(frozen=True, slots=True)
class Box:
    """Where a node stands: its middle, its row, and the nodes below it."""

    node: Node
    x: float
    row: int
    below: tuple[Box, ...]


def svg(tree: Node, *, title: str, lang: str = "en") -> str:
    """The drawing; ``title`` names it, ``lang`` is the language of the units.

    >>> from metrics.discourse.trees import edu, join
    >>> drawn = svg(join("Cause", "SN", [edu("as it <rained>"), edu("we stayed")]), title="Reference")
    >>> 'class="relation"' in drawn, "as it &lt;rained&gt;" in drawn, "style" in drawn
    (True, True, False)
    """
    units = max(1, sum(1 for _ in tree.edus()))
    width = units * COLUMN + 2 * MARGIN
    lines = max(len(_broken(leaf.text)) for leaf in tree.edus())
    height = tree.depth * ROW + (lines + 1) * LINE + 2 * MARGIN
    box = _placed(tree, 0, tree.depth)[0]
    words = escape(write([tree]).strip()) if tree.children else escape(tree.text)
    inside = "".join([*_lines(box), *_labels(box)])
    return (
        f'<svg class="discourse-tree" viewBox="0 0 {width} {height}" role="img" lang={quoteattr(lang)}>'
        f"<title>{escape(title)}</title><desc>{words}</desc>{inside}</svg>"
    )


def _placed(node: Node, column: int, bottom: int, row: int = 0) -> tuple[Box, int]:
    """The node's box and the first free column to its right; all units stand in the bottom row."""
    if node.is_edu:
        return Box(node, MARGIN + (column + 0.5) * COLUMN, bottom, ()), column + 1
    boxes = []
    for child in node.children:
        box, column = _placed(child, column, bottom, row + 1)
        boxes.append(box)
    return Box(node, (boxes[0].x + boxes[-1].x) / 2, row, tuple(boxes)), column


def _lines(box: Box) -> Iterator[str]:
    for child in box.below:
        role = "nucleus" if child.node.nuclearity is Nuclearity.NUCLEUS else "satellite"
        start, end = _y(box) + LINE / 2, _y(child) - LINE
        yield f'<path class="{role}" d="M{box.x:g} {start:g}L{child.x:g} {end:g}"/>'
        letter, place = role[0].upper(), (box.x + 3 * child.x) / 4 + LINE * (1 if child.x > box.x else -1)
        yield f'<text class="role" x="{place:g}" y="{(start + 3 * end) / 4:g}">{letter}</text>'
        yield from _lines(child)


def _labels(box: Box) -> Iterator[str]:
    if box.below:
        yield f'<text class="relation" x="{box.x:g}" y="{_y(box):g}">{escape(box.node.linked_by)}</text>'
        for child in box.below:
            yield from _labels(child)
        return
    rows = "".join(
        f'<tspan x="{box.x:g}" y="{_y(box) + number * LINE:g}">{escape(text)}</tspan>'
        for number, text in enumerate(_broken(box.node.text))
    )
    yield f'<text class="unit">{rows}</text>'


def _y(box: Box) -> float:
    return MARGIN + LINE + box.row * ROW


def _broken(text: str) -> list[str]:
    """The text in short lines; what does not fit ends in an ellipsis (the description has it all)."""
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + 1 + len(word) > CHARACTERS:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    shown = lines[:LINES]
    return [*shown[:-1], f"{shown[-1]} …"] if len(lines) > LINES else shown
