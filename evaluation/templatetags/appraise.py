"""Template tags and filters for all pages."""

from __future__ import annotations

from functools import cache, lru_cache

from django import template
from django.conf.locale import LANG_INFO
from django.template import Context
from django.template.loader import render_to_string
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from evaluation import markup
from evaluation.presentation import Fragment
from evaluation.schemes import SCHEMES, Choice, Scheme

register = template.Library()

# Written from right to left unless the code names a script; Arabic and Persian have many codes.
RTL = {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "nqo", "ps", "sd", "sdh", "ug", "ur", "yi", "ydd"}
RTL |= {"acm", "acq", "aeb", "ajp", "apc", "ars", "ary", "arz", "azb", "bal", "pbt", "pes", "prs"}
RTL |= {"jpr", "jrb", "ota", "pal", "sam", "syc", "syr"}
RTL_SCRIPTS = {"adlm", "arab", "hebr", "mand", "nkoo", "rohg", "samr", "syrc", "thaa"}
# Languages of translation benchmarks that Django itself is not translated into.
FURTHER_LANGUAGES = {
    "am": gettext_lazy("Amharic"),
    "gu": gettext_lazy("Gujarati"),
    "ha": gettext_lazy("Hausa"),
    "iu": gettext_lazy("Inuktitut"),
    "ku": gettext_lazy("Kurdish"),
    "lo": gettext_lazy("Lao"),
    "mt": gettext_lazy("Maltese"),
    "ps": gettext_lazy("Pashto"),
    "si": gettext_lazy("Sinhala"),
    "so": gettext_lazy("Somali"),
    "tl": gettext_lazy("Tagalog"),
    "xh": gettext_lazy("Xhosa"),
    "yi": gettext_lazy("Yiddish"),
    "yo": gettext_lazy("Yoruba"),
    "yue": gettext_lazy("Cantonese"),
    "zh": gettext_lazy("Chinese"),
    "zu": gettext_lazy("Zulu"),
}
# The scale of paper 000, figure 3.1: the name and the description of each point.
RATING_WORDS = (
    (gettext_lazy("useless"), gettext_lazy("captures absolutely none of the meaning")),
    (gettext_lazy("poor"), gettext_lazy("contains a few key words, but little or no meaning")),
    (gettext_lazy("mediocre"), gettext_lazy("contains some meaning, but with serious errors")),
    (gettext_lazy("acceptable"), gettext_lazy("captures most of the meaning, with only small errors")),
    (gettext_lazy("human quality"), gettext_lazy("captures all of the meaning")),
)


@register.filter
def language_name(code: str) -> str:
    """``de-AT`` → German, in the reader's language; an unknown code stays as it is."""
    return _language_name(code, get_language() or "")


@register.filter
def time_left(minutes: int | None) -> str:
    """
    >>> time_left(40), time_left(1976), time_left(None)
    ('about 40 min left', 'about 33 h left', '')
    """
    if not minutes:
        return ""
    is_long = minutes >= 120
    said = _("about %(n)d h left") if is_long else _("about %(n)d min left")
    return said % {"n": round(minutes / 60) if is_long else minutes}


@cache
def _language_name(code: str, reader: str) -> str:
    tag = code.lower()
    while tag:
        info = LANG_INFO.get(tag, {})
        info = LANG_INFO.get(info.get("fallback", [tag])[0], info)
        if "name" in info:
            return str(_(info["name"]))
        if tag in FURTHER_LANGUAGES:
            return str(FURTHER_LANGUAGES[tag])
        tag = tag.rpartition("-")[0]
    return code


@register.filter
def direction(code: str) -> str:
    """Writing direction of a language, for ``dir`` on every sentence; a script in the code decides.

    >>> direction("ar"), direction("arz"), direction("uz-Arab"), direction("ku-Latn"), direction("de")
    ('rtl', 'rtl', 'rtl', 'ltr', 'ltr')
    """
    primary, *rest = code.lower().split("-")
    scripts = [part for part in rest if len(part) == 4 and part.isalpha()]
    return "rtl" if (scripts[0] in RTL_SCRIPTS if scripts else primary in RTL) else "ltr"


@register.filter
@cache
def lang_and_dir(code: str) -> SafeString:
    """Both attributes of a sentence in this language."""
    return format_html('lang="{}" dir="{}"', code, direction(code))


@register.filter
def symbol(choice: str) -> str:
    return markup.SYMBOLS[Choice(choice)]


@register.simple_tag
def scale(name: str, scheme: Scheme, chosen: str | None = None) -> SafeString:
    return markup.scale(name, scheme, chosen)


@register.simple_tag
def staff(fragments: list[Fragment]) -> SafeString:
    return markup.stave(fragments)


@register.simple_tag
def rating(name: str, side: str, chosen: str | None = None) -> SafeString:
    """A five-point rating of one candidate."""
    options = format_html_join(
        "",
        '<label class="rate"><input type="radio" name="{}" value="{}"{}>'
        "<span><b>{}</b><em>{}</em></span></label>",
        (
            (name, value, SafeString(" checked") if str(value) == chosen else "", value, word)
            for value, (word, _) in enumerate(RATING_WORDS, 1)
        ),
    )
    return format_html(
        '<div class="rates" role="radiogroup" aria-label="{}"><b aria-hidden="true">{}</b>{}</div>',
        side, side, options,
    )  # fmt: skip


@register.simple_tag
def rating_words() -> SafeString:
    """What the five points mean."""
    lines = format_html_join(
        "",
        "<div><dt>{} {}</dt><dd>{}</dd></div>",
        ((value, word, meaning) for value, (word, meaning) in enumerate(RATING_WORDS, 1)),
    )
    return format_html('<dl class="rate-words">{}</dl>', lines)


@register.simple_tag
def part(name: str, scheme: Scheme, steps: int = 0) -> SafeString:
    """A part of the page that only depends on scheme, number of steps and language; rendered once."""
    return _part(name, scheme.name, steps, get_language() or "")


@lru_cache(maxsize=64)
def _part(name: str, scheme_name: str, steps: int, reader: str) -> SafeString:
    return render_to_string(name, {"scheme": SCHEMES[scheme_name], "steps": steps})


@register.simple_tag(takes_context=True)
def turned(context: Context, key: str, number: int) -> str:
    """This page with one of its lists turned to another page; the other lists stay where they are."""
    query = context["request"].GET.copy()
    query[key] = str(number)
    return f"?{query.urlencode()}"


@register.filter
def enumeration(numbers: list[int]) -> str:
    """
    >>> enumeration([3, 4, 7])
    '3, 4 and 7'
    """
    head, last = numbers[:-1], numbers[-1:]
    if not head:
        return "".join(map(str, last))
    return _("%(head)s and %(last)s") % {"head": ", ".join(map(str, head)), "last": last[0]}
