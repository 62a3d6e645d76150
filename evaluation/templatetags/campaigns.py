"""Names and values of settings, on the page that reviews a change."""

from __future__ import annotations

from datetime import datetime

from django import template
from django.forms import BaseForm
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from evaluation.models import Task
from evaluation.templatetags.figures import MISSING, figure

register = template.Library()


@register.filter
def setting_name(name: str, form: BaseForm) -> str:
    return str(form.fields[name].label)


@register.filter
def setting_value(value: object) -> str:
    """Return a value as a person reads it; texts are shortened."""
    if isinstance(value, bool):
        return _("on") if value else _("off")
    if isinstance(value, datetime):
        return date_format(timezone.localtime(value), "SHORT_DATETIME_FORMAT")
    if isinstance(value, int):
        return figure(value)
    if value in Task.State.values:
        return str(Task.State(str(value)).label)
    text = str(value) if value else ""
    return f"{text[:60]}…" if len(text) > 60 else text or MISSING
