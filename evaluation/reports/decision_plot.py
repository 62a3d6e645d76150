"""The plot of the decision page: all answers as parts of a bar, and the lead with its interval."""

from __future__ import annotations

from django.utils.translation import gettext as _

from appraise.lib import svg
from appraise.lib.tables import Table
from evaluation.reports.plots import Plot
from evaluation.study.leads import SystemLead
from evaluation.web import numeral

WIDTH, TOP, HEIGHT, AXIS_Y = 720, 30, 52, 146
PARTS = ("n2", "n1", "z", "s1", "s2", "na")
NARROW = 26  # of a part that has no room for its number


def draw_decision(lead: SystemLead) -> Plot | None:
    """Draw how many of 100 answers prefer which system; None without answers."""
    if lead.lead is None:
        return None
    shares = [100 * n / lead.answers for n in lead.counts]
    names = {"first": lead.first, "second": lead.second}
    words = (
        _("much"), _("better"), _("equal"), _("better"), _("much"), _("N/A"),
    )  # fmt: skip
    marks, x = [], 0.0
    for part, share, word in zip(PARTS, shares, words, strict=True):
        width = WIDTH * share / 100
        if share:
            marks.append(svg.rect(part, x + 0.5, TOP, max(width - 1, 0.5), HEIGHT, 0))
        if width >= NARROW:
            marks.append(svg.text(x + width / 2, TOP + 31, f"{share:.0f}", kind=f"on-{part}"))
        if width >= 2 * NARROW and part not in ("z", "na"):
            marks.append(svg.text(x + width / 2, TOP + HEIGHT + 17, word))
        x += width
    marks.append(svg.text(0, 20, _share_text(lead.first, shares[0] + shares[1]), anchor="start", ink=True))
    marks.append(svg.text(WIDTH, 20, _share_text(lead.second, shares[3] + shares[4]), anchor="end", ink=True))
    marks += _draw_lead(lead)
    table = Table(
        _("answers"),
        (_("answer"), _("answers"), _("of 100")),
        tuple(
            (text % names, n, share)
            for text, n, share in zip(
                (_("%(first)s much better"), _("%(first)s better"), _("about equal"), _("%(second)s better"),
                 _("%(second)s much better"), _("cannot be compared")),
                lead.counts, shares, strict=True,
            )
        ),
    )  # fmt: skip
    label = _("Of 100 answers: %(first)s better %(wins)s, %(second)s better %(losses)s; lead %(lead)s") % {
        **names,
        "wins": f"{shares[0] + shares[1]:.0f}",
        "losses": f"{shares[3] + shares[4]:.0f}",
        "lead": numeral(f"{lead.lead * 100:.0f}"),
    }
    return Plot(label, WIDTH, 192, "".join(marks), table)


def _share_text(system: str, share: float) -> str:
    name = svg.shorten(system, 28)
    return _("%(system)s better: %(n)s of 100") % {"system": name, "n": f"{share:.0f}"}


def _draw_lead(lead: SystemLead) -> list[str]:
    value = 100 * (lead.lead or 0)
    ends = [100 * end for end in lead.interval or ()]
    low, high = svg.round_ends([value, 0.0, *ends], 10)
    x = svg.axis(low, high, 60, 660)
    marks = [svg.line("axis", 60, 660, AXIS_Y, AXIS_Y)]
    for tick in svg.ticks(low, high, 10, parts=8):
        marks += [
            svg.line("axis", x(tick), x(tick), AXIS_Y - (20 if not tick else 6), AXIS_Y + 6),
            svg.text(x(tick), AXIS_Y + 22, numeral(f"{tick:+.0f}" if tick else "0")),
        ]
    marks += svg.whisker((ends[0], ends[1]) if ends else None, x, AXIS_Y)
    marks.append(svg.circle("pt", x(value), AXIS_Y, 7))
    text = _("lead of %(system)s: %(n)s") % {
        "system": svg.shorten(lead.first, 28), "n": numeral(f"{value:.0f}"),
    }  # fmt: skip
    middle = min(max(x(value), 120), 600)
    return [*marks, svg.text(middle, AXIS_Y - 24, text, ink=True)]
