"""Template tags and filters for all pages."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from django import template
from django.conf import settings
from django.conf.locale import LANG_INFO
from django.template import Context
from django.template.base import NodeList, Parser, TextNode, Token
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext as _, gettext_lazy

from evaluation.models import Task
from evaluation.schemes import Choice, Scheme
from evaluation.tasks.problem_texts import name_language, translate_problem
from evaluation.tasks.queries.alignments import list_reported_pairs
from evaluation.templatetags.figures import translate_text
from evaluation.web import lang_and_dir, text_direction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evaluation.presentation import Card, Fragment

register = template.Library()

REPORTED_SHOWN = 5

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


class OneLineNode(template.Node):
    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist
        for node in nodelist.get_nodes_by_type(TextNode):
            assert isinstance(node, TextNode)
            node.s = re.sub(r"\n\s*", "", re.sub(r"\n\s*(?=[\w-]+=)", " ", node.s))

    def render(self, context: Context) -> SafeString:
        return self.nodelist.render(context)


@register.tag
def oneline(parser: Parser, token: Token) -> OneLineNode:
    """Join lines without spaces, where a space would show; an attribute at the start keeps its space."""
    nodelist = parser.parse(("endoneline",))
    parser.delete_first_token()
    return OneLineNode(nodelist)


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
    text = _("about %(n)d h left") if is_long else _("about %(n)d min left")
    return text % {"n": round(minutes / 60) if is_long else minutes}


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
def is_unchecked(code: str) -> bool:
    """Whether no speaker has read the pages in this language."""
    return code in settings.UNCHECKED_LANGUAGES


register.filter("problem_text", translate_problem)
register.filter("problem_language", name_language)
register.filter("direction", text_direction)
register.filter("lang_and_dir", lang_and_dir)


@register.filter
def symbol(choice: str) -> str:
    return Choice(choice).symbol


class Button(NamedTuple):
    """A choice of a scheme as a radio button; ``key`` is the digit that chooses it."""

    value: str
    key: int
    symbol: str
    words: str
    css: str


@register.filter
def buttons(scheme: Scheme) -> list[Button]:
    """The choices of a scheme in the reader's language."""
    return _buttons(scheme, get_language() or "")


@lru_cache(maxsize=64)
def _buttons(scheme: Scheme, reader: str) -> list[Button]:
    return [
        Button(
            column.option.choice.value,
            column.key,
            column.option.choice.symbol,
            translate_text(column.option.words),
            f"opt opt-{column.position}" if column.position else "opt",
        )
        for column in scheme.columns
    ]


@register.filter
def numbered(text: str, number: int) -> str:
    """
    >>> numbered("Pair {n}", 3)
    'Pair 3'
    """
    return text.replace("{n}", str(number))


class Mark(NamedTuple):
    """A difference in a sentence as plain texts, with what is ``before`` it; the last one may only have that.

    ``number`` is 0 for a difference that is not asked here, and ``why`` says why not.
    """

    before: str
    number: int = 0
    css: str = ""
    kind: str = ""
    label: str = ""
    chip: str = ""
    head: str = ""
    tail: str = ""
    why: str = ""


LOOKS = {"moved": gettext_lazy("moved"), "gap": gettext_lazy("only here")}


@register.filter
def marks(fragments: Iterable[Fragment]) -> list[Mark]:
    """Return what a template shows of a sentence: it only loops over texts, which is fast."""
    pair = _("Pair {n}")
    shown: list[Mark] = []
    before = ""
    for fragment in fragments:
        before += fragment.space
        if fragment.asked:
            n, look, text = fragment.number or 0, fragment.look, fragment.text
            css = f"ph p{fragment.hue}" if text else f"ph none p{fragment.hue}"
            label = pair.replace("{n}", str(n))
            if text and look in LOOKS:
                label += f", {LOOKS[look]}"
            chip = f"{n}{fragment.mark}" if text else str(n)
            shown.append(Mark(before, n, css, look, f"{label}: ", chip, fragment.head, fragment.tail))
            before = ""
        elif fragment.number and fragment.text:
            shown.append(Mark(before, head=fragment.text, why=_explain(fragment)))
            before = ""
        else:
            before += fragment.text
    return [*shown, Mark(before)]


def _explain(fragment: Fragment) -> str:
    """Return why a difference is not asked here."""
    if fragment.look == "moved":
        return _("Moved; not ranked here")
    if fragment.elsewhere:
        return _("Ranked in comparison %(n)s") % {"n": fragment.elsewhere}
    return _("Ranked in another comparison") if fragment.elsewhere == 0 else _("Not ranked")


@register.filter
def legend(card: Card) -> str:
    """Return the name of a card for screen readers: “Pair 3, two places: A “had put”, B “installed””."""
    a, b = (_("“{text}”").replace("{text}", text) if text else _("nothing") for text in (card.a, card.b))
    places = ", " + _("two places") if card.has_two_places else ""
    return f"{_('Pair {n}').replace('{n}', str(card.number))}{places}: A {a}, B {b}"


KINDS = {
    "moved": ("⇄", gettext_lazy("moved")),
    "only-a": ("+", gettext_lazy("only in A")),
    "only-b": ("+", gettext_lazy("only in B")),
}


@register.filter
def tags(card: Card) -> list[str]:
    """Return what is unusual about a question, in words."""
    words = []
    if card.kind in KINDS:
        sign, kind = KINDS[card.kind]
        words.append(f"{sign} {kind}")
    if card.has_two_places:
        words.append("… " + _("two places"))
    if card.is_whole:
        words.append(_("whole sentence"))
    return words


@register.simple_tag
def rating_words() -> tuple[tuple[str, str], ...]:
    """Return name and description of the five points of a rating."""
    return tuple([(str(word), str(meaning)) for word, meaning in RATING_WORDS])


@register.simple_tag(takes_context=True)
def page_query(context: Context, key: str, number: int) -> str:
    """Return the query string for another page of one list; the other lists keep their page."""
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


ROLE_NAMES = {
    "items": gettext_lazy("detected from the content"),
    "source": gettext_lazy("source text"),
    "reference": gettext_lazy("reference"),
    "system": gettext_lazy("output of …"),
    "documents": gettext_lazy("document ids"),
    "alignments": gettext_lazy("word links"),
}


@register.filter
def role_name(role: str) -> str:
    return str(ROLE_NAMES[role])


@register.filter
def visible_tabs(excerpt: str) -> str:
    """Make tabs visible: a missing or extra tab is the usual problem of a table."""
    return excerpt.replace("\t", "⇥")


@register.inclusion_tag("evaluation/_alignments.html", takes_context=True)
def reported_alignments(context: dict[str, Any], task: Task) -> dict[str, Any]:
    """Show the first reported alignments of a task, on a page of its managers."""
    pairs = list_reported_pairs(task)
    return {
        "task": task,
        "reported_pairs": pairs[:REPORTED_SHOWN],
        "more": max(0, len(pairs) - REPORTED_SHOWN),
        "attributes": lang_and_dir(task.target_language),
        "csrf_token": context.get("csrf_token"),
    }
