"""The tree drawn over the sentence as arcs, the way the slides of paper 002 show it.

An SVG string without inline style, script or handler; text is escaped. It is legible without a style sheet;
these are the classes for one:

=======================  ======================================================================
``colloc-tree``          the drawing; it carries ``role="img"`` and a label in words
``colloc-word``          a word of content that the corpus knows
``colloc-unknown``       a word of content that it does not know
``colloc-other``         any other word of the sentence
``colloc-branch``        an arc, a ``<g>`` with the path, its strength and a ``<title>``
``colloc-start``         the branch from ``<s>`` to the first verb, and ``<s>`` itself
``colloc-strength``      the strength above an arc
=======================  ======================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from metrics.collocation.trees import Branch
from metrics.collocation.words import ContentWords

LETTER, GAP, LINE, STEP, MARGIN = 8, 12, 22, 18, 10  # px: width of a letter, gaps, height of words and arcs
START = "<s>"


def draw(
    tokens: Sequence[str],
    content: ContentWords,
    tree: Sequence[Branch],
    *,
    known: Collection[str] | None = None,
    first_branch: bool = False,
) -> str:
    """The sentence with its tree; ``first_branch`` adds the arc from ``<s>`` to the first verb.

    ``known`` are the words that the table has (all of them when it is not given).

    >>> svg = draw(["Dow", "fell"], ContentWords(("dow", "fall"), (0, 1), 1), [Branch(0, 1, 7.5)])
    >>> svg.count("<path"), 'class="colloc-word"' in svg
    (1, True)
    """
    shown = [START, *tokens]
    centres, width = _centres(shown)
    spans = [(content.places[b.left] + 1, content.places[b.right] + 1, b) for b in tree]
    levels = _levels([(left, right) for left, right, _ in spans])
    ends = [(*span, level) for span, level in zip(spans, levels, strict=True)]
    has_start = first_branch and content.first_verb is not None
    top = MARGIN + LINE + STEP * (max(levels, default=0) + has_start)
    parts = [_arc(centres[i], centres[j], top, level, branch, content) for i, j, branch, level in ends]
    if first_branch and content.first_verb is not None:
        verb = content.places[content.first_verb] + 1
        parts.append(_path(centres[0], centres[verb], top, 1 + max(levels, default=0), "colloc-start"))
    parts += _words(shown, centres, top + LINE, content, known, has_start)
    label = escape(describe(content, tree))
    height = top + LINE + MARGIN
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg class="colloc-tree" role="img" aria-label="{label}" {box}>{"".join(parts)}</svg>'


def describe(content: ContentWords, tree: Sequence[Branch]) -> str:
    """The tree in words, for those who do not see it.

    >>> describe(ContentWords(("dow", "fall"), (0, 1), 1), [Branch(0, 1, 7.5)])
    '1 collocation: dow – fall 7.5'
    """
    told = ", ".join(f"{content.words[b.left]} – {content.words[b.right]} {b.weight:.4g}" for b in tree)
    count = f"{len(tree)} collocation{'' if len(tree) == 1 else 's'}"
    return f"{count}: {told}" if told else count


def _centres(shown: Sequence[str]) -> tuple[list[int], int]:
    """The middle of each word on the line, and the width of the drawing."""
    centres, x = [], MARGIN
    for word in shown:
        wide = max(1, len(word)) * LETTER
        centres.append(x + wide // 2)
        x += wide + GAP
    return centres, x - GAP + MARGIN


def _levels(spans: Sequence[tuple[int, int]]) -> list[int]:
    """How high each arc must rise: one step above the highest arc that it encloses."""
    levels: dict[tuple[int, int], int] = {}
    for left, right in sorted(spans, key=lambda span: span[1] - span[0]):
        inside = [levels[a, b] for a, b in levels if left <= a and b <= right]
        levels[left, right] = 1 + max(inside, default=0)
    return [levels[span] for span in spans]


def _arc(x1: int, x2: int, top: int, level: int, branch: Branch, content: ContentWords) -> str:
    title = escape(f"{content.words[branch.left]} – {content.words[branch.right]}: {branch.weight:.6g}")
    middle, height = (x1 + x2) // 2, top - STEP * level
    strength = _text("colloc-strength", middle, height - 2, f"{branch.weight:.3g}")
    return f'<g class="colloc-branch"><title>{title}</title>{_path(x1, x2, top, level)}{strength}</g>'


def _text(css: str, x: int, y: int, text: str) -> str:
    return f'<text class="{css}" text-anchor="middle" x="{x}" y="{y}">{escape(text)}</text>'


def _path(x1: int, x2: int, top: int, level: int, css: str = "") -> str:
    height = top - STEP * level
    bend = min(STEP, (x2 - x1) // 2)
    line = f"M{x1} {top} Q{x1} {height} {x1 + bend} {height} L{x2 - bend} {height} Q{x2} {height} {x2} {top}"
    named = f'class="{css}" ' if css else ""
    return f'<path {named}fill="none" stroke="currentColor" d="{line}"/>'


def _words(
    shown: Sequence[str],
    centres: Sequence[int],
    y: int,
    content: ContentWords,
    known: Collection[str] | None,
    has_start: bool,
) -> list[str]:
    word_at = dict(zip(content.places, content.words, strict=True))
    parts = []
    for number, (text, x) in enumerate(zip(shown, centres, strict=True)):
        if number == 0:
            css = "colloc-start" if has_start else "colloc-other"
        elif (word := word_at.get(number - 1)) is None:
            css = "colloc-other"
        else:
            css = "colloc-word" if known is None or word in known else "colloc-unknown"
        parts.append(_text(css, x, y, text))
    return parts
