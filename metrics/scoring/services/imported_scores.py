"""Import segment scores from a file, as a run that is marked as imported."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from appraise.lib.digests import file_digest
from appraise.lib.problems import InputError, Problem
from evaluation.models import Task
from metrics.models import MetricRun
from metrics.scoring.queries import content_digest, load_test_set
from metrics.scoring.services.runs import store_run
from metrics.scoring.testset import read_scores, system_means

MEBIBYTE = 1024 * 1024


def import_scores(task: Task, path: Path, *, name: str, higher_is_better: bool) -> MetricRun:
    """Store the scores of a file. The same file is refused twice, a changed one replaces the earlier one."""
    tests = load_test_set(task)
    scores = read_scores(path, tests)
    digest = file_digest(path)
    direction = "higher" if higher_is_better else "lower"
    run = MetricRun(
        task=task,
        metric=name,
        signature=f"imported:{name}|better:{direction}|scores:{digest[:16]}",
        higher_is_better=higher_is_better,
        content=content_digest(task, tests),
        corpus=system_means(scores, tests),
        imported=True,
    )
    try:
        with transaction.atomic():
            return store_run(run, scores)
    except IntegrityError as error:
        message = f"these scores of {name!r} are already here"
        raise InputError(Problem("already_imported", message, "choose another file", path.name)) from error


def import_uploaded_scores(
    task: Task, file: UploadedFile[Any], *, name: str, higher_is_better: bool
) -> MetricRun:
    """Store the scores of an uploaded file."""
    if (file.size or 0) > settings.APPRAISE_MAX_UPLOAD:
        limit = settings.APPRAISE_MAX_UPLOAD // MEBIBYTE
        raise InputError(
            Problem("too_large", f"the file is larger than {limit} MB", "leave out other systems")
        )
    with TemporaryDirectory() as folder:
        path = Path(folder) / Path(file.name or "scores.tsv").name
        with path.open("wb") as copy:
            copy.writelines(file.chunks())
        return import_scores(task, path, name=name, higher_is_better=higher_is_better)
