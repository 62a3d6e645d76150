"""Segment scores from a file become a run like any other, marked as imported."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from evaluation.models import Task
from evaluation.problems import InputError, Problem
from metrics.models import MetricRun
from metrics.reports.segments import content_digest, task_segments
from metrics.score_files import read_scores, system_means
from metrics.services.scoring import store_run

MEBIBYTE = 1024 * 1024


def import_scores(task: Task, path: Path, *, name: str, higher_is_better: bool) -> MetricRun:
    """Store the scores of a file; the same file twice is refused, a changed one replaces the old."""
    tests = task_segments(task)
    scores = read_scores(path, tests)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
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


def import_uploaded(task: Task, file: UploadedFile[Any], *, name: str, higher_is_better: bool) -> MetricRun:
    """The same for a file from the browser."""
    if (file.size or 0) > settings.APPRAISE_MAX_UPLOAD:
        cap = settings.APPRAISE_MAX_UPLOAD // MEBIBYTE
        raise InputError(Problem("too_large", f"the file is larger than {cap} MB", "leave out other systems"))
    with TemporaryDirectory() as folder:
        path = Path(folder) / _plain_name(file.name or "")
        with path.open("wb") as copy:
            copy.writelines(file.chunks())
        return import_scores(task, path, name=name, higher_is_better=higher_is_better)


def _plain_name(name: str) -> str:
    """A file name for messages that can do no harm as a path.

    >>> _plain_name("../../a b.tsv"), _plain_name("")
    ('a b.tsv', 'scores.tsv')
    """
    return (
        re.sub(r"[^\w .-]", "_", name.replace("\\", "/").rsplit("/", 1)[-1]).strip(". ")[-100:]
        or "scores.tsv"
    )
