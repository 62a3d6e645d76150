"""The practice round of a task: its settings and questions, and who has finished it."""

from __future__ import annotations

from django.db import transaction

from evaluation.models import Annotator, PracticeQuestion, PracticeRound, Task, User
from evaluation.services import trail


def is_due(task: Task, annotator: Annotator) -> bool:
    """Whether this person practises before the first sentence; one query, where it is switched on."""
    return task.practice and not annotator.practice_rounds.filter(task=task).exists()


def finish(task: Task, annotator: Annotator) -> None:
    """Record that somebody has finished it; calling it twice changes nothing."""
    PracticeRound.objects.get_or_create(task=task, annotator=annotator)


def switch(task: Task, on: bool, *, by: User) -> None:
    with transaction.atomic():
        Task.objects.filter(pk=task.pk).update(practice=on)
        trail.note(by, "practice on" if on else "practice off", task)
    task.practice = on


def add_question(
    task: Task, *, above: str, first: str, second: str, expected: str, why: str, by: User
) -> PracticeQuestion:
    with transaction.atomic():
        made = task.practice_questions.create(
            above=above, first=first, second=second, expected=expected, why=why
        )
        trail.note(by, "add practice question", task, {"question": made.pk})
    return made


def remove_question(question: PracticeQuestion, *, by: User) -> None:
    with transaction.atomic():
        trail.note(by, "remove practice question", question.task, {"question": question.pk})
        question.delete()
