"""The annotation page's HTML that is written a dozen times per page.

In Python rather than in templates, where looping over radio buttons took three quarters of the page's time.
What is the same for every card of a scheme and language is made once; the rest is escaped and filled in.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from html import escape  # for plain strings: Django's own also handles lazy ones and takes four times as long

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from evaluation.presentation import Fragment, hue
from evaluation.reports.alignments import REASONS
from evaluation.reports.annotation import Question
from evaluation.schemes import SCHEMES, Choice, Scheme

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
LOOKS = {"sub": "sub", "moved": "moved", "only-a": "gap", "only-b": "gap"}
MARKS = {"sub": "", "moved": " ⇄", "only-a": " +", "only-b": " +"}


def words(scheme: Scheme, choice: Choice) -> str:
    """The plain words beside a symbol."""
    table = FINE_WORDS if Choice.A_MUCH_BETTER in scheme.choices else COARSE_WORDS
    return str(table[choice])


# --- radio buttons --------------------------------------------------------------------------------------


def scale(name: str, scheme: Scheme, chosen: str | None = None) -> SafeString:
    """The choices of a scheme as radio buttons; ``name`` must need no escaping."""
    html = _scale(scheme.name, get_language() or "").replace("NAME", name)
    if chosen:
        value = f'value="{escape(chosen)}"'
        html = html.replace(value, value + " checked")
    return mark_safe(html)  # made of constants, translations and an escaped label


@lru_cache(maxsize=64)
def _scale(scheme_name: str, language: str) -> str:
    scheme = SCHEMES[scheme_name]
    last = len(scheme.ordered)
    options = "".join(
        f'<label class="opt{_place(choice, number, last)}"><input type="radio" name="NAME"'
        f' value="{escape(choice.value)}"><span><i aria-hidden="true">{number}</i>'
        f'<b aria-hidden="true">{escape(SYMBOLS[choice])}</b><em>{escape(words(scheme, choice))}</em>'
        "</span></label>"
        for number, choice in enumerate(scheme.choices, 1)
    )
    return f'<div class="scale{" scale-4" if last == 3 else ""}">{options}</div>'


def _place(choice: Choice, number: int, last: int) -> str:
    if choice is Choice.NOT_APPLICABLE:
        return " opt-na"
    return " opt-first" if number == 1 else " opt-last" if number == last else ""


# --- cards ------------------------------------------------------------------------------------------------


def cards(
    questions: Iterable[Question], scheme: Scheme, *, attributes: str, missing: Iterable[int]
) -> SafeString:
    """One fieldset per question. ``attributes`` are ``lang`` and ``dir`` of the judged text."""
    template = _card(get_language() or "")
    gaps = set(missing)
    opening, closing = _("“{text}”").split("{text}")
    nothing, unsaid = f'<span class="nothing">{escape(_("nothing here"))}</span>', escape(_("nothing"))
    tags = {kind: tag and f'<span class="tag">{escape(tag)}</span>' for kind, tag in _tags().items()}
    made = []
    for question in questions:
        card = question.card
        a, b = escape(card.a), escape(card.b)
        made.append(
            template
            % {
                "n": card.number,
                "index": card.index,
                "hue": hue(card.number),
                "missing": " is-missing" if card.number in gaps else "",
                "version": question.version,
                "uuid": question.uuid,
                "spoken_a": opening + a + closing if a else unsaid,
                "spoken_b": opening + b + closing if b else unsaid,
                "a": f"<span {attributes}>{a}</span>" if a else nothing,
                "b": f"<span {attributes}>{b}</span>" if b else nothing,
                "tag": tags[card.kind],
                "scale": scale(f"choice-{card.index}", scheme, question.choice),
            }
        )
    return mark_safe("".join(made))  # every text above is escaped


def _tags() -> dict[str, str]:
    return {
        "sub": "",
        "moved": f"⇄ {_('moved')}",
        "only-a": f"+ {_('only in A')}",
        "only-b": f"+ {_('only in B')}",
    }


@lru_cache(maxsize=16)
def _card(language: str) -> str:
    """A card with places for what differs; per cent signs of translations are doubled."""
    reasons = [(reason.value, str(text)) for reason, text in REASONS.items()]
    pair = escape(_("Pair {n}")).replace("{n}", "%(n)d")
    return (
        '<fieldset class="card p%(hue)d%(missing)s" id="pair-%(n)d" data-card="%(n)d"'
        ' data-phrase="%(index)d" data-base="%(version)d">\n'
        f'<legend class="vh">{pair}: A %(spoken_a)s, B %(spoken_b)s</legend>\n'
        '<input type="hidden" name="phrase" value="%(index)d">'
        '<input type="hidden" name="uuid-%(index)d" value="%(uuid)s">'
        '<input type="hidden" name="base-%(index)d" value="%(version)d">\n'
        '<div class="card-top"><span class="card-n"><b class="chip" aria-hidden="true">%(n)d</b></span>'
        '<div class="side"><b>A</b>%(a)s</div><div class="side"><b>B</b>%(b)s</div>'
        '<div class="card-end">%(tag)s</div></div>\n'
        "%(scale)s\n" + report_box(_("What is wrong with pair {n}?"), reasons) + "</fieldset>\n"
    )


def report_box(question: str, reasons: Iterable[tuple[str, str]]) -> str:
    """The box for reporting a wrong alignment, with placeholders for the card's number and index."""

    def said(text: str) -> str:
        return escape(text).replace("%", "%%")

    options = "".join(
        f'<label><input type="radio" form="report" name="reason-%(index)d" value="{value}">'
        f" {said(text)}</label>\n"
        for value, text in reasons
    )
    return (
        f'<details class="report"><summary>⚑ {said(_("Report alignment"))}</summary><div class="report-box">'
        f'<div role="radiogroup" aria-labelledby="rep-h-%(n)d"><b id="rep-h-%(n)d">'
        f"{said(question).replace('{n}', '%(n)d')}</b>\n{options}</div>\n"
        f'<div><label class="vh" for="rep-t-%(n)d">{said(_("Note"))}</label><textarea id="rep-t-%(n)d"'
        f' form="report" name="note-%(index)d" maxlength="2000"'
        f' placeholder="{said(_("Note (optional)"))}"></textarea>\n'
        f'<p class="fine">{said(_("Your answer stays as it is. The organiser sees the report."))}</p>'
        '<button class="btn btn-small" form="report" name="phrase" value="%(index)d">'
        f"{said(_('Send report'))}</button></div></div></details>\n"
    )


