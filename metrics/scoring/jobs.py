"""The background jobs of the metrics app.

Every process of the site imports this module at start-up, so heavy imports are inside the functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _, gettext_noop

from appraise.lib.extras import find_missing_package
from appraise.lib.problems import InputError
from evaluation.jobs import JobProgress, enqueue, handler
from evaluation.models import Candidate, Job, Task, User
from metrics.scoring.cluster import use_cluster
from metrics.taggers import tag_sentences
from metrics.tools.base import ToolAbsent


def begin_scoring(task: Task, names: list[str], owner: User | None) -> Job:
    """Enqueue the scoring of a task; ``InputError`` if a metric does not exist."""
    from metrics.scoring.services.metric_lookup import find_metrics

    find_metrics(names, by=owner)
    title = _("Score %(task)s: %(metrics)s") % {"task": task.name, "metrics": ", ".join(names)}
    return enqueue("score", title, owner=owner, task=task, metrics=names)


def begin_training(
    task: Task, name: str, owner: User | None, *, method: str = "combination", parser: bool = False
) -> Job:
    """Enqueue the training of a model; ``InputError`` without the packages that learn."""
    if problem := find_missing_package("sklearn"):
        raise InputError(problem)
    title = _("Train %(name)s on %(task)s") % {"name": name, "task": task.name}
    return enqueue("train", title, owner=owner, task=task, name=name, method=method, parser=parser)


@handler("score")
def run_scoring(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Each metric is one step, saved when complete: a killed job continues with the next one."""
    from metrics.scoring.services.metric_lookup import find_metrics
    from metrics.scoring.services.runs import score_task

    if job.task is None:
        raise InputError.of("task_gone", gettext_noop("the task was deleted before it was scored"))
    metrics = find_metrics(job.arguments["metrics"])
    with use_cluster():
        outcomes = score_task(job.task, metrics, progress.update, job=job)
    return {"metrics": [outcome.as_dict() for outcome in outcomes]}


@handler("train")
def run_training(job: Job, progress: JobProgress) -> dict[str, Any]:
    """The model is saved at the end: a killed job trains again, unless it had saved the model."""
    from metrics.scoring.services.training import train_for_job

    if job.task is None:
        gone = gettext_noop("the task was deleted before a model was trained on it")
        raise InputError.of("task_gone", gone)
    model = train_for_job(job, job.task, progress.update)
    progress.update(4, 4)
    return {"model": model.name, "model_id": model.pk, "evaluation": model.evaluation}


@handler("tag")
def run_tagging(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Each sentence is stored when it is tagged: a killed job continues with the next one."""
    tasks = list(Task.objects.filter(slug__in=job.arguments["tasks"]).order_by("pk"))
    return tag_candidates(tasks, progress.update)


def tag_candidates(tasks: Sequence[Task], report: Callable[[int, int], None]) -> dict[str, int]:
    """Tag the candidates of some tasks, so that reports recognise phenomena by tags.

    Returns how many sentences there are and how many the tagger failed on; ``InputError`` without a tagger.
    """
    texts = {
        task: sorted(set(Candidate.objects.filter(item__task=task).values_list("text", flat=True)))
        for task in tasks
    }
    total, done, failed = sum(map(len, texts.values())), 0, 0
    for task, sentences in texts.items():

        def progress(count: int, before: int = done) -> None:
            report(before + count, total)

        try:
            failed += tag_sentences(task.target_language, sentences, progress)
        except ToolAbsent as error:
            raise InputError.of("no_tagger", str(error)) from error
        done += len(sentences)
    return {"sentences": total, "failed": failed}
