"""The practice round of a task: its exercises, its settings, and who has finished it.

The exercises are questions written by a manager, or are made from sentences of the task. As on the annotation
page, the side of a text depends on the texts and the annotator only.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from appraise.lib.digests import text_digest
from evaluation.annotate.known_answers import (
    EXERCISES,
    Exercise,
    Grade,
    PracticeMaterial,
    grade_answer,
    make_exercises,
    make_own_exercise,
    pick_number,
)
from evaluation.blinding import canonical, is_swapped
from evaluation.models import Annotator, AuditEntry, Item, PracticeQuestion, PracticeRound, Task, User
from evaluation.presentation import Card, Sheet
from evaluation.schemes import Choice


@dataclass(frozen=True, slots=True)
class PracticePage:
    """One exercise; ``expected`` is the expected choice as shown, set only after the answer."""

    number: int
    total: int
    question: Exercise
    sheet: Sheet
    given: Choice | None
    expected: Choice | None
    grade: Grade | None

    @property
    def card(self) -> Card:
        return self.sheet.cards[0]


def load_exercises(task: Task) -> list[Exercise]:
    """Return the exercises of a task, the same for every annotator; at most three queries."""
    language = task.target_language
    own = [
        make_own_exercise(q.above, q.first, q.second, Choice(q.expected), q.why, language=language)
        for q in task.practice_questions.all()
    ]
    return own or make_exercises(_load_materials(task), task.scheme, language=language, seed=str(task.seed))


def build_practice_page(
    task: Task, annotator: Annotator, number: int, given: Choice | None = None
) -> PracticePage | None:
    """Return the n-th exercise, with the grade of a choice as shown; None after the last."""
    exercises = load_exercises(task)
    if not 1 <= number <= len(exercises):
        return None
    question = exercises[number - 1]
    texts = question.first.text, question.second.text
    swapped = is_swapped(settings.SECRET_KEY.encode(), annotator.key, *texts, number)
    expected = canonical(question.expected, swapped=swapped, flipped=False)
    return PracticePage(
        number=number,
        total=len(exercises),
        question=question,
        sheet=question.lay_out(swapped=swapped, by_place=task.judging == Task.Judging.PLACES),
        given=given,
        expected=expected if given else None,
        grade=grade_answer(given, expected) if given else None,
    )


def _load_materials(task: Task) -> list[PracticeMaterial]:
    """Return some sentences of the task, sampled by its seed."""
    count = task.items.count()
    drawn = (
        {pick_number(count, "practice", str(task.seed), str(n)) for n in range(4 * EXERCISES)}
        if count
        else set()
    )
    found = task.items.filter(position__in=drawn).order_by("position").prefetch_related("candidates")
    materials = [_material(task, item) for item in found]
    return [material for material in materials if material.text.strip()][:EXERCISES]


def _material(task: Task, item: Item) -> PracticeMaterial:
    if task.shows == Task.Shows.SOURCE:
        above = (item.source,)
        good = item.references[:1]
    else:
        above, good = tuple(item.references), []
    texts = sorted((candidate.text for candidate in item.candidates.all()), key=text_digest)
    return PracticeMaterial(above, (good or texts or [""])[0])


def is_practice_due(task: Task, annotator: Annotator) -> bool:
    """Return whether the annotator has to finish the practice round first; at most two queries.

    It practises phrase rankings, so it is never due in a task that only collects scores and error spans. A
    round in another task of the campaign with the same kind of questions counts, too.
    """
    done = annotator.practice_rounds.filter(
        task__campaign=task.campaign_id, task__scheme_name=task.scheme_name, task__judging=task.judging
    )
    if not task.practice or (task.assessed_as and not task.slots.filter(passage=None).exists()):
        return False
    return not done.exists()


def finish_practice(task: Task, annotator: Annotator) -> None:
    """Record that the annotator has finished the practice round; idempotent."""
    PracticeRound.objects.get_or_create(task=task, annotator=annotator)


def switch_practice(task: Task, on: bool, *, by: User) -> None:
    with transaction.atomic():
        Task.objects.filter(pk=task.pk).update(practice=on)
        AuditEntry.objects.record(by, "practice on" if on else "practice off", task)
    task.practice = on


def add_question(
    task: Task, *, above: str, first: str, second: str, expected: str, why: str, by: User
) -> PracticeQuestion:
    with transaction.atomic():
        made = task.practice_questions.create(
            above=above, first=first, second=second, expected=expected, why=why
        )
        AuditEntry.objects.record(by, "add practice question", task, {"question": made.pk})
    return made


def remove_question(question: PracticeQuestion, *, by: User) -> None:
    with transaction.atomic():
        AuditEntry.objects.record(by, "remove practice question", question.task, {"question": question.pk})
        question.delete()
