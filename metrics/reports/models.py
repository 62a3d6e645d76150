"""The models that were trained here, with where they come from and how well they did on held-out votes."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from evaluation.agreement.rendering import Table
from evaluation.models import Role, Task, User
from evaluation.numerals import numeral
from evaluation.reports.plots import Plot
from metrics.models import TrainedModel


@dataclass(frozen=True, slots=True)
class ModelCard:
    model: TrainedModel
    held_out: dict[str, Any] | None  # Any: JSON, as the training wrote it
    weights: Plot

    @property
    def best_single(self) -> tuple[str, float] | None:
        """The feature that does best alone on the same held-out votes."""
        single: dict[str, float] = (self.held_out or {}).get("single", {})
        return max(single.items(), key=lambda one: one[1], default=None)


def visible_models(user: User) -> list[TrainedModel]:
    """Models of tasks that ``user`` may study, and the user's own; one query."""
    found = TrainedModel.objects.select_related("task", "owner")
    if not user.is_superuser:
        mine = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER)
        found = found.filter(Q(task__in=mine) | Q(owner=user))
    return list(found)


def model_cards(user: User) -> list[ModelCard]:
    return [
        ModelCard(model, model.evaluation.get("held_out"), weight_bars(model))
        for model in visible_models(user)
    ]


def weight_bars(model: TrainedModel) -> Plot:
    """The weight of one deviation of each feature, the largest first."""
    weights: list[tuple[str, float]] = [(name, value) for name, value in model.evaluation.get("weights", [])]
    most = max((abs(value) for _name, value in weights), default=1.0) or 1.0
    height = 26 * len(weights) + 8
    marks = [f'<line class="axis" x1="300" x2="300" y1="0" y2="{height}"/>']
    for place, (name, value) in enumerate(weights):
        y, width = 4 + 26 * place, 100 * abs(value) / most
        x = 300 if value >= 0 else 300 - width
        kind = "bar1" if value >= 0 else "bar0"
        marks.append(f'<rect class="{kind}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="18" rx="2"/>')
        marks.append(f'<text class="t-ink" x="0" y="{y + 13}">{escape(name)}</text>')
        shown = numeral(f"{value:+.3f}")
        marks.append(f'<text x="460" y="{y + 13}" text-anchor="end">{shown}</text>')
    table = Table(model.name, (_("feature"), _("weight")), tuple(weights))
    label = _("Weights of the features in %(name)s") % {"name": model.name}
    return Plot(label, 460, height, "".join(marks), table, narrow=True)
