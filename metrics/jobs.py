"""The background jobs of the metrics app.

Every process of the site imports this module at start-up, so heavy imports are inside the functions.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from evaluation.jobs import Progress, enqueue, handler
from evaluation.models import Job, Task, User
from evaluation.problems import InputError, Problem
from metrics.cluster import connected


def begin_scoring(task: Task, names: list[str], owner: User | None) -> Job:
    """Put the scoring of a task on the queue; ``InputError`` at once where a metric does not exist."""
    from metrics.services.finding import find_metrics

    find_metrics(names, by=owner)
    title = _("Score %(task)s: %(metrics)s") % {"task": task.name, "metrics": ", ".join(names)}
    return enqueue("score", title, owner=owner, task=task, metrics=names)


def begin_training(
    task: Task, name: str, owner: User | None, *, method: str = "combination", parser: bool = False
) -> Job:
    """Put the training of a model on the queue."""
    title = _("Train %(name)s on %(task)s") % {"name": name, "task": task.name}
    return enqueue("train", title, owner=owner, task=task, name=name, method=method, parser=parser)


def begin_replication(arguments: dict[str, Any], owner: User | None) -> Job:
    """Put a replication on the queue; the arguments are those of ``services.replicating.replicate``."""
    from metrics.replicate.recipes import title

    data = arguments["campaign"] or ", ".join(arguments["sets"])
    named = _("Replicate %(paper)s: %(data)s") % {"paper": title(arguments["recipe"]), "data": data}
    return enqueue("replicate", named, owner=owner, **arguments)


@handler("score")
def run_scoring(job: Job, progress: Progress) -> dict[str, Any]:
    """Each metric is one step, saved when complete: a killed job goes on with the next one."""
    from metrics.services.finding import find_metrics
    from metrics.services.scoring import score_task

    if job.task is None:
        raise InputError(Problem("task_gone", gettext_noop("the task was deleted before it was scored")))
    metrics = find_metrics(job.arguments["metrics"])
    with connected():
        outcomes = score_task(job.task, metrics, progress.update, job=job)
    return {"metrics": [outcome.as_dict() for outcome in outcomes]}


@handler("train")
def run_training(job: Job, progress: Progress) -> dict[str, Any]:
    """One model, saved at the end; a killed job trains again unless it had come so far."""
    from metrics.services.teaching import train_by

    if job.task is None:
        gone = gettext_noop("the task was deleted before a model was trained on it")
        raise InputError(Problem("task_gone", gone))
    model = train_by(job, job.task, progress.update)
    progress.update(4, 4)
    return {"model": model.name, "model_id": model.pk, "evaluation": model.evaluation}


@handler("replicate")
def run_replication(job: Job, progress: Progress) -> dict[str, Any]:
    """One report, which is the result of the job; a killed job simply runs again."""
    from metrics.services.replicating import replicate

    with connected():
        report = replicate(job.arguments, lambda message: progress.update(0, 1, message))
    progress.update(1, 1)
    return report.as_dict()


@handler("tag")
def run_tagging(job: Job, progress: Progress) -> dict[str, Any]:
    """Every sentence is kept when it is read: a killed job goes on with the next one."""
    from metrics.services.tagging import tag_candidates

    tasks = list(Task.objects.filter(slug__in=job.arguments["tasks"]).order_by("pk"))
    return tag_candidates(tasks, progress.update)
