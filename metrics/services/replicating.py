"""Run replications: paper 003's table from this site's own tasks, or a recipe on offered data."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from evaluation.agreement import Judgements
from evaluation.models import Task
from evaluation.reports.judgements import find_tasks, study
from metrics.replicate import folder, paper003, recipes
from metrics.replicate.values import Data, Note, Report


def data_folder() -> Path:
    """The folder with data that the operator offers: ``REPLICATION_DATA``, or ``replication`` at home."""
    return Path(settings.REPLICATION_DATA or settings.HOME / "replication")


def replicate(arguments: dict[str, Any], note: Note) -> Report:  # Any: JSON of a job
    """What a job asks for: a campaign of this site, or chosen sets of the offered folder."""
    if arguments["campaign"]:
        return stored_agreement(campaign=arguments["campaign"])
    recipe, offer = arguments["recipe"], folder.look(data_folder())
    asked = folder.options(recipe, offer, arguments["sets"], arguments["second"], arguments["scheme"])
    return recipes.run(recipe, asked, note)


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
    """The same for given tasks; annotators have their pseudonyms, which are the same within a campaign.

    A task that nobody has answered yet is left out, as long as another has answers.
    """
    studies = {task.slug: study([task]).judgements() for task in tasks}
    studies = {slug: one for slug, one in studies.items() if len(one)} or studies
    data = [Data(slug, _digest(judgements)) for slug, judgements in studies.items()]
    return paper003.replicate(studies, data=data, resamples=resamples, seed=seed)


def _digest(judgements: Judgements) -> str:
    """Over the coded judgements: the same answers give the same digest."""
    columns = (judgements.annotators, judgements.items, judgements.labels, judgements.sentences)
    parts = [np.ascontiguousarray(column, dtype=np.int64).tobytes() for column in columns]
    return hashlib.sha256(b"".join(parts)).hexdigest()
