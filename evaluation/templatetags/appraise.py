"""The few things that templates cannot say themselves."""

from __future__ import annotations

from functools import cache

from django import template
from django.conf.locale import LANG_INFO
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evaluation.presentation import Fragment
from evaluation.reports.annotation import Question
from evaluation.schemes import Choice, Scheme

register = template.Library()

RTL = {"ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"}

SYMBOLS = {
    Choice.A_MUCH_BETTER: "A ≫ B",
    Choice.A_BETTER: "A > B",
    Choice.EQUAL: "A = B",
    Choice.B_BETTER: "A < B",
    Choice.B_MUCH_BETTER: "A ≪ B",
    Choice.NOT_APPLICABLE: "N/A",
}
# In a scheme without “much better”, “slightly” would promise a distinction that nobody can make.
FINE_WORDS = {
    Choice.A_MUCH_BETTER: gettext_lazy("A much better"),
    Choice.A_BETTER: gettext_lazy("A slightly better"),
    Choice.EQUAL: gettext_lazy("comparable"),
    Choice.B_BETTER: gettext_lazy("B slightly better"),
    Choice.B_MUCH_BETTER: gettext_lazy("B much better"),
    Choice.NOT_APPLICABLE: gettext_lazy("cannot compare"),
}
COARSE_WORDS = FINE_WORDS | {
    Choice.A_BETTER: gettext_lazy("A better"),
    Choice.B_BETTER: gettext_lazy("B better"),
}


def words(scheme: Scheme, choice: Choice) -> str:
    table = FINE_WORDS if Choice.A_MUCH_BETTER in scheme.choices else COARSE_WORDS
    return str(table[choice])


@register.filter
@cache
def language_name(code: str) -> str:
    """``de-AT`` → German; an unknown code stays as it is."""
    info = LANG_INFO.get(code.lower()) or LANG_INFO.get(code.lower().split("-")[0])
    return str(_(info["name"])) if info and "name" in info else code


@register.filter
def direction(code: str) -> str:
    """Writing direction of a language, for ``dir`` on every sentence."""
    return "rtl" if code.lower().split("-")[0] in RTL else "ltr"


@register.filter
def symbol(choice: str) -> str:
    return SYMBOLS[Choice(choice)]


@register.simple_tag
def scale(question: Question, scheme: Scheme) -> SafeString:
    """The radio buttons of one question. In Python: a template loop costs most of the page's time."""
    name = f"choice-{question.card.index}"
    return scale_of(name, scheme, question.choice)


@register.simple_tag
def scale_of(name: str, scheme: Scheme, chosen: str | None = None) -> SafeString:
    last = len(scheme.ordered)
    return format_html(
        '<div class="scale{}">{}</div>',
        " scale-4" if last == 3 else "",
        format_html_join(
            "",
            '<label class="opt{}"><input type="radio" name="{}" value="{}"{}><span>'
            '<i aria-hidden="true">{}</i><b aria-hidden="true">{}</b><em>{}</em></span></label>',
            (
                (
                    " opt-na"
                    if choice is Choice.NOT_APPLICABLE
                    else " opt-first"
                    if number == 1
                    else " opt-last"
                    if number == last
                    else "",
                    name,
                    choice.value,
                    SafeString(" checked") if choice == chosen else "",
                    number,
                    SYMBOLS[choice],
                    words(scheme, choice),
                )
                for number, choice in enumerate(scheme.choices, 1)
            ),
        ),
    )


@register.simple_tag
def staff(fragments: list[Fragment]) -> SafeString:
    """One stave: shared text quiet, each question a link to its card with chip and underline."""
    nothing = _("nothing")
    return SafeString("".join(_fragment(fragment, nothing) for fragment in fragments))


def _fragment(fragment: Fragment, nothing: str) -> str:
    number, text = fragment.number, fragment.text
    if number is None:
        return escape(fragment.space + text)
    if not fragment.asked:
        quiet = format_html('<span class="ph-quiet" data-kind="{}">{}</span>', LOOKS[fragment.kind], text)
        return escape(fragment.space) + (quiet if text else "")
    if not text:
        return format_html(
            '{}<a class="ph none p{}" href="#pair-{}" data-pair="{}" data-kind="gap">'
            '<span class="vh">{} </span><b class="chip" aria-hidden="true">{}</b>{}</a>',
            fragment.space,
            fragment.hue,
            number,
            number,
            _spoken(fragment),
            number,
            nothing,
        )
    return format_html(
        '{}<a class="ph p{}" href="#pair-{}" data-pair="{}" data-kind="{}"><span class="vh">{} </span>'
        '<span class="glue"><b class="chip" aria-hidden="true">{}{}</b>{}</span>{}</a>',
        fragment.space,
        fragment.hue,
        number,
        number,
        LOOKS[fragment.kind],
        _spoken(fragment),
        number,
        MARKS[fragment.kind],
        fragment.head,
        fragment.tail,
    )


def _spoken(fragment: Fragment) -> str:
    pair = _("Pair %(n)d") % {"n": fragment.number}
    if fragment.kind == "moved":
        return f"{pair}, {_('moved')}:"
    if fragment.kind != "sub" and fragment.text:
        return f"{pair}, {_('only here')}:"
    return f"{pair}:"


LOOKS = {"sub": "sub", "moved": "moved", "only-a": "gap", "only-b": "gap"}
MARKS = {"sub": "", "moved": " ⇄", "only-a": " +", "only-b": " +"}
RATING_WORDS = (
    gettext_lazy("unacceptable"),
    gettext_lazy("poor"),
    gettext_lazy("fair"),
    gettext_lazy("good"),
    gettext_lazy("perfect"),
)


@register.simple_tag
def rating(name: str, side: str, chosen: str | None = None) -> SafeString:
    """A five-point rating of one candidate."""
    options = format_html_join(
        "",
        '<label class="rate"><input type="radio" name="{}" value="{}"{}>'
        "<span><b>{}</b><em>{}</em></span></label>",
        (
            (name, value, SafeString(" checked") if str(value) == chosen else "", value, word)
            for value, word in enumerate(RATING_WORDS, 1)
        ),
    )
    return format_html(
        '<div class="rates" role="group" aria-label="{}"><b>{}</b>{}</div>', side, side, options
    )


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
