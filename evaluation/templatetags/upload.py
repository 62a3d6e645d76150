"""Template tags of the upload page."""

from __future__ import annotations

from django import template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from evaluation.presentation import Fragment
from evaluation.templatetags.appraise import staff

register = template.Library()

ROLE_NAMES = {
    "items": _("detected from the content"),
    "source": _("source text"),
    "reference": _("reference"),
    "system": _("output of …"),
    "documents": _("document ids"),
    "alignments": _("word links"),
}


@register.filter
def role_name(role: str) -> str:
    return str(ROLE_NAMES[role])


@register.filter
def visible_tabs(excerpt: str) -> str:
    """Makes tabs visible: in a table, a missing or extra tab is usually the fault."""
    return excerpt.replace("\t", "⇥")


@register.simple_tag
def preview_staff(fragments: list[Fragment]) -> SafeString:
    """A stave as annotators see it, without the links to cards, since there are none."""
    html = staff(fragments).replace("<a class=", "<span class=").replace("</a>", "</span>")
    # Everything from the files is escaped already, so a tag in here can only be ours.
    return mark_safe(html)
