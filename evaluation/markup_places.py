"""The cards of the page that ranks places, in Python for the reason that ``markup`` gives: a page has a
hundred radio buttons, and a template takes four times as long to loop over them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from evaluation.markup import report_box
from evaluation.reports.places import PlaceCard, ShownVariant


def place_cards(
    cards: Iterable[PlaceCard], *, attributes: str, missing: Container[int], reports: bool = False
) -> SafeString:
    """One fieldset per place, with a row of radio buttons for each variant; where nobody would read
    ``reports``, none can be made."""
    made, report = [], _report(get_language() or "")
    title, nothing = escape(_("Place {n}")), f'<span class="nothing">{escape(_("nothing here"))}</span>'
    for card in cards:
        n, place = card.number, card.place
        gap = " is-missing" if n in missing else ""
        made.append(
            f'<fieldset class="card places p{card.hue}{gap}" id="pair-{n}" data-card="{n}"'
            f' data-phrase="{place}">\n'
            f'<legend class="vh">{title.replace("{n}", str(n))}</legend>'
            f'<input type="hidden" name="place" value="{place}">'
            f'<input type="hidden" name="variants-{place}" value="{len(card.variants)}">'
            f'<input type="hidden" name="uuid-{place}" value="{card.uuid}">'
            f'<input type="hidden" name="base-{place}" value="{card.version}">'
            f'<b class="chip" aria-hidden="true">{n}</b><div class="variants">'
        )
        made += [_row(card, variant, attributes, nothing) for variant in card.variants]
        made.append("</div>" + (report % {"n": n, "index": place} if reports else "") + "</fieldset>\n")
    return mark_safe("".join(made))  # made of numbers, translations and escaped texts


def _row(card: PlaceCard, variant: ShownVariant, attributes: str, nothing: str) -> str:
    text = f"<span {attributes}>{escape(variant.text)}</span>" if variant.text else nothing
    name = f"v-{card.number}-{variant.number}"
    steps = _steps(len(card.steps), get_language() or "").replace(
        "NAME", f"step-{card.place}-{variant.number}"
    )
    if variant.step is not None:
        value = f'value="{variant.step}"'
        steps = steps.replace(value, value + " checked")
    return (
        f'<div class="variant" role="radiogroup" aria-labelledby="{name}"><div class="side" id="{name}">'
        f'<b>{variant.letter}</b>{text}</div><div class="steps">{steps}</div></div>\n'
    )


@lru_cache(maxsize=16)
def _report(language: str) -> str:
    reasons = (
        ("unrelated", _("These variants do not belong together")),
        ("cut", _("The variants are cut in the wrong place")),
    )
    return report_box(_("What is wrong with place {n}?"), reasons)


@lru_cache(maxsize=64)
def _steps(count: int, language: str) -> str:
    """The radio buttons of one variant; NAME and the chosen one are filled in."""
    best = f'<span class="vh"> {escape(_("best"))}</span>'
    return "".join(
        f'<label class="step{"" if step else " step-na"}"><input type="radio" name="NAME" value="{step}">'
        f"<span>{step or 'N/A'}{best if step == 1 else ''}</span></label>"
        for step in (*range(1, count + 1), 0)
    )
