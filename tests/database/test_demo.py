"""The demonstration has something to show on every page that a visitor can open."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.db.models import Avg

from evaluation.models import Assessment, Assignment, Campaign, Job, PhrasePair, Task, User
from evaluation.reports.campaign_diff import ComparedScopes, compute_diff
from evaluation.reports.scope import get_study, load_scope
from evaluation.reports.stopping import apply_stopping_rule
from evaluation.study.disagreements import count_votes

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

    decisions = [
        one.decision.better for one in apply_stopping_rule(load_scope("task", task.slug)).system_pairs
    ]
    assert any(decisions)
    assert not all(decisions)

    first, second = (load_scope("campaign", slug) for slug in ("demo", "demo-2"))
    found = compute_diff(ComparedScopes(first, second, SYSTEMS))
    assert found.rejudged.pairs > found.rejudged.kept > 0
    assert any(line.change.paired and (line.p_holm or 1) < 0.05 for line in found.lines.wins)

    # Sides and the order of texts differ from site to site; what simulated people think of them does not.
    notes = get_study(load_scope("task", "market-notes"))
    texts = {
        pk: f"{one} / {other}" for pk, one, other in PhrasePair.objects.values_list("pk", "first", "second")
    }
    votes = zip(notes.pair_keys, count_votes(notes).tolist(), strict=True)
    said = {texts[int(key)]: row for key, row in votes}
    assert {text: said[text] for text in MARKET_NOTES} == MARKET_NOTES

    robin = User.objects.get(username="robin")  # who follows the quick start, from the first comparison on
    assert Task.objects.annotated_by(robin).count() == 5
    assert not Assignment.objects.filter(annotator__user=robin).exists()

    means = Assessment.objects.current().values_list("output__system__name").annotate(mean=Avg("score"))
    assert [name for name, _ in means.order_by("mean")] == ["tundra", "mesa", "fjord"]

    queued = Job.objects.values_list("kind", "owner__username")
    assert ("score", "manager") in set(queued)
