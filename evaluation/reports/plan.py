"""Plan a campaign: from what is expected, typed in or taken from a task, to sentences, people and money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evaluation.agreement.rendering import Table
from evaluation.models import Role, Task, User
from evaluation.power import Design, Plan, Point, Wishes, accuracy_from_agreement, make_plan
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.study import StudyPilot, study_pilot

FOUR_WAY_CHANCE = 0.25
LOT = 1 / 3


@dataclass(frozen=True, slots=True)
class PlanPage:
    plan: Plan
    plot: plots.Plot


def plan_page(values: dict[str, Any]) -> PlanPage:  # Any: as a form or a command line gives them
    plan = plan_from(values)
    return PlanPage(plan, plots.power_curve(plan))


def plan_from(values: dict[str, Any]) -> Plan:  # Any: as a form or a command line gives them
    """``agreement`` is P(A) over win, tie and loss, or κ over four choices with fixed chance."""
    agreed = values["agreement"]
    if values["agreement_is"] == "kappa":
        agreed = FOUR_WAY_CHANCE + (1 - FOUR_WAY_CHANCE) * agreed
    design = Design(
        win_rate=values["win_rate"],
        ties=values["ties"],
        accuracy=accuracy_from_agreement(max(agreed, LOT)),
        phrases=values["phrases"],
        overlap=values["overlap"],
        clustering=values["clustering"],
    )
    wishes = Wishes(
        systems=values["systems"],
        people=values["people"],
        seconds=values["seconds"],
        price_an_hour=values["price"],
        hours_a_day=values["hours"],
        power=values["power"],
        alpha=values["alpha"],
    )
    return make_plan(design, wishes)


def possible_pilots(user: User) -> list[Task]:
    tasks = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exclude(state=Task.State.IMPORTING)
    return list(tasks.order_by("name"))


def pilot_of(scope: Scope) -> StudyPilot:
    return remembered(
        ("pilot", *scope.key), lambda: study_pilot(study_of(scope), meetings_of(scope)), scope.state
    )


def pilot_values(scope: Scope) -> dict[str, float]:
    """Form values estimated from a task; what cannot be estimated keeps its default."""
    found = pilot_of(scope)
    told = found.estimates
    values: dict[str, float | None] = {
        "systems": found.systems if found.systems > 1 else None,
        "seconds": _rounded(found.seconds, 1),
        # From few votes it may seem that one system always wins; no plan follows from such extremes.
        "win_rate": None if told.win_rate is None else round(min(max(told.win_rate, 0.5), 0.95), 3),
        "ties": None if told.ties is None else round(min(told.ties, 0.99), 3),
        "agreement": None if told.agreement is None else round(max(told.agreement, 0.34), 3),
        "clustering": _rounded(told.clustering, 3),
        "phrases": None if told.phrases is None else max(1, round(told.phrases)),
        "overlap": scope.tasks[0].overlap,
        "people": max(3, scope.tasks[0].overlap),
    }
    return {name: value for name, value in values.items() if value is not None}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def as_document(plan: Plan) -> dict[str, object]:
    """For JSON."""
    return {
        "design": {name: getattr(plan.design, name) for name in plan.design.__dataclass_fields__},
        "wishes": {name: getattr(plan.wishes, name) for name in plan.wishes.__dataclass_fields__},
        "alpha_each": plan.wishes.alpha_each,
        "enough": None if plan.enough is None else _point(plan.enough),
        "simulated": None if plan.checked is None else plan.checked._asdict(),
        "by_overlap": [{"overlap": overlap, **_point(point)} for overlap, point in plan.others],
        "curve": [_point(point) for point in plan.curve],
    }


def plan_tables(plan: Plan) -> dict[str, Table]:
    """What it takes as wished, and with more or fewer people per comparison; without the curve."""
    columns = ("sentences", "comparisons", "judgements", "hours", "days", "money", "power")
    found = "nothing separates these two" if plan.enough is None else _headline(plan)
    enough = () if plan.enough is None else (_row(plan.enough),)
    others = tuple((overlap, *_row(point)) for overlap, point in plan.others)
    return {
        "plan": Table(found, columns, enough),
        "overlaps": Table("The same power with other numbers of people", ("people", *columns), others),
    }


def _headline(plan: Plan) -> str:
    design, wishes, checked = plan.design, plan.wishes, plan.checked
    told = f"Win rate {design.win_rate}, power {wishes.power}, alpha {wishes.alpha_each:.4f} for each two"
    if checked is None:
        return told
    return f"{told}; simulated power {checked.power:.3f} ({checked.low:.3f} to {checked.high:.3f})"


def _row(point: Point) -> tuple[float | None, ...]:
    bill = point.bill
    return (
        point.sentences,
        bill.comparisons,
        bill.judgements,
        bill.hours,
        bill.days,
        bill.money,
        point.power,
    )


def _point(point: Point) -> dict[str, object]:
    return {"sentences": point.sentences, "power": point.power, **point.bill._asdict()}
