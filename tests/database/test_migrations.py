"""Migrations that change stored values do what they promise."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from evaluation.models import Annotator, Comparison, Task
from evaluation.schemes import Choice
from tests.database.answering import always, another_task, answer_task

remove_selection = import_module("evaluation.migrations.0009_remove_selection")
WAITING = remove_selection.WAITING


@pytest.mark.parametrize("order", [Task.Order.DOCUMENT, Task.Order.SHUFFLED])
def test_comparisons_that_waited_to_be_drawn_follow_in_the_order_of_the_task(
    task: Task, bob: Annotator, carol: Annotator, order: Task.Order
) -> None:
    task = another_task("Barns", order=order, repeats=50)
    answer_task(task, bob, always(Choice.A_BETTER), most=2)
    begun = bob.assignments.values_list("comparison", flat=True)
    waiting = list(Comparison.objects.filter(item__task=task).exclude(pk__in=begun).order_by("-pk"))
    for number, comparison in enumerate(waiting):
        comparison.slots.update(position=WAITING + 7 * number)
    if order == Task.Order.DOCUMENT:
        waiting.sort(key=lambda comparison: comparison.item.position)  # stable: else as they waited

    remove_selection.ask_in_order(apps, connection.schema_editor())

    first = task.slots.filter(presentation=0, k=0).exclude(comparison__in=begun)
    asked = first.order_by("position").values_list("comparison", flat=True)
    assert list(asked) == [comparison.pk for comparison in waiting]
    again = task.slots.filter(presentation=1).values_list("position", flat=True)
    assert len(again) > 0
    assert min(again) >= 10
    assert max(task.slots.values_list("position", flat=True)) < 2 * task.size + 10
    answer_task(task, carol, always(Choice.A_BETTER))
    assert set(carol.assignments.values_list("comparison", flat=True)) == set(
        task.slots.values_list("comparison", flat=True)
    ), "everything is given out"
