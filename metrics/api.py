"""API of the metrics app: stored scores, and scoring as a background job."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from evaluation.api.core import Slug, WriteAuth, scope_of, user_of
from metrics.scoring.jobs import begin_scoring
from metrics.scoring.queries import load_newest_runs, load_scores

router = Router(tags=["metrics"])


class ScoresOut(Schema):
    signature: str
    higher_is_better: bool
    corpus: dict[str, float | None]
    segments: dict[str, list[float | None]]


class ScoringIn(Schema):
    """Metrics by name, with parameters as in ``bleu:tokenize=intl``."""

    metrics: list[str] = Field(
        min_length=1,
        max_length=50,
        description="Names of metrics, as `score --list` prints them",
        examples=[["bleu", "chrf"]],
    )


class ScoringOut(Schema):
    job: str
    url: str


@router.get("/tasks/{slug}/scores", response=dict[str, ScoresOut], summary="Scores")
def scores(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """What the command ``score`` prints: for each metric, corpus scores and segments in the task's order."""
    task = scope_of(request, "tasks", slug).tasks[0]
    return load_scores(task, _run_names(task.pk))


@router.post(
    "/tasks/{slug}/scores", response={202: ScoringOut}, auth=WriteAuth(), summary="Score in the background"
)
def score(request: HttpRequest, slug: Slug, body: ScoringIn) -> Status[dict[str, str]]:
    """What was scored before is not scored again. A metric that does not exist answers 422."""
    job = begin_scoring(scope_of(request, "tasks", slug).tasks[0], body.metrics, user_of(request))
    return Status(202, {"job": str(job.pk), "url": job.get_absolute_url()})


def _run_names(task_id: int) -> dict[str, int]:
    """Return name → run; two signatures may share a name, so a later one gets a number: ``bleu (2)``."""
    names: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for run in load_newest_runs(task_id):
        counts[run.metric] += 1
        n = counts[run.metric]
        names[f"{run.metric} ({n})" if n > 1 else run.metric] = run.pk
    return names
