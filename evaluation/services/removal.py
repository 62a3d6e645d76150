"""A task that was made by mistake goes again, as long as it holds nobody's work.

Answers are never deleted: a task that somebody has begun can be closed and archived, and stays.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from evaluation import jobs
from evaluation.models import AuditEntry, Job, Task, User
from evaluation.problems import InputError, Problem
from evaluation.services.importing import remove_tasks

AT_REST = (Task.State.DRAFT, Task.State.CLOSED, Task.State.ARCHIVED)


def is_removable(task: Task) -> bool:
    """Nobody can work on it now, nobody was given a sentence of it, and it came without judgements."""
    if task.state not in AT_REST:
        return False
    given = Q(pairs__rankings__isnull=False) | Q(items__comparisons__sentence_answers__isnull=False)
    return Task.objects.filter(pk=task.pk, assignments=None).exclude(given).exists()


def begin_removal(task: Task, *, by: User) -> Job:
    """A job takes it away: rows of ten thousand sentences go in many short steps."""
    return jobs.enqueue("removal", _("Delete %(name)s") % {"name": task.name}, owner=by, removed=task.pk)


@jobs.handler("removal")
def run_removal(job: Job, progress: jobs.Progress) -> jobs.Result:
    """Reports no progress, since there it could be cancelled half-way."""
    found = Task.objects.filter(pk=job.arguments["removed"])
    for task in found.exclude(state=Task.State.IMPORTING):  # else an earlier worker has hidden it, and died
        _hide(task, by=job.owner)
    remove_tasks(list(found))
    return {}


def _hide(task: Task, *, by: User | None) -> None:
    """Nobody sees it from now on; its name, its content and its history make room for another task."""
    with transaction.atomic():
        locked = Task.objects.select_for_update().get(pk=task.pk)
        if not is_removable(locked):
            raise InputError(
                Problem("already_begun", "somebody works on this task, or has worked on it", "archive it")
            )
        gone = f"deleted-{task.pk}"
        about = Q(target=f"task {task.slug}") | Q(target__endswith=f" of {task.slug}")
        AuditEntry.objects.filter(about).update(target=f"task {gone}")
        AuditEntry.objects.create(user=by, action="delete", target=f"task {gone}", detail={"name": task.name})
        Task.objects.filter(pk=task.pk).update(state=Task.State.IMPORTING, slug=gone, digest="")
