"""A template that is rendered once, with placeholders for what differs between requests.

The annotation page has some sixty template nodes, and resolving them cost as much as all its queries
together. All but two dozen values are the same for every page of a scheme and language. A ``Skeleton``
renders the ordinary Django template once for each such variant, with a marker at every placeholder, and from
then on only fills these in. It keeps nothing that belongs to a person: the values are given each time.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from html import escape

from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language


class Skeleton:
    """``template`` with placeholders ``places``: names that it uses as ``{{ name }}``, and nowhere else."""

    def __init__(self, template: str, *places: str) -> None:
        self.template = template
        self.places = places
        self._made: dict[tuple[Hashable, ...], str] = {}

    def fill(self, values: Mapping[str, object], **variant: Hashable) -> SafeString:
        """The page. Values are escaped unless marked safe; only ``variant`` may be used in template
        conditions."""
        key = (get_language(), *variant.values())
        skeleton = self._made.get(key)
        if skeleton is None:
            skeleton = self._made[key] = self._make(variant)
        return mark_safe(skeleton % {name: _safe(value) for name, value in values.items()})

    def _make(self, variant: Mapping[str, Hashable]) -> str:
        marks = {name: f"\x02{name}\x03" for name in self.places}
        context = {**variant, **{name: mark_safe(mark) for name, mark in marks.items()}}
        html: str = render_to_string(self.template, context).replace("%", "%%")
        for name, mark in marks.items():
            if mark not in html:
                raise ValueError(f"{self.template} has no place for {name}")
            html = html.replace(mark, f"%({name})s")
        return html


def _safe(value: object) -> str:
    return value if isinstance(value, SafeString) else escape(str(value))
