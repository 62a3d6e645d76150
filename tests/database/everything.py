"""A site that uses everything that a site may use."""

from __future__ import annotations

from evaluation.models import Candidate, Job, Task, User
from evaluation.services import selecting
from evaluation.services.steering import steer
from evaluation.word_classes import register_words
from metrics.models import TrainedModel
from metrics.services.finding import find_metrics
from metrics.services.scoring import score_task
from tests.database.test_tagging import Invented
from tests.security.stage import a_replication


def use_everything(manager: User, *, tagged: int | None = None) -> None:
    """Tags (of the first sentences only, if so many are given), drawn questions, machine runs, models and
    replications; of what annotators see, every question about whole sentences.

    Whoever calls this takes the tagger away again (``register_words``).
    """
    tagger = Invented()
    tagger.read.update(Candidate.objects.order_by("pk").values_list("text", flat=True)[:tagged])
    register_words(tagger)
    Task.objects.update(ask_sentence=True, ask_rating=True, ask_comment=True, practice=True)
    for task in Task.objects.filter(judging=Task.Judging.PAIRS):
        selecting.select(task, Task.Selection.ORDER, by=manager)
    steer()  # draws, and finds out how the tasks stand
    for task in Task.objects.all():
        score_task(task, find_metrics(["bleu", "ter", "wer"]))
        for kind in TrainedModel.Kind.values:
            name = f"{kind} of {task.slug}"
            TrainedModel.objects.create(name=name, kind=kind, task=task, owner=manager)
        Job.objects.create(kind="replicate", title="R", owner=manager, state="done", result=a_replication())
