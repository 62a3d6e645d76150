"""Navigation between the registered reports."""

from __future__ import annotations

from dataclasses import dataclass

from django import template
from django.urls import reverse
from django.utils.functional import Promise

from evaluation.reports.registry import AnyReport, load_reports

register = template.Library()


@dataclass(frozen=True, slots=True)
class NavigationLink:
    title: Promise | str
    url: str
    is_current: bool


@register.inclusion_tag("reports/_nav.html")
def report_nav(kind: str, slug: str, current: str = "") -> dict[str, list[NavigationLink]]:
    """Links to the main reports of a task or campaign; ``current`` is the report that is open."""
    reports = load_reports()
    section = reports[current].section if current in reports else ""
    return {"links": _link([r for r in reports.values() if r.section == r.name], kind, slug, section)}


@register.inclusion_tag("reports/_section_nav.html")
def section_nav(kind: str, slug: str, current: str) -> dict[str, list[NavigationLink]]:
    """Links to the reports of the section that ``current`` belongs to; none if it is alone there."""
    reports = load_reports()
    section = reports[current].section
    links = _link([r for r in reports.values() if r.section == section], kind, slug, current)
    return {"links": links if len(links) > 1 else []}


def _link(reports: list[AnyReport], kind: str, slug: str, current: str) -> list[NavigationLink]:
    return [
        NavigationLink(report.title, reverse(f"{kind}-{report.path}", args=[slug]), report.name == current)
        for report in reports
        if kind in report.scopes
    ]
