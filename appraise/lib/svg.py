"""SVG elements of plots: axes, grids, whiskers and marks, as text with classes of the style sheet."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from html import escape

from appraise.lib.resampling import Interval

Axis = Callable[[float], float]
"""Maps a value to its coordinate."""


def shorten(name: str, most: int) -> str:
    """Cut out the middle of a long name, because names of one family differ at their ends.

    >>> shorten("tundra", 15), shorten("transformer-big-2024", 15)
    ('tundra', 'transfo…ig-2024')
    """
    if len(name) <= most:
        return name
    end = (most - 1) // 2
    return f"{name[: most - 1 - end]}…{name[-end:]}"


# In units of the plot: on a phone a bold character takes twelve, and the names may take half of the width.
CHARACTER_WIDTH, NAME_MARGIN, MAX_NAME_WIDTH = 12, 16, 330


def axis_start(names: Sequence[str], least: int) -> int:
    """Return where the axis begins, to the right of the names."""
    longest = max(map(len, names), default=0)
    return max(least, min(CHARACTER_WIDTH * longest + NAME_MARGIN, MAX_NAME_WIDTH))


def add_name_label(name: str, start: int, y: float, *, ink: bool = False) -> str:
    shown = shorten(name, (start - NAME_MARGIN) // CHARACTER_WIDTH)
    return text(start - 12, y + 4, shown, anchor="end", ink=ink)


def axis(low: float, high: float, start: float, end: float) -> Axis:
    unit = (end - start) / (high - low if high > low else 1)
    return lambda value: start + (value - low) * unit


def round_ends(values: Sequence[float], step: float = 0.1) -> tuple[float, float]:
    """Return ends on the grid that contain all values; 0 and 1 without values.

    >>> round_ends([0.43, 0.68])
    (0.4, 0.7)
    """
    if not values:
        return 0.0, 1.0
    low = int(min(values) / step - (min(values) < 0)) * step
    high = (int(max(values) / step + (max(values) > 0)) or 1) * step
    return round(low, 6), round(high if high > low else low + step, 6)


def ticks(low: float, high: float, step: float = 0.1, parts: int = 8) -> list[float]:
    """Return round numbers between the ends, ``parts`` intervals at most; 0 is one of them if it is inside.

    >>> ticks(-0.3, 1.0)
    [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    round_steps = (step * digit * 10**zeros for zeros in itertools.count() for digit in (1, 2, 5))
    every = next(width for width in round_steps if high - low <= width * (parts + 0.01))
    first, last = math.ceil(low / every - 0.01), math.floor(high / every + 0.01)
    return [round(n * every, 6) for n in range(first, last + 1)]


def grid(
    low: float,
    high: float,
    x: Axis,
    top: float,
    bottom: float,
    label: float,
    step: float = 0.1,
    *,
    write: Callable[[str], str] = str,
) -> list[str]:
    """Return vertical lines with their numbers at the height ``label``; ``write`` localizes a number."""
    marks = []
    for tick in ticks(low, high, step):
        marks += [
            line("grid", x(tick), x(tick), top, bottom),
            text(x(tick), label, write(f"{tick:g}")),
        ]
    return marks


def whisker(interval: Interval | None, x: Axis, y: float) -> list[str]:
    if interval is None:
        return []
    low, high = x(interval[0]), x(interval[1])
    return [line("ci", low, high, y, y), *(line("ci", end, end, y - 6, y + 6) for end in (low, high))]


def text(x: float, y: float, text: str, *, anchor: str = "middle", ink: bool = False, kind: str = "") -> str:
    kind = "t-ink" if ink else kind
    attribute = f' class="{kind}"' if kind else ""
    return f'<text{attribute} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def rect(kind: str, x: float, y: float, width: float, height: float, radius: int = 3) -> str:
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size} rx="{radius}"/>'


def line(kind: str, x1: float, x2: float, y1: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def circle(kind: str, x: float, y: float, radius: int = 5) -> str:
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'
