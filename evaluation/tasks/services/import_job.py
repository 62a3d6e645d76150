"""The background import of an upload: one job, stored in short steps, all or nothing.

The job records each task in the transaction that creates it. After a crash the next worker resumes these
tasks; after a failure or a cancellation they are deleted, and the upload is kept for another attempt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _, gettext_noop

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.models import AuditEntry, Campaign, Job, Role, Task, Upload, User
from evaluation.tasks.services import importing
from evaluation.tasks.services.task_settings import ImportSummary, TaskSettings
from evaluation.tasks.services.uploads import UploadCheck, read_upload


def begin_import(
    upload: Upload,
    outcome: UploadCheck,
    settings: TaskSettings,
    *,
    campaign: str = "",
    split: int | None = None,
) -> Job:
    """Enqueue the import of a checked upload; refuses content that the campaign already has."""
    if upload.job is not None and upload.job.kind == "import":
        if not upload.job.is_over:
            return upload.job
        remove_unfinished_tasks(upload.job)
    name = campaign or settings.name
    if (existing := find_own_campaign(upload.owner, name)) is not None:
        importing.refuse_duplicate(
            existing, importing.part_digest(outcome.digest, 1, importing.part_count(outcome.items, split))
        )
    with transaction.atomic():
        newest = Upload.objects.select_for_update().get(pk=upload.pk).job
        if newest is not None and newest != upload.job:  # the second of two simultaneous clicks
            return newest
        job = jobs.enqueue(
            "import",
            _("Import %(name)s") % {"name": settings.name},
            owner=upload.owner,
            upload=str(upload.pk),
            settings=asdict(settings),
            campaign=name,
            split=split,
            tasks=[],
        )
        upload.job = job
        upload.save(update_fields=["job"])
    return job


def find_own_campaign(user: User, name: str) -> Campaign | None:
    """Return the campaign with this name; raises ``InputError`` if the user does not manage it."""
    campaign = find_campaign(name)
    if campaign is None or user.is_superuser:
        return campaign
    if campaign.memberships.filter(user=user, role=Role.MANAGER, task__isnull=True).exists():
        return campaign
    raise InputError.of(
        "not_yours", f"there is a campaign {name!r} that you do not manage", "choose another name"
    )


def find_campaign(name: str) -> Campaign | None:
    """Find a campaign by name, else by slug unless the slug drops letters: “WMT 日本語” is not “WMT 中文”."""
    slug, unicode_slug = slugify(name), slugify(name, allow_unicode=True)
    by_name = Campaign.objects.filter(name=name).first()
    return by_name or (Campaign.objects.filter(slug=slug).first() if slug == unicode_slug else None)


def create_campaign(name: str) -> Campaign:
    return Campaign.objects.create(slug=importing.find_free_slug(Campaign, name), name=name[:200])


@jobs.handler("import")
def run_import(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    made = _load_tasks(job)
    upload = Upload.objects.filter(pk=job.arguments["upload"]).first()
    if upload is None:  # the worker died after its last step
        return _make_result(importing.summarize_import(made))
    arguments = job.arguments
    try:
        progress.update(0, 1, gettext_noop("Reading the files."))
        imported = read_upload(upload)
        summary = importing.store_parts(
            imported,
            TaskSettings(**arguments["settings"]),
            campaign=_get_campaign(job),
            owner=job.owner,
            split=arguments["split"],
            report=progress.update,
            made=made,
            on_create=lambda task: _record_task(job, task),
        )
    except jobs.LeaseLost:  # another worker has taken over these tasks
        raise
    except Exception:  # all or nothing, whatever went wrong; the job runner reports it
        remove_unfinished_tasks(job)
        raise
    _finish(job, upload, made)
    return _make_result(summary)


def discard_upload(upload: Upload) -> None:
    """Discard an upload, and unfinished tasks that a dead worker has left."""
    if upload.job is not None and upload.job.kind == "import":
        remove_unfinished_tasks(upload.job)
    upload.discard()


def remove_unfinished_tasks(job: Job) -> None:
    """Delete the tasks of an import that will not be finished; open tasks are complete and are kept."""
    importing.remove_tasks([task for task in _load_tasks(job) if task.state == Task.State.IMPORTING])
    job.arguments["tasks"] = []
    Job.objects.filter(pk=job.pk).update(arguments=job.arguments)
    campaign = job.arguments.get("made_campaign")
    if campaign is not None and not Task.objects.filter(campaign=campaign).exists():
        Campaign.objects.filter(pk=campaign).delete()


def _load_tasks(job: Job) -> list[Task]:
    """Return the tasks that this job has created, in order."""
    tasks = Task.objects.in_bulk(job.arguments["tasks"])
    return [tasks[pk] for pk in job.arguments["tasks"] if pk in tasks]


def _get_campaign(job: Job) -> Campaign:
    assert job.owner is not None  # an import always has an owner
    name = job.arguments["campaign"]
    campaign = find_own_campaign(job.owner, name)
    if campaign is not None:
        return campaign
    with transaction.atomic():
        campaign = create_campaign(name)
        campaign.memberships.create(user=job.owner, role=Role.MANAGER)
        job.arguments["made_campaign"] = campaign.pk
        Job.objects.filter(pk=job.pk).update(arguments=job.arguments)
    return campaign


def _record_task(job: Job, task: Task) -> None:
    job.arguments["tasks"].append(task.pk)
    Job.objects.filter(pk=job.pk).update(arguments=job.arguments)


def _finish(job: Job, upload: Upload, made: Sequence[Task]) -> None:
    with transaction.atomic():
        # The job points to a task only now: earlier, deleting the task would have deleted the job. Only once,
        # because a worker may die right after this step and the next one comes here again.
        if Job.objects.filter(pk=job.pk, task=None).update(task=made[0]):
            AuditEntry.objects.bulk_create(
                AuditEntry(
                    user=job.owner, action="import", target=f"task {task.slug}", detail={"job": str(job.pk)}
                )
                for task in made
            )
    upload.discard()


def _make_result(summary: ImportSummary) -> jobs.Result:
    return {**asdict(summary), "warnings": [str(warning) for warning in summary.warnings]}
