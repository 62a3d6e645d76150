"""Scores by API: what metrics said, how well they agree with people, and scoring as a background job."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from evaluation.api import Slug, WriteAuth, scope_of, user_of
from metrics.jobs import begin_scoring
from metrics.reports.compare import comparison
from metrics.reports.runs import newest_runs
from metrics.reports.scores import task_scores
from metrics.sidebyside import Interval

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


class ComparisonOut(Schema):
    """A metric beside people; what cannot be known is null."""

    metric: str
    signature: str
    same_side: float | None
    same_side_ci: Interval | None
    pairs: int
    decided: float | None
    kappa_prime: float | None
    pearson: float | None
    tau: float | None
    tau_ci: Interval | None
    system_rho: float | None


@router.get("/tasks/{slug}/scores", response=dict[str, ScoresOut], summary="Scores")
def scores(request: HttpRequest, slug: Slug) -> dict[str, Any]:
    """What the command ``score`` prints: for each metric, corpus scores and segments in the task's order."""
    task = scope_of(request, "tasks", slug).tasks[0]
    return task_scores(task, {_name(run.metric, n): run.pk for n, run in _numbered(task.pk)})


@router.post(
    "/tasks/{slug}/scores", response={202: ScoringOut}, auth=WriteAuth(), summary="Score in the background"
)
def score(request: HttpRequest, slug: Slug, wanted: ScoringIn) -> Status[dict[str, str]]:
    """What was scored before is not scored again. A metric that does not exist answers 422."""
    job = begin_scoring(scope_of(request, "tasks", slug).tasks[0], wanted.metrics, user_of(request))
    return Status(202, {"job": str(job.pk), "url": job.get_absolute_url()})


@router.get("/tasks/{slug}/metrics", response=list[ComparisonOut], summary="Metrics beside people")
def metrics(request: HttpRequest, slug: Slug) -> list[dict[str, Any]]:
    """How often each metric is on the side of the majority, its κ′ and correlations; unknown is null."""
    scope = scope_of(request, "tasks", slug)
    found = comparison(scope, newest_runs(scope.tasks[0].pk))
    return [
        {
            "metric": line.run.metric,
            "signature": line.run.signature,
            "same_side": line.phrases and line.phrases.same.value,
            "same_side_ci": line.phrases and line.phrases.same.interval,
            "pairs": line.phrases.same.n if line.phrases else 0,
            "decided": line.phrases and line.phrases.decided.value,
            "kappa_prime": line.phrases and line.phrases.kappa,
            "pearson": line.phrases and line.phrases.pearson,
            "tau": line.sentences.tau,
            "tau_ci": line.sentences.interval,
            "system_rho": line.rho,
        }
        for line in found.lines
    ]


def _numbered(task_id: int) -> list[tuple[int, Any]]:
    """Runs with the number of earlier runs of the same name, since two signatures may share a name."""
    seen: dict[str, int] = {}
    found = []
    for run in newest_runs(task_id):
        found.append((seen.get(run.metric, 0), run))
        seen[run.metric] = seen.get(run.metric, 0) + 1
    return found


def _name(metric: str, before: int) -> str:
    """
    >>> _name("bleu", 0), _name("bleu", 1)
    ('bleu', 'bleu (2)')
    """
    return f"{metric} ({before + 1})" if before else metric
