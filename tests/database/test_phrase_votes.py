"""Metrics vote on phrase pairs; people's pages learn of it without knowing what a metric is."""

from __future__ import annotations

from typing import Any

import pytest

from evaluation.models import Comparison, PhrasePair, Task
from evaluation.schemes import Choice
from evaluation.voters import collect_votes
from metrics.models import MetricRun, PhraseVote
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task
from tests.database.conftest import make_task

REFERENCE = "Today the red house is small."


def sentence(**candidates: str) -> list[dict[str, Any]]:
    return [{"id": "s1", "source": "Heute.", "references": [REFERENCE], "candidates": candidates}]


def votes_on(task: Task, metric: str = "chrf") -> dict[tuple[str, str], Choice]:
    score_task(task, find_metrics([metric]))
    rows = PhraseVote.objects.filter(run__task=task, run__metric=metric)
    return {
        (first, second): Choice(choice)
        for first, second, choice in rows.values_list("pair__first", "pair__second", "choice")
    }


@pytest.mark.django_db
@pytest.mark.parametrize("metric", ["chrf", "wer", "ter", "bleu", "nist", "per"])
def test_the_wording_of_the_reference_wins_whatever_the_direction_of_the_metric(metric: str) -> None:
    task = make_task(
        sentences=sentence(x="Today the red house is small.", y="Today the crimson house is small.")
    )
    assert votes_on(task, metric) == {("crimson", "red"): Choice.B_BETTER}


@pytest.mark.django_db
def test_a_word_too_few_loses_against_the_word() -> None:
    task = make_task(sentences=sentence(x="Today the red house is small.", y="Today the house is small."))
    assert votes_on(task) == {("", "red"): Choice.B_BETTER}


@pytest.mark.django_db
def test_a_word_too_many_loses_against_nothing() -> None:
    task = make_task(
        sentences=sentence(x="Today the red house is small.", y="Today the very red house is small.")
    )
    assert votes_on(task) == {("", "very"): Choice.A_BETTER}


@pytest.mark.django_db
def test_a_phrase_in_its_place_wins_against_the_same_phrase_elsewhere() -> None:
    task = make_task(
        sentences=sentence(x="Today the red house is small.", y="the red house is small Today .")
    )
    score_task(task, find_metrics(["bleu"]))
    moved = PhrasePair.objects.get(task=task, kind=PhrasePair.Kind.MOVED)
    vote = PhraseVote.objects.get(pair=moved)
    occurrence = moved.occurrences.get()
    comparison = occurrence.alignment.comparison
    right_is_first = comparison.first.text.startswith("Today") != occurrence.flipped
    assert vote.choice == (Choice.A_BETTER if right_is_first else Choice.B_BETTER)
    assert (vote.delta > 0) == right_is_first


@pytest.mark.django_db
def test_two_words_that_a_metric_cannot_tell_apart_are_a_tie() -> None:
    task = make_task(
        sentences=sentence(x="Today the azure house is small.", y="Today the crimson house is small.")
    )
    assert votes_on(task, "wer") == {("azure", "crimson"): Choice.EQUAL}


def test_every_pair_gets_one_vote_of_each_metric_and_checks_get_none(db: None) -> None:
    task = make_task(checks=10)
    score_task(task, find_metrics(["chrf", "wer"]))
    ordinary = task.pairs.filter(owner__check_kind=Comparison.Check.NONE)
    for run in MetricRun.objects.all():
        assert set(run.votes.values_list("pair", flat=True)) == set(ordinary.values_list("pk", flat=True))


def test_registered_votes_reach_the_pages_of_people_in_one_query(
    task: Task, django_assert_num_queries: Any
) -> None:
    score_task(task, find_metrics(["wer", "chrf"]))
    pairs = list(task.pairs.values_list("pk", flat=True))
    with django_assert_num_queries(1):
        found = collect_votes([task.pk], pairs)
    assert set(found) == set(pairs)
    assert all([vote.voter for vote in votes] == ["chrf", "wer"] for votes in found.values())
    assert collect_votes([task.pk], pairs[:1]) == {pairs[0]: found[pairs[0]]}


def test_a_vote_is_the_surer_the_larger_its_difference(task: Task) -> None:
    score_task(task, find_metrics(["chrf"]))
    deltas = dict(MetricRun.objects.get().votes.values_list("pair_id", "delta"))
    sure = {pair: votes[0].confidence or 0.0 for pair, votes in collect_votes([task.pk]).items()}
    assert sorted(deltas, key=lambda pair: (abs(deltas[pair]), pair)) == sorted(
        sure, key=lambda pair: (sure[pair], pair)
    )
    assert min(sure.values()) == 0.0 < max(sure.values()) < 1.0


def test_only_the_newest_run_of_a_metric_votes(task: Task) -> None:
    score_task(task, find_metrics(["chrf"]))
    old = MetricRun.objects.get()
    MetricRun.objects.create(
        task=task, metric="chrf", signature=old.signature, higher_is_better=True, content="newer"
    )
    assert collect_votes([task.pk], list(task.pairs.values_list("pk", flat=True))) == {}
