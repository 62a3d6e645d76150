"""The demonstration has something to show on every page that a visitor can open."""

from __future__ import annotations

import pytest
from django.core.management import call_command

from evaluation.models import Campaign, Job, PhrasePair, Task
from evaluation.reports.changes import Asked, compared
from evaluation.reports.scope import meetings_of, study_of, whole_scope
from evaluation.reports.selection import selection_page, weighted_results
from evaluation.reports.standing import standing
from evaluation.study.disputes import vote_counts

SYSTEMS = ("tundra", "tundra-2")
MARKET_NOTES = {  # votes from A>>B to N/A
    "moves / pulls": [1, 0, 1, 0, 0, 0],
    "moves / will move": [0, 0, 1, 1, 0, 0],
    "dealers / traders": [0, 0, 0, 1, 1, 0],
    " / o'clock": [1, 1, 0, 0, 0, 0],
    "clock / o'clock": [0, 0, 1, 0, 1, 0],
}


@pytest.mark.slow
@pytest.mark.django_db
def test_the_demonstration_has_something_to_show_everywhere() -> None:
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

    # Sides and the order of texts differ from site to site; what simulated people think of them does not.
    notes = study_of(whole_scope("task", "market-notes"))
    texts = {
        pk: f"{one} / {other}" for pk, one, other in PhrasePair.objects.values_list("pk", "first", "second")
    }
    votes = zip(notes.pair_keys, vote_counts(notes).tolist(), strict=True)
    said = {texts[int(key)]: row for key, row in votes}
    assert {text: said[text] for text in MARKET_NOTES} == MARKET_NOTES

    queued = Job.objects.values_list("kind", "owner__username")
    assert {("replicate", "manager"), ("replicate", "researcher"), ("score", "manager")} <= set(queued)
