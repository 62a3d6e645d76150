"""The models that were trained here, with where they come from and how well they did on held-out votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from evaluation.models import User
from evaluation.reports.plots import Plot
from metrics.linguistics.base import Mode
from metrics.models import TrainedModel, TrainedModelQuerySet
from metrics.reports.model_plots import model_plots


@dataclass(frozen=True, slots=True)
class ModelCard:
    """A model with what it says of itself."""

    model: TrainedModel

    @property
    def held_out(self) -> dict[str, Any] | None:  # Any: JSON, as the training wrote it
        found: dict[str, Any] | None = self.model.evaluation.get("held_out")
        return found

    @property
    def plots(self) -> dict[str, Plot]:
        """By the name that their files have; drawn when asked for, which a list of models does not."""
        return model_plots(self.model)

    @property
    def chosen(self) -> dict[str, Any] | None:
        """Of an SVM: the best point of its grid."""
        found: dict[str, Any] | None = self.model.evaluation.get("chosen")
        return found

    @property
    def tools(self) -> list[tuple[str, str]]:
        """What read the sentences for a ranker, each by its part; "" where there was no such tool."""
        stored: dict[str, str] = self.model.provenance.get("tools", {})
        parts = {
            "lm": _("Language model"),
            "lexicon": _("Lexicon"),
            "parser": _("Parser of the translations"),
            "source": _("Parser of the source"),
        }
        absent = f"({Mode.ABSENT})"
        return [
            (parts.get(part, part), "" if tool.endswith(absent) else tool) for part, tool in stored.items()
        ]

    @property
    def best_single(self) -> tuple[str, float] | None:
        """The feature that does best alone on the same held-out votes."""
        single: dict[str, float] = (self.held_out or {}).get("single", {})
        return max(single.items(), key=lambda one: one[1], default=None)


def model_cards(user: User) -> list[ModelCard]:
    """The models that ``user`` may see; one query."""
    return [ModelCard(model) for model in _models(user)]


def find_card(user: User, pk: int) -> ModelCard | None:
    """A model, if there is one that ``user`` may see."""
    model = _models(user).filter(pk=pk).first()
    return ModelCard(model) if model else None


def _models(user: User) -> TrainedModelQuerySet:
    return TrainedModel.objects.visible_to(user).select_related("task", "owner")
