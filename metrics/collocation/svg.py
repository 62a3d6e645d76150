"""The collocation tree of a sentence as SVG, with arcs above the words as in the slides of paper 002.

The SVG has no inline style, script or handler; text is escaped. It is legible without a style sheet; its
classes are:

=======================  ======================================================================
``colloc-tree``          the SVG element, with ``role="img"`` and a label in words
``colloc-word``          a content word that occurs in the corpus
``colloc-unknown``       a content word that does not
``colloc-other``         any other word of the sentence
``colloc-branch``        an arc, a ``<g>`` with the path, its strength and a ``<title>``
``colloc-strength``      the strength above an arc
=======================  ======================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from metrics.collocation.content_words import ContentWords
from metrics.collocation.trees import Branch

LETTER, GAP, LINE, STEP, MARGIN = 7, 10, 22, 18, 10  # px: width of a letter, gaps, height of words and arcs
FOOT = 3  # px between the arcs to the left and to the right of a word


def render_tree(
    tokens: Sequence[str],
    content: ContentWords,
    tree: Sequence[Branch],
    *,
    known: Collection[str],
    label: str,
) -> str:
    """The sentence with its tree; ``known`` are the words of the table, ``label`` describes the tree.

    >>> content, tree = ContentWords(("dow", "fall"), (0, 1), 1), [Branch(0, 1, 7.5)]
    >>> svg = render_tree(["Dow", "fell"], content, tree, known={"dow"}, label="dow – fall 7.50")
    >>> svg.count("<path"), 'class="colloc-word"' in svg
    (1, True)
    """
    centres, width = _word_centres(tokens)
    spans = [(content.places[b.left], content.places[b.right]) for b in tree]
    levels = _arc_levels(spans)
    top = MARGIN + LINE + STEP * max(levels, default=0)
    parts = [
        _render_arc(centres[left] + FOOT, centres[right] - FOOT, top, level, branch, content)
        for (left, right), level, branch in zip(spans, levels, tree, strict=True)
    ]
    parts += _render_words(tokens, centres, top + LINE, content, known)
    height = top + LINE + MARGIN
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg class="colloc-tree" role="img" aria-label="{escape(label)}" {box}>{"".join(parts)}</svg>'


def describe_branches(content: ContentWords, tree: Sequence[Branch]) -> list[str]:
    """Each branch with its strength, strongest first."""
    ordered = sorted(tree, key=lambda branch: -branch.weight)
    return [
        f"{content.words[b.left]} – {content.words[b.right]} {format_strength(b.weight)}" for b in ordered
    ]


def format_strength(weight: float) -> str:
    """A number with three digits.

    >>> [format_strength(weight) for weight in (11, 3.1623, 0.01234, 1234.5)]
    ['11.0', '3.16', '0.0123', '1234']
    """
    return f"{weight:.0f}" if abs(weight) >= 100 else f"{weight:#.3g}"


def _word_centres(tokens: Sequence[str]) -> tuple[list[int], int]:
    """The centre of each word on the line, and the width of the SVG."""
    centres, x = [], MARGIN
    for word in tokens:
        wide = max(1, len(word)) * LETTER
        centres.append(x + wide // 2)
        x += wide + GAP
    return centres, x - GAP + MARGIN


def _arc_levels(spans: Sequence[tuple[int, int]]) -> list[int]:
    """The height of each arc: one step above the highest shorter arc over some of the same words.

    >>> _arc_levels([(0, 2), (1, 3), (2, 3)])
    [1, 2, 1]
    """
    levels: dict[tuple[int, int], int] = {}
    for left, right in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        below = [level for (a, b), level in levels.items() if a < right and left < b]
        levels[left, right] = 1 + max(below, default=0)
    return [levels[span] for span in spans]


def _render_arc(x1: int, x2: int, top: int, level: int, branch: Branch, content: ContentWords) -> str:
    title = escape(f"{content.words[branch.left]} – {content.words[branch.right]}: {branch.weight:.6g}")
    middle, height = (x1 + x2) // 2, top - STEP * level
    text = _text("colloc-strength", middle, height - 3, format_strength(branch.weight))
    return f'<g class="colloc-branch"><title>{title}</title>{_path(x1, x2, top, height)}{text}</g>'


def _text(css: str, x: int, y: int, text: str) -> str:
    return f'<text class="{css}" text-anchor="middle" x="{x}" y="{y}">{escape(text)}</text>'


def _path(x1: int, x2: int, top: int, height: int) -> str:
    bend = min(STEP, (x2 - x1) // 2)
    line = f"M{x1} {top} Q{x1} {height} {x1 + bend} {height} L{x2 - bend} {height} Q{x2} {height} {x2} {top}"
    return f'<path fill="none" stroke="currentColor" d="{line}"/>'


def _render_words(
    tokens: Sequence[str], centres: Sequence[int], y: int, content: ContentWords, known: Collection[str]
) -> list[str]:
    word_at = dict(zip(content.places, content.words, strict=True))
    parts = []
    for number, (text, x) in enumerate(zip(tokens, centres, strict=True)):
        if (word := word_at.get(number)) is None:
            css = "colloc-other"
        else:
            css = "colloc-word" if word in known else "colloc-unknown"
        parts.append(_text(css, x, y, text))
    return parts