# --- staves ----------------------------------------------------------------------------------------------


def stave(fragments: Iterable[Fragment]) -> SafeString:
    """One side: shared text quiet, each question a link to its card with chip and underline."""
    nothing, pair = escape(_("nothing")), _("Pair {n}")
    here, moved = _("only here"), _("moved")
    ours = f'lang="{get_language() or ""}"'  # our own words stand inside a sentence of another language
    made: list[str] = []
    for fragment in fragments:
        number, text = fragment.number, escape(fragment.text)
        space = escape(fragment.space)
        if number is None:
            made.append(space + text)
        elif not fragment.asked:
            quiet = f'<span class="ph-quiet" data-kind="{LOOKS[fragment.kind]}">{text}</span>'
            made.append(space + (quiet if text else ""))
        else:
            spoken = pair.replace("{n}", str(number))
            if fragment.kind == "moved":
                spoken += f", {moved}"
            elif fragment.kind != "sub" and text:
                spoken += f", {here}"
            link = f'href="#pair-{number}" data-pair="{number}"'
            said = f'<span class="vh" {ours}>{escape(spoken)}: </span>'
            made.append(
                f'{space}<a class="ph p{hue(number)}" {link} data-kind="{LOOKS[fragment.kind]}">{said}'
                f'<span class="glue"><b class="chip" aria-hidden="true">{number}{MARKS[fragment.kind]}</b>'
                f"{escape(fragment.head)}</span>{escape(fragment.tail)}</a>"
                if text
                else f'{space}<a class="ph none p{hue(number)}" {link} {ours} data-kind="gap">{said}'
                f'<b class="chip" aria-hidden="true">{number}</b>{nothing}</a>'
            )
    return mark_safe("".join(made))  # every text above is escaped
