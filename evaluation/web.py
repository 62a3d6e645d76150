"""Helpers that views and templates of all activities share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import register_converter
from django.urls.converters import IntConverter
from django.utils.formats import get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from evaluation.models import Role, Task, User

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

# Right-to-left unless the code names another script; Arabic and Persian have many codes.
RTL = {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "sdh", "ug", "ur", "yi", "ydd"}
RTL |= {"acm", "acq", "aeb", "ajp", "apc", "ars", "ary", "arz", "azb", "bal", "pbt", "pes", "prs"}
RTL |= {"jpr", "jrb", "ota", "pal", "sam", "syc", "syr"}
RTL_SCRIPTS = {"adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"}


class NumberConverter(IntConverter):
    """A number in a URL that fits into any integer column; Django's own converter admits any number."""

    regex = "[0-9]{1,9}"


register_converter(NumberConverter, "number")


def get_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every caller is behind login_required
    return request.user


def get_researcher(request: HttpRequest) -> User:
    """Return the signed-in user, who must be allowed to read reports."""
    user = get_user(request)
    if not user.may_study:
        raise PermissionDenied
    return user


def get_managed_task(request: HttpRequest, slug: str) -> Task:
    """Return a task that the signed-in user manages; any other is a 404."""
    tasks = Task.objects.with_role(get_user(request), Role.MANAGER).select_related("campaign")
    return get_object_or_404(tasks.exclude(state=Task.State.IMPORTING), slug=slug)


def private_page(view: View) -> View:
    """GET only, for signed-in users, and never cached."""
    return login_required(never_cache(require_GET(view)))


def post_only(view: View) -> View:
    """POST only. No login redirect back to the URL, because it has no GET page."""
    return login_required(require_POST(view), redirect_field_name=None)


def attachment(name: str, content_type: str, content: str) -> HttpResponse:
    """Return a file to download, which no cache may keep."""
    return HttpResponse(
        content,
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


def text_direction(code: str) -> str:
    """Return the writing direction of a language code; a script subtag takes precedence.

    >>> [text_direction(code) for code in ("ar", "arz", "uz-Arab", "ku-Latn", "de")]
    ['rtl', 'rtl', 'rtl', 'ltr', 'ltr']
    """
    primary, *rest = code.lower().split("-")
    scripts = [part for part in rest if len(part) == 4 and part.isalpha()]
    return "rtl" if (scripts[0] in RTL_SCRIPTS if scripts else primary in RTL) else "ltr"


@cache
def lang_and_dir(code: str) -> SafeString:
    """Return the attributes ``lang`` and ``dir`` of a sentence in this language."""
    return format_html('lang="{}" dir="{}"', code, text_direction(code))


def numeral(text: str) -> str:
    """Return a number that Python formatted with the separators of the active language and a real minus sign.

    For text on pages only: files, JSON, form values, attributes and coordinates keep the point. A number that
    was rounded to zero has no sign.

    >>> numeral("1,234.5"), numeral("-0.25"), numeral("-0.00"), numeral("+0.001")
    ('1,234.5', '−0.25', '0.00', '+0.001')
    """
    if text[:1] in ("-", "+") and not text.strip("+-0.,"):
        text = text[1:]
    return text.translate(_separators(get_language() or ""))


@cache
def _separators(language: str) -> dict[int, str]:
    return str.maketrans(
        {
            ",": get_format("THOUSAND_SEPARATOR", lang=language, use_l10n=True),
            ".": get_format("DECIMAL_SEPARATOR", lang=language, use_l10n=True),
            "-": "−",
        }
    )
