"""One sentence of a task: every output, and its score by each metric."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from evaluation.models import Item, Task
from evaluation.reports.views import report_context, scope_of
from metrics.models import MetricRun, SegmentScore
from metrics.scoring.queries import load_newest_runs


@dataclass(frozen=True, slots=True)
class OutputLine:
    systems: str
    text: str
    scores: list[float | None]


@dataclass(frozen=True, slots=True)
class ItemPage:
    item: Item
    runs: list[MetricRun]
    outputs: list[OutputLine]
    previous: int | None
    following: int | None


def item_page(task: Task, position: int) -> ItemPage | None:
    """Return the item at a position, if there is one. Five queries, for any number of systems and metrics."""
    near = Item.objects.filter(task=task, position__in=[position - 1, position, position + 1])
    items = {item.position: item for item in near}
    if position not in items:
        return None
    item = items[position]
    runs = load_newest_runs(task.pk)
    scores = {
        (candidate, run): value
        for candidate, run, value in SegmentScore.objects.filter(
            run__in=[run.pk for run in runs], output__item=item
        ).values_list("output__candidate_id", "run_id", "value")
    }
    systems: dict[int, list[str]] = {}
    texts: dict[int, str] = {}
    rows = item.outputs.order_by("system__name")
    for candidate, text, system in rows.values_list("candidate_id", "candidate__text", "system__name"):
        systems.setdefault(candidate, []).append(system)
        texts[candidate] = text
    lines = [
        OutputLine(", ".join(names), texts[candidate], [scores.get((candidate, run.pk)) for run in runs])
        for candidate, names in systems.items()
    ]
    return ItemPage(
        item,
        runs,
        lines,
        position - 1 if position - 1 in items else None,
        position + 1 if position + 1 in items else None,
    )


@login_required
@require_GET
def page(request: HttpRequest, slug: str, position: int) -> HttpResponse:
    scope = scope_of(request, "task", slug)
    task = scope.tasks[0]
    summary = item_page(task, position)
    if summary is None:
        raise Http404(f"no item {position}")
    context = {**report_context(request, scope), "task": task, "page": summary}
    return render(request, "metrics/item.html", context)
