"""Format numbers in the language of the reader; a missing value is “–”, not zero.

Texts of pure modules are translated here too (``translate_text``).
"""

from __future__ import annotations

from collections.abc import Mapping

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from appraise.lib.tables import Table
from evaluation.jobs import localize_message
from evaluation.reports.plots import Plot
from evaluation.web import numeral

register = template.Library()

MISSING = "–"
TO = "\u00a0–\u2060\u00a0"  # both ends stay on one line, with a word joiner after the dash


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
    return numeral(f"{value:,}" if isinstance(value, int) else f"{value:.{digits}f}")


@register.filter
def is_number(value: object) -> bool:
    """Whether a cell of a table is right-aligned: a number, a text that begins like one, or no value.

    >>> is_number(0.5), is_number("12 (55%)"), is_number("−0.1 – 0.2"), is_number(None), is_number("fair")
    (True, True, True, True, False)
    """
    return value is None or isinstance(value, int | float) or str(value)[:1] in "0123456789−–"


@register.filter
def columns(table: Table) -> list[tuple[str, bool]]:
    """Each column with whether all of its cells are numbers; the first column names the rows.

    >>> columns(Table("t", ("system", "rank", "kind"), (("a", 1, "x"), ("b", None, "y"))))
    [('system', False), ('rank', True), ('kind', False)]
    """
    return [
        (name, place > 0 and all(is_number(row[place]) for row in table.rows))
        for place, name in enumerate(table.columns)
    ]


@register.filter
def signed(value: float | None, digits: int = 2) -> str:
    """A difference.

    >>> signed(0.25), signed(-0.25), signed(0.001), signed(None)
    ('+0.25', '−0.25', '0.00', '–')
    """
    return MISSING if value is None else numeral(f"{value:+.{digits}f}")


@register.filter
def percent(value: float | None, digits: int = 0) -> str:
    """
    >>> percent(0.0), percent(None), percent(0.625)
    ('0%', '–', '62%')
    """
    return MISSING if value is None else _per_cent(numeral(f"{value * 100:.{digits}f}"))


def _per_cent(text: str) -> str:
    return _("{n}%").replace("{n}", text)  # some languages put a space between


@register.filter
def span(interval: tuple[float, float] | None, digits: int = 2) -> str:
    """
    >>> span((0.44, 0.481)), span(None)
    ('0.44\\xa0–\\u2060\\xa00.48', '–')
    """
    return MISSING if interval is None else TO.join(figure(end, digits) for end in interval)


@register.filter
def percent_span(interval: tuple[float, float] | None, digits: int = 0) -> str:
    """
    >>> percent_span((0.5, 0.563)), percent_span((0.5, 0.563), 1)
    ('50\\xa0–\\u2060\\xa056%', '50.0\\xa0–\\u2060\\xa056.3%')
    """
    if interval is None:
        return MISSING
    return _per_cent(TO.join(numeral(f"{end * 100:.{digits}f}") for end in interval))


@register.filter
def breakable(signature: str) -> SafeString:
    """Allow line breaks between the parts of a signature.

    >>> breakable("chrf|v:<1>")
    'chrf|<wbr>v:&lt;1&gt;'
    """
    first, *others = signature.split("|")
    return format_html("{}{}", first, format_html_join("", "|<wbr>{}", ((part,) for part in others)))


@register.filter
def probability(value: float | str | None) -> str:
    """
    >>> probability(0.00002), probability(0.0312), probability(None), probability("")
    ('< 0.001', '0.031', '–', '–')
    """
    if value is None or isinstance(value, str):  # a template gives "" for what is not there
        return MISSING
    return "< " + numeral("0.001") if value < 0.001 else numeral(f"{value:.3f}")


@register.filter
def translate_text(text: str | None) -> str:
    """Translate a text of a pure module; “–” if there is none.

    ``scripts/catalogue.py`` collects these texts from the modules.

    >>> translate_text("fair"), translate_text(None)
    ('fair', '–')
    """
    return _(text) if text else MISSING


register.filter("job_message", localize_message)


@register.filter
def display_name(pseudonym: str, names: Mapping[str, str]) -> str:
    """Return the display name of a pseudonym, for users who may see it."""
    return names.get(pseudonym, pseudonym)


@register.simple_tag
def plot_svg(plot: Plot) -> SafeString:
    return format_html("{}", plot.svg)
