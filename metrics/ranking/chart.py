"""ReliefF weights as a bar chart: an SVG string with classes only, so that the page's own style applies.

Classes: ``relieff`` (the figure), ``axis`` (the line at zero), ``bar``, ``bar negative``, ``name``, ``value``
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

ROW, LABEL, WIDTH, VALUE = 22, 160, 320, 70


def relieff_chart(weights: Mapping[str, float], title: str = "ReliefF weights of the features") -> str:
    """One bar per feature, best first; negative weights grow to the left of the line at zero.

    >>> relieff_chart({"unk": 0.02, "len": -0.01}).count('class="bar')
    2
    """
    rows = sorted(weights.items(), key=lambda row: -row[1])
    low, high = min([0.0, *weights.values()]), max([0.0, *weights.values()])
    scale = WIDTH / ((high - low) or 1.0)
    zero = LABEL - low * scale
    bars = "".join(_bar(place, name, weight, zero, scale) for place, (name, weight) in enumerate(rows))
    height, width = ROW * len(rows) + 4, LABEL + WIDTH + VALUE
    return (
        f'<svg class="relieff" role="img" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">'
        f"<title>{escape(title)}</title>{bars}"
        f'<line class="axis" x1="{zero:.1f}" y1="0" x2="{zero:.1f}" y2="{height}"/></svg>'
    )


def _bar(place: int, name: str, weight: float, zero: float, scale: float) -> str:
    top, length = place * ROW + 4, abs(weight) * scale
    left = zero if weight >= 0 else zero - length
    kind = "bar" if weight >= 0 else "bar negative"
    return (
        f'<text class="name" x="{LABEL - 8}" y="{top + 13}" text-anchor="end">{escape(name)}</text>'
        f'<rect class="{kind}" x="{left:.1f}" y="{top}" width="{length:.1f}" height="{ROW - 6}"/>'
        f'<text class="value" x="{LABEL + WIDTH + 8}" y="{top + 13}">{weight:+.4f}</text>'
    )
