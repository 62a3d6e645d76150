"""Paper 003's table from what was collected on this site."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from evaluation.agreement import Judgements
from evaluation.models import Task
from evaluation.reports.judgements import find_tasks, study
from metrics.replicate import paper003
from metrics.replicate.values import Data, Report


def stored_agreement(
    *, campaign: str = "", tasks: Sequence[str] = (), resamples: int = 1000, seed: int = 1
) -> Report:
    """κ and κ′ of the tasks of a campaign, or of named tasks; ``InputError`` where nothing is there."""
    if campaign:
        found = find_tasks("campaign__slug", campaign)
    else:
        found = [task for slug in dict.fromkeys(tasks) for task in find_tasks("slug", slug)]
    return agreement_of(found, resamples=resamples, seed=seed)


def agreement_of(tasks: Sequence[Task], *, resamples: int = 1000, seed: int = 1) -> Report:
    """The same for tasks at hand; annotators go by their pseudonyms, which a campaign shares."""
    studies = {task.slug: study([task]).judgements() for task in tasks}
    data = [Data(slug, _digest(judgements)) for slug, judgements in studies.items()]
    scheme = paper003.scheme_of(studies)
    return paper003.replicate(studies, scheme, data=data, resamples=resamples, seed=seed)


def _digest(judgements: Judgements) -> str:
    """Over the coded judgements: the same answers give the same digest."""
    columns = (judgements.annotators, judgements.items, judgements.labels, judgements.sentences)
    parts = [np.ascontiguousarray(column, dtype=np.int64).tobytes() for column in columns]
    return hashlib.sha256(b"".join(parts)).hexdigest()
