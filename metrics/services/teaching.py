"""The ways of training on a task by name: a combination of metrics, an SVM, a reference-free ranker."""

from __future__ import annotations

from collections.abc import Mapping

from evaluation.models import Job, Task
from evaluation.problems import InputError, Problem
from metrics.models import TrainedModel
from metrics.services.scoring import Report

RANKERS: Mapping[str, str] = {"ranker": "logistic", "ranker-bayes": "naive-bayes", "ranker-trees": "boosting"}


def train_by(job: Job, task: Task, report: Report) -> TrainedModel:
    """What the arguments of a job ask for; jobs from before there was a choice train a combination.

    A worker may die after saving the model and before ending the job: then that model is the result.
    """
    name, method = job.arguments["name"], job.arguments.get("method", "combination")
    if job.attempts > 1:
        mine = TrainedModel.objects.filter(task=task, owner=job.owner, created_at__gte=job.created_at)
        if (kept := mine.filter(name=name).first()) is not None:
            return kept
    if method == "combination":
        from metrics.services.training import train_on_task

        return train_on_task(task, name, report, owner=job.owner)
    if method == "svm":
        from metrics.services.machines import train_svm_on_task

        return train_svm_on_task(task, name, report, owner=job.owner)
    if method not in RANKERS:
        raise InputError(Problem("unknown_method", f"there is no way of training {method!r}"))
    from metrics.services.rankers import train_ranker_on_task

    return train_ranker_on_task(
        task,
        name,
        report,
        classifier=RANKERS[method],
        parser=bool(job.arguments.get("parser")),
        owner=job.owner,
        job=job,
    )
