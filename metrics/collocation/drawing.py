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

LETTER, GAP, LINE, STEP, MARGIN = 7, 10, 22, 18, 10  # px: width of a letter, gaps, height of words and arcs
FOOT = 3  # px: arcs to the left and to the right of a word stand apart
START = "<s>"


def draw(
    tokens: Sequence[str],
    content: ContentWords,
    tree: Sequence[Branch],
    *,
    known: Collection[str] | None = None,
    first_branch: bool = False,
    label: str = "",
) -> str:
    """The sentence with its tree; ``first_branch`` adds ``<s>`` and the arc from there to the first verb.

    ``known`` are the words that the table has (all of them when it is not given), ``label`` says the tree in
    words (in English when it is not given).

    >>> svg = draw(["Dow", "fell"], ContentWords(("dow", "fall"), (0, 1), 1), [Branch(0, 1, 7.5)])
    >>> svg.count("<path"), 'class="colloc-word"' in svg
    (1, True)
    """
    verb = content.first_verb if first_branch else None
    before = 0 if verb is None else 1  # <s> stands before the sentence
    shown = [*[START][:before], *tokens]
    centres, width = _centres(shown)
    places = [place + before for place in content.places]
    spans = [(places[b.left], places[b.right]) for b in tree] + ([] if verb is None else [(0, places[verb])])
    levels = _levels(spans)
    top = MARGIN + LINE + STEP * max(levels, default=0)
    arcs = [
        (centres[left] + FOOT, centres[right] - FOOT, top, level)
        for (left, right), level in zip(spans, levels, strict=True)
    ]
    parts = [_arc(*arc, branch, content) for arc, branch in zip(arcs, tree, strict=False)]
    parts += [_path(*arc, "colloc-start") for arc in arcs[len(tree) :]]
    parts += _words(shown, centres, top + LINE, content, known, before)
    said = escape(label or describe(content, tree))
    height = top + LINE + MARGIN
    box = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return f'<svg class="colloc-tree" role="img" aria-label="{said}" {box}>{"".join(parts)}</svg>'


def describe(content: ContentWords, tree: Sequence[Branch]) -> str:
    """The tree in words, for screen readers.

    >>> describe(ContentWords(("dow", "fall"), (0, 1), 1), [Branch(0, 1, 7.5)])
    '1 collocation: dow – fall 7.50'
    """
    count = f"{len(tree)} collocation{'' if len(tree) == 1 else 's'}"
    return f"{count}: {', '.join(in_words(content, tree))}" if tree else count


def in_words(content: ContentWords, tree: Sequence[Branch]) -> list[str]:
    """Each branch with its strength, the strongest first."""
    ordered = sorted(tree, key=lambda branch: -branch.weight)
    return [f"{content.words[b.left]} – {content.words[b.right]} {strength(b.weight)}" for b in ordered]


def strength(weight: float) -> str:
    """Three digits.

    >>> strength(11), strength(3.1623), strength(0.01234), strength(1234.5)
    ('11.0', '3.16', '0.0123', '1234')
    """
    return f"{weight:.0f}" if abs(weight) >= 100 else f"{weight:#.3g}"


def _centres(shown: Sequence[str]) -> tuple[list[int], int]:
    """The middle of each word on the line, and the width of the drawing."""
    centres, x = [], MARGIN
    for word in shown:
        wide = max(1, len(word)) * LETTER
        centres.append(x + wide // 2)
        x += wide + GAP
    return centres, x - GAP + MARGIN


def _levels(spans: Sequence[tuple[int, int]]) -> list[int]:
    """How high each arc must rise: one step above the highest shorter arc over a part of the same words.

    >>> _levels([(0, 2), (1, 3), (2, 3)])
    [1, 2, 1]
    """
    levels: dict[tuple[int, int], int] = {}
    for left, right in sorted(spans, key=lambda span: (span[1] - span[0], span)):
        below = [level for (a, b), level in levels.items() if a < right and left < b]
        levels[left, right] = 1 + max(below, default=0)
    return [levels[span] for span in spans]


def _arc(x1: int, x2: int, top: int, level: int, branch: Branch, content: ContentWords) -> str:
    title = escape(f"{content.words[branch.left]} – {content.words[branch.right]}: {branch.weight:.6g}")
    middle, height = (x1 + x2) // 2, top - STEP * level
    text = _text("colloc-strength", middle, height - 3, strength(branch.weight))
    return f'<g class="colloc-branch"><title>{title}</title>{_path(x1, x2, top, level)}{text}</g>'


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
    before: int,
) -> list[str]:
    word_at = dict(zip(content.places, content.words, strict=True))
    parts = []
    for number, (text, x) in enumerate(zip(shown, centres, strict=True)):
        if number < before:
            css = "colloc-start"
        elif (word := word_at.get(number - before)) is None:
            css = "colloc-other"
        else:
            css = "colloc-word" if known is None or word in known else "colloc-unknown"
        parts.append(_text(css, x, y, text))
    return parts
