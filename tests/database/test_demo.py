"""The demonstration has something to show on every page that a visitor can open."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from evaluation.models import Campaign, Job, Task
from evaluation.reports import memo
from evaluation.reports.changes import Asked, compared
from evaluation.reports.scope import meetings_of, study_of, whole_scope
from evaluation.reports.selection import selection_page, weighted_results
from evaluation.reports.standing import standing

SYSTEMS = ("tundra", "tundra-2")


@pytest.mark.slow
@pytest.mark.django_db
def test_the_demonstration_has_something_to_show_everywhere() -> None:
    memo.forget()
    call_command("demo", verbosity=0)
    assert all(Campaign.objects.values_list("invented", flat=True))
    task = Task.objects.get(slug="second-round")

    drawn = selection_page(task)
    assert task.selection == Task.Selection.ORDER
    assert drawn.weights is not None
    assert drawn.weights[0] < 1 < drawn.weights[1]
    scope = whole_scope("task", task.slug)
    weighted = weighted_results([task], study_of(scope), meetings_of(scope))
    assert weighted is not None
    assert weighted["fjord"].expected_wins is not None

    decisions = [one.decision.better for one in standing(scope).versus]
    assert any(decisions)
    assert not all(decisions)

    first, second = (whole_scope("campaign", slug) for slug in ("demo", "demo-2"))
    found = compared(Asked(first, second, SYSTEMS))
    assert found.rejudged.pairs > found.rejudged.kept > 0
    assert any(line.change.paired and (line.p_holm or 1) < 0.05 for line in found.changes.wins)

    queued = Job.objects.values_list("kind", "owner__username")
    assert {("replicate", "manager"), ("replicate", "researcher"), ("score", "manager")} <= set(queued)
