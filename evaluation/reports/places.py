"""Exactly what one annotator may see of a sentence whose candidates are judged together.

Like ``annotation``, it reveals no system, score, file name, database id, upload order or check flag.
Candidates stand in an order drawn from their texts, variants in an order of their own at each place.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.conf import settings

from evaluation.blinding import shown_order
from evaluation.models import Assignment, SentenceAnswer
from evaluation.places import MOST_STEPS, Group, Steps, letter, step_count
from evaluation.prepared import Prepared
from evaluation.presentation import Fragment, hue
from evaluation.reports.annotation import Progress, Said, task_progress
from evaluation.schemes import Scheme
from evaluation.services import places


@dataclass(frozen=True, slots=True)
class ShownVariant:
    """``step`` is empty for no answer, 0 for “cannot be compared”, as the form has it."""

    number: int
    letter: str
    text: str
    step: int | None


@dataclass(frozen=True, slots=True)
class PlaceCard:
    """``number`` counts the questions of a page, ``place`` names the place; ``uuid`` is for a plain form."""

    number: int
    place: int
    variants: list[ShownVariant]
    steps: range
    version: int
    uuid: str

    @property
    def is_answered(self) -> bool:
        return all(variant.step is not None for variant in self.variants)

    @property
    def hue(self) -> int:
        return hue(self.number)


@dataclass(frozen=True, slots=True)
class PlacesPage:
    number: int
    staves: list[list[Fragment]]
    cards: list[PlaceCard]
    scheme: Scheme
    progress: Progress

    @property
    def answered(self) -> int:
        return sum(card.is_answered for card in self.cards)

    @property
    def most_steps(self) -> int:
        """Of any place: the highest digit that answers something here."""
        return max(len(card.steps) for card in self.cards)


def places_page(assignment: Assignment, typed: Mapping[int, Sequence[str]] | None = None) -> PlacesPage:
    """Everything that the page shows, in four queries; ``typed`` is what a refused form says of a place."""
    desk = places.desk(assignment)
    known = places.given(assignment)
    scheme = assignment.task.scheme
    cards = []
    for number, spot in enumerate(desk.spots, 1):
        receipt = spot.receipt(assignment, places.of_spot(spot, known))
        steps = _chosen(receipt.steps, (typed or {}).get(spot.place, ()), len(spot.texts))
        variants = [
            ShownVariant(n, letter(n), text, step)
            for n, (text, step) in enumerate(zip(spot.texts, steps, strict=True))
        ]
        offered = range(1, step_count(len(spot.texts), scheme) + 1)
        cards.append(PlaceCard(number, spot.place, variants, offered, receipt.version, str(uuid.uuid4())))
    return PlacesPage(
        number=assignment.number,
        staves=_staves(assignment, desk.group),
        cards=cards,
        scheme=scheme,
        progress=task_progress(assignment),
    )


def _chosen(stored: Steps | None, typed: Sequence[str], count: int) -> list[int | None]:
    """
    >>> _chosen((1, None), (), 2), _chosen(None, ("2", ""), 2), _chosen(None, ("9" * 9999, "x"), 2)
    ([1, 0], [2, None], [None, None])
    """
    if stored is not None:
        return [step or 0 for step in stored]
    if len(typed) != count:
        return [None] * count
    offered = {str(step): step for step in range(MOST_STEPS + 1)}
    return [offered.get(step) for step in typed]


def comment_of(assignment: Assignment) -> Said:
    """The comment on this sentence that was stored last."""
    rows = _COMMENTS.rows(assignment.annotator_id, assignment.comparison_id, assignment.presentation)
    return Said(*rows[-1]) if rows else Said(0, "")


_COMMENTS = Prepared(
    lambda annotator, comparison, presentation: SentenceAnswer.objects.filter(
        annotator=annotator,
        comparison=comparison,
        presentation=presentation,
        question=SentenceAnswer.Question.COMMENT,
    )
    .order_by("version")
    .values_list("version", "value"),
    10001, 10002, 10003,
)  # fmt: skip


def _staves(assignment: Assignment, group: Group) -> list[list[Fragment]]:
    secret, texts = settings.SECRET_KEY.encode(), [stave.text for stave in group.staves]
    order = shown_order(secret, assignment.annotator.key, texts, assignment.presentation)
    return [fragments(group, candidate) for candidate in order]


def fragments(group: Group, candidate: int) -> list[Fragment]:
    """One candidate: what all share flows together, each place with a question has its number."""
    numbers = {place: number for number, place in enumerate(group.asked, 1)}
    stave, made, end = group.staves[candidate], list[Fragment](), 0
    for place, spans in enumerate(group.places):
        span = spans[candidate]
        text = stave.slice(span)
        space = " " if made and stave.text[end : end + 1].isspace() else ""
        if text:
            start = stave.spans[span[0]][0]
            space, end = stave.text[end:start], stave.spans[span[1] - 1][1]
        if place in numbers:
            made.append(Fragment(text, numbers[place], "sub" if text else "only-a", True, space))
        elif made and made[-1].number is None:
            made[-1] = Fragment(made[-1].text + space + text, space=made[-1].space)
        else:
            made.append(Fragment(text, space=space))
    return made
