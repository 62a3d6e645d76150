"""Numbers as the reports print them: nothing known is “–”, and zero is a number like any other."""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from evaluation.reports.plots import Plot

register = template.Library()

MISSING = "–"


@register.filter
def figure(value: float | str | None, digits: int = 3) -> str:
    """
    >>> figure(0.0), figure(None), figure(-0.25, 2), figure(1234), figure("x")
    ('0.000', '–', '−0.25', '1,234', 'x')
    """
    if value is None or value == "":
        return MISSING
    if isinstance(value, str):
        return value
    text = f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}"
    return text.replace("-", "−")


@register.filter
def percent(value: float | None, digits: int = 0) -> str:
    """
    >>> percent(0.0), percent(None), percent(0.625)
    ('0%', '–', '62%')
    """
    return MISSING if value is None else f"{value:.{digits}%}"


@register.filter
def span(interval: tuple[float, float] | None, digits: int = 2) -> str:
    """
    >>> span((0.44, 0.481)), span(None)
    ('0.44 – 0.48', '–')
    """
    return MISSING if interval is None else f"{figure(interval[0], digits)} – {figure(interval[1], digits)}"


@register.filter
def percent_span(interval: tuple[float, float] | None) -> str:
    """
    >>> percent_span((0.5, 0.563))
    '50 – 56%'
    """
    return MISSING if interval is None else f"{interval[0] * 100:.0f} – {interval[1]:.0%}"


@register.filter
def probability(value: float | None) -> str:
    """
    >>> probability(0.00002), probability(0.0312), probability(None)
    ('< 0.001', '0.031', '–')
    """
    if value is None:
        return MISSING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def called(pseudonym: str, names: Mapping[str, str]) -> str:
    """The name behind a pseudonym, for those who may know it."""
    return names.get(pseudonym, pseudonym)


@register.simple_tag
def drawn(plot: Plot) -> SafeString:
    return format_html("{}", plot.svg)
