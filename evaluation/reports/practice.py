"""What a practice round shows: the organiser's questions, or some made from the task's own sentences.

Blind as the annotation page is: texts alone decide what is drawn and which side it stands on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from evaluation.blinding import canonical, is_swapped
from evaluation.checks import draw
from evaluation.digests import text_digest
from evaluation.models import Annotator, Item, Task
from evaluation.places import letter, step_count
from evaluation.practice import SIZE, Grade, Material, Question, grade, own_question, questions
from evaluation.presentation import Card, Sheet
from evaluation.reports.places import PlaceCard, ShownVariant
from evaluation.schemes import Choice, Scheme


@dataclass(frozen=True, slots=True)
class PracticePage:
    """One question; ``expected`` is how this person sees it, known only after the answer."""

    number: int
    total: int
    question: Question
    sheet: Sheet
    given: Choice | None
    expected: Choice | None
    grade: Grade | None

    @property
    def card(self) -> Card:
        return self.sheet.cards[0]


def practice_questions(task: Task) -> list[Question]:
    """The round of a task, the same for everybody; at most three queries."""
    language = task.target_language
    own = [
        own_question(q.above, q.first, q.second, Choice(q.expected), q.why, language=language)
        for q in task.practice_questions.all()
    ]
    return own or questions(_materials(task), task.scheme, language=language, seed=str(task.seed))


def practice_page(
    task: Task, annotator: Annotator, number: int, given: Choice | None = None
) -> PracticePage | None:
    """The n-th question, with the verdict on an answer as shown; None behind the last."""
    round_ = practice_questions(task)
    if not 1 <= number <= len(round_):
        return None
    question = round_[number - 1]
    texts = question.first.text, question.second.text
    swapped = is_swapped(settings.SECRET_KEY.encode(), annotator.key, *texts, number)
    expected = canonical(question.expected, swapped=swapped, flipped=False)
    return PracticePage(
        number=number,
        total=len(round_),
        question=question,
        sheet=question.shown(swapped=swapped),
        given=given,
        expected=expected if given else None,
        grade=grade(given, expected) if given else None,
    )


def as_place(page: PracticePage, scheme: Scheme, steps: Sequence[int | None]) -> PlaceCard:
    """The question as a place with two variants, for tasks that are judged so."""
    variants = [
        ShownVariant(number, letter(number), text, step)
        for number, (text, step) in enumerate(zip((page.card.a, page.card.b), steps, strict=True))
    ]
    return PlaceCard(1, 0, variants, range(1, step_count(2, scheme) + 1), 0, "")


def _materials(task: Task) -> list[Material]:
    """Some sentences of the task, drawn by its seed."""
    count = task.items.count()
    drawn = {draw(count, "practice", str(task.seed), str(n)) for n in range(4 * SIZE)} if count else set()
    found = task.items.filter(position__in=drawn).order_by("position").prefetch_related("candidates")
    materials = [_material(task, item) for item in found]
    return [material for material in materials if material.text.strip()][:SIZE]


def _material(task: Task, item: Item) -> Material:
    if task.shows == Task.Shows.SOURCE:
        above = (item.source,)
        good = item.references[:1]
    else:
        above, good = tuple(item.references), []
    texts = sorted((candidate.text for candidate in item.candidates.all()), key=text_digest)
    return Material(above, (good or texts or [""])[0])
