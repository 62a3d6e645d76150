"""A site that uses everything that a site may use."""

from __future__ import annotations

from evaluation.models import Candidate, Task, User
from evaluation.reports.stopping import update_running_tasks
from evaluation.voters import register_tag_provider
from metrics.models import TrainedModel
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task
from tests.database.test_tagging import Invented


def use_everything(manager: User, *, tagged: int | None = None) -> None:
    """Tags (of the first sentences only, if so many are given), machine runs and models;
    of what annotators see, every question about whole sentences.

    Whoever calls this takes the tagger away again (``register_tag_provider``).
    """
    tagger = Invented()
    tagger.read.update(Candidate.objects.order_by("pk").values_list("text", flat=True)[:tagged])
    register_tag_provider(tagger)
    Task.objects.update(ask_sentence=True, ask_rating=True, ask_comment=True, practice=True)
    update_running_tasks()
    for task in Task.objects.all():
        score_task(task, find_metrics(["bleu", "ter", "wer"]))
        for kind in TrainedModel.Kind.values:
            name = f"{kind} of {task.slug}"
            TrainedModel.objects.create(name=name, kind=kind, task=task, owner=manager)
