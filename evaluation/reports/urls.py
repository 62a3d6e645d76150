"""URLs of the reports: for each registered report a page, its plots and its tables, and the exports."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.reports import adjudication, evidence_sentence, views
from evaluation.reports.registry import load_reports


def _report_urls(kind: str) -> list[URLPattern]:
    root = f"{kind}s/<slug:slug>"
    patterns = [path(f"{root}/export/<slug:form>", views.export, {"kind": kind}, f"{kind}-export")]
    for report in load_reports().values():
        if kind not in report.scopes:
            continue
        kwargs = {"report": report, "kind": kind}
        base, name = f"{root}/{report.path}", f"{kind}-{report.path}"
        patterns.append(path(base, views.page, kwargs, name))
        if report.plots:
            patterns.append(path(f"{base}/plots/<slug:plot>.svg", views.plot, kwargs, f"{name}-plot"))
        if report.tables:
            patterns.append(path(f"{base}/<slug:table>.<slug:form>", views.table, kwargs, f"{name}-table"))
    return patterns


urlpatterns = [
    *_report_urls("task"),
    *_report_urls("campaign"),
    path("tasks/<slug:slug>/phenomena/tag", views.tag, {"kind": "task"}, "task-tag"),
    path("campaigns/<slug:slug>/phenomena/tag", views.tag, {"kind": "campaign"}, "campaign-tag"),
    path(
        "tasks/<slug:slug>/evidence/sentences/<number:position>",
        evidence_sentence.page,
        name="evidence-sentence",
    ),
    path("pairs/<number:pair>/adjudicate", adjudication.adjudicate, name="adjudicate"),
]
