"""Which metrics can score a task: those that are ready, and why the others are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q

from evaluation.models import Item, Job, Task, User
from metrics import registry
from metrics.base import Needs
from metrics.models import MetricRun, TrainedModel
from metrics.reports.runs import newest_runs
from metrics.services.finding import TRAINED

# Made from files; in the browser, scores are imported below and models come by their names.
FROM_FILES = frozenset({"imported", "model", "ranker"})
USUAL = ("bleu", "chrf", "ter", "meteor", "wer", "per")


@dataclass(frozen=True, slots=True)
class Offer:
    """A metric on the list; ``refusal`` says in a sentence why it cannot be chosen."""

    name: str
    title: str
    higher_is_better: bool
    refusal: str
    runs: int

    @property
    def is_usual(self) -> bool:
        return self.name in USUAL


@dataclass(frozen=True, slots=True)
class ChoicePage:
    task: Task
    offers: list[Offer]
    runs: list[MetricRun]
    jobs: list[Job]

    @property
    def ready(self) -> list[Offer]:
        return [offer for offer in self.offers if not offer.refusal]

    @property
    def refused(self) -> list[Offer]:
        return [offer for offer in self.offers if offer.refusal]


def choice_page(task: Task, user: User) -> ChoicePage:
    runs = newest_runs(task.pk)
    jobs = list(Job.objects.filter(task=task, kind__in=["score", "train"])[:5])
    return ChoicePage(task, _offers(task, runs, user), runs, jobs)


def _offers(task: Task, runs: Sequence[MetricRun], user: User) -> list[Offer]:
    items = Item.objects.filter(task=task)
    references = int(items.filter(~Q(references=[])).exists())
    source = items.exclude(source="").exists()
    scored = [run.metric.split(":")[0] for run in runs]
    offers = [
        Offer(
            entry.name,
            entry.title,
            entry.higher_is_better,
            entry.missing or entry.needs.lacking(references=references, source=source) or "",
            scored.count(entry.name),
        )
        for entry in registry.available()
        if entry.name not in FROM_FILES
    ]
    known = [run.metric for run in runs]
    trained = [
        Offer(
            f"{TRAINED}{model.name}",
            model.get_kind_display(),
            True,
            _needs(model).lacking(references=references, source=source) or "",
            known.count(f"{TRAINED}{model.name}"),
        )
        for model in TrainedModel.objects.visible_to(user)
    ]
    return sorted(offers, key=lambda offer: (not offer.is_usual, offer.name)) + trained


def _needs(model: TrainedModel) -> Needs:
    """A ranker looks at the source, everything else that is trained here at references."""
    ranker = model.kind == TrainedModel.Kind.RANKER
    return Needs(reference=not ranker, source=ranker)
