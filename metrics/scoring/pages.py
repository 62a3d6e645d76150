"""What the pages of metrics show: the metrics that can score a task, and the trained models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from evaluation.models import Item, Job, Task, User
from evaluation.reports.plots import Plot
from metrics import registry
from metrics.base import Needs
from metrics.models import MetricRun, TrainedModel, TrainedModelQuerySet
from metrics.scoring.plots import plot_model
from metrics.scoring.queries import load_newest_runs
from metrics.scoring.services.metric_lookup import TRAINED
from metrics.tools.base import ToolMode

# These read files; in the browser, scores are imported and models are chosen by name.
FROM_FILES = frozenset({"imported", "model", "ranker"})
RANKER_NEEDS = Needs(reference=False, source=True)
USUAL = ("bleu", "chrf", "ter", "meteor", "wer", "per")


@dataclass(frozen=True, slots=True)
class MetricOffer:
    """A metric on the list; ``refusal`` is the reason why it cannot be chosen."""

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
    offers: list[MetricOffer]
    runs: list[MetricRun]
    jobs: list[Job]

    @property
    def ready(self) -> list[MetricOffer]:
        return [offer for offer in self.offers if not offer.refusal]

    @property
    def refused(self) -> list[MetricOffer]:
        return [offer for offer in self.offers if offer.refusal]


def load_choice_page(task: Task, user: User) -> ChoicePage:
    runs = load_newest_runs(task.pk)
    jobs = list(Job.objects.filter(task=task, kind__in=["score", "train"])[:5])
    return ChoicePage(task, _list_offers(task, runs, user), runs, jobs)


def _list_offers(task: Task, runs: Sequence[MetricRun], user: User) -> list[MetricOffer]:
    items = Item.objects.filter(task=task)
    references = int(items.filter(~Q(references=[])).exists())
    source = items.exclude(source="").exists()

    def explain(needs: Needs) -> str:
        return needs.explain_missing(references=references, source=source) or ""

    scored = [run.metric.split(":")[0] for run in runs]
    offers = [
        MetricOffer(
            entry.name,
            entry.title,
            entry.higher_is_better,
            entry.missing or explain(entry.needs),
            scored.count(entry.name),
        )
        for entry in registry.list_metrics()
        if entry.name not in FROM_FILES
    ]
    known = [run.metric for run in runs]
    trained = [
        MetricOffer(
            f"{TRAINED}{model.name}",
            model.get_kind_display(),
            True,
            explain(RANKER_NEEDS if model.kind == TrainedModel.Kind.RANKER else Needs()),
            known.count(f"{TRAINED}{model.name}"),
        )
        for model in TrainedModel.objects.visible_to(user)
    ]
    return sorted(offers, key=lambda offer: (not offer.is_usual, offer.name)) + trained


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A trained model with its provenance and evaluation."""

    model: TrainedModel

    @property
    def plots(self) -> dict[str, Plot]:
        """By the names of their files; computed on access, because the list of models does not need them."""
        return plot_model(self.model)

    @property
    def tools(self) -> list[tuple[str, str]]:
        """The tools of a ranker, each with its part; "" where a tool was missing."""
        stored: dict[str, str] = self.model.provenance.get("tools", {})
        parts = {
            "lm": _("Language model"),
            "lexicon": _("Lexicon"),
            "parser": _("Parser of the translations"),
            "source": _("Parser of the source"),
        }
        absent = f"({ToolMode.ABSENT})"
        return [
            (parts.get(part, part), "" if tool.endswith(absent) else tool) for part, tool in stored.items()
        ]

    @property
    def best_single(self) -> tuple[str, float] | None:
        """The feature with the best accuracy alone, on the same held-out votes."""
        single: dict[str, float] = (self.model.evaluation.get("held_out") or {}).get("single", {})
        return max(single.items(), key=lambda pair: pair[1], default=None)


def visible_models(user: User) -> TrainedModelQuerySet:
    """Return the models that ``user`` may see, with their tasks and owners."""
    return TrainedModel.objects.visible_to(user).select_related("task", "owner")
