"""Addresses of the reports: the same pages for a task and for a campaign."""

from __future__ import annotations

from django.urls import URLPattern, path

from evaluation.views import agreement, changes, disagreements, export, panel, phenomena, results, standing


def _pages(kind: str, place: str) -> list[URLPattern]:
    where = {"kind": kind}
    return [
        path(f"{place}/agreement", agreement.page, where, f"{kind}-agreement"),
        path(f"{place}/agreement/plots/<slug:name>.svg", agreement.plot, where, f"{kind}-agreement-plot"),
        path(f"{place}/agreement/<slug:name>.<slug:form>", agreement.table, where, f"{kind}-agreement-table"),
        path(f"{place}/results", results.page, where, f"{kind}-results"),
        path(f"{place}/results/plots/<slug:name>.svg", results.plot, where, f"{kind}-results-plot"),
        path(f"{place}/results/<slug:name>.<slug:form>", results.table, where, f"{kind}-results-table"),
        path(f"{place}/standing", standing.page, where, f"{kind}-standing"),
        path(f"{place}/standing/plots/<slug:name>.svg", standing.plot, where, f"{kind}-standing-plot"),
        path(f"{place}/standing/<slug:name>.<slug:form>", standing.table, where, f"{kind}-standing-table"),
        path(f"{place}/disagreements", disagreements.page, where, f"{kind}-disagreements"),
        path(
            f"{place}/disagreements/<slug:name>.<slug:form>",
            disagreements.table,
            where,
            f"{kind}-disagreements-table",
        ),
        path(f"{place}/phenomena", phenomena.page, where, f"{kind}-phenomena"),
        path(f"{place}/phenomena/plots/<slug:name>.svg", phenomena.plot, where, f"{kind}-phenomena-plot"),
        path(f"{place}/phenomena/<slug:name>.<slug:form>", phenomena.table, where, f"{kind}-phenomena-table"),
        path(f"{place}/panel", panel.page, where, f"{kind}-panel"),
        path(f"{place}/panel/plots/<slug:name>.svg", panel.plot, where, f"{kind}-panel-plot"),
        path(f"{place}/panel/<slug:name>.<slug:form>", panel.table, where, f"{kind}-panel-table"),
        path(f"{place}/changes", changes.page, where, f"{kind}-changes"),
        path(f"{place}/changes/<slug:name>.<slug:form>", changes.table, where, f"{kind}-changes-table"),
        path(f"{place}/export/<slug:form>", export.download, where, f"{kind}-export"),
    ]


urlpatterns = [
    *_pages("task", "tasks/<slug:slug>"),
    *_pages("campaign", "campaigns/<slug:slug>"),
    path("pairs/<int:pair>/adjudicate", disagreements.adjudicate, name="adjudicate"),
]
