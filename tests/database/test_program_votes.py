"""A program answers the questions of a task: all votes are stored, or nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evaluation.models import PhrasePair, Task
from evaluation.schemes import Choice
from evaluation.voters import collect_votes
from metrics.models import MetricRun, PhraseVote, SegmentScore
from metrics.programs.declarations import ProgramDeclaration
from metrics.programs.metric import ProgramJudge, ProgramMetric
from metrics.scoring.services.runs import RunState, score_task
from tests.database.conftest import make_task

STUB = str(Path(__file__).parents[1] / "programs" / "stub.py")


def declare(**values: object) -> ProgramDeclaration:
    about = {"command": (sys.executable, STUB), "version": "1", "timeout": 5.0}
    return ProgramDeclaration("stub", **(about | values))  # type: ignore[arg-type]


def make_words_task(**candidates: str) -> Task:
    return make_task(sentences=[{"id": "s1", "source": "Heute.", "candidates": candidates}])


@pytest.mark.django_db
def test_a_judge_votes_on_every_question_and_has_no_scores() -> None:
    task = make_words_task(x="Today the red house is small.", y="Today the crimson house is tiny.")
    judge = ProgramJudge(declare(answers="choices"))
    (outcome,) = score_task(task, {"stub": judge})
    assert outcome.state is RunState.SCORED
    votes = PhraseVote.objects.filter(run=outcome.run)
    assert votes.count() == PhrasePair.objects.filter(task=task).count() > 0
    longer_wins = {("crimson", "red"): Choice.A_BETTER, ("small", "tiny"): Choice.A_BETTER}
    stored = {(vote.pair.first, vote.pair.second): Choice(vote.choice) for vote in votes}
    assert stored == longer_wins
    assert set(SegmentScore.objects.values_list("value", flat=True)) == {None}
    assert {vote.voter for found in collect_votes([task.pk]).values() for vote in found} == {"stub"}
    (again,) = score_task(task, {"stub": judge})
    assert again.state is RunState.EXISTING


@pytest.mark.django_db
def test_a_program_that_fails_stores_nothing() -> None:
    task = make_words_task(x="crash the red house.", y="Today the crimson house.")
    (outcome,) = score_task(task, {"stub": ProgramMetric(declare(batch=1))})
    assert outcome.state is RunState.REFUSED
    assert "crash: out of memory" in outcome.reason
    assert not MetricRun.objects.exists()
    assert not SegmentScore.objects.exists()
