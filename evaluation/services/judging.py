"""Stores answers: none is lost, none is stored twice.

Each carries an id made by the browser, is appended and never changed, and is acknowledged only after the
commit. Who is asked what is decided in ``claiming``.
"""

from __future__ import annotations

import contextlib
import uuid as uuids
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Exists, FilteredRelation, Q, QuerySet
from django.utils import timezone

from evaluation.blinding import canonical
from evaluation.models import Assignment, Occurrence, Ranking, Slot
from evaluation.prepared import Prepared, PreparedInsert, PreparedUpdate
from evaluation.schemes import Choice
from evaluation.services.claiming import lease, take_seat

Appended = TypeVar("Appended")


class UnknownPhrase(Exception):
    """The phrase is not a question of this assignment."""


class ChoiceNotInScheme(Exception):
    """The choice exists, but this task does not offer it."""


class ReusedId(Exception):
    """The answer's id already belongs to another answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a browser sends: ``choice`` as shown, ``base`` the version that the annotator saw (0: none)."""

    uuid: uuids.UUID
    phrase: int
    choice: Choice | None
    base: int
    active_ms: int | None = None
    elapsed_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is stored: ``choice`` as this annotator sees the sides."""

    version: int
    choice: Choice | None


class StaleAnswer(Exception):
    """This annotator has answered elsewhere (in another tab) in the meantime; nothing was overwritten."""

    def __init__(self, stored: Receipt) -> None:
        super().__init__(f"version {stored.version} is stored")
        self.stored = stored


# --- storing answers ----------------------------------------------------------------------------------


def submit_ranking(assignment: Assignment, answer: Answer, *, received_at: datetime | None = None) -> Receipt:
    """Append one answer; a repeated request gets the receipt of the first.

    Raises ``StaleAnswer`` where another answer was stored since the one that the annotator saw.
    """
    if answer.choice is not None and answer.choice not in assignment.task.scheme.choices:
        raise ChoiceNotInScheme(answer.choice)
    return append_once(lambda: _append(assignment, answer, received_at), answer.uuid)


def append_once(append: Callable[[], Appended], uuid: uuids.UUID) -> Appended:
    """Run ``append``, a second time where the database refuses the first: ``ReusedId`` if it refuses both.

    Of two requests at the same moment one is refused; by the second attempt it sees what the other stored.
    """
    with contextlib.suppress(IntegrityError):
        return append()
    try:
        return append()
    except IntegrityError as error:
        raise ReusedId(str(uuid)) from error


def _append(assignment: Assignment, answer: Answer, received_at: datetime | None) -> Receipt:
    with transaction.atomic():
        # The seat first, since it locks: one person's answers to a comparison are stored one after another.
        seat = take_seat(assignment) if assignment.task.is_open else None
        place = _place(assignment, answer.phrase)
        for version, choice, uuid in place.given:
            # A form that comes back from the browser's memory is sent again with its id, but maybe changed.
            if uuid == answer.uuid and place.turned(choice) == answer.choice:
                return Receipt(version, answer.choice)
        current = place.current
        if current.choice == answer.choice:  # a whole form repeats what single clicks have sent
            return current
        if current.version != answer.base:
            raise StaleAnswer(current)
        _APPEND(
            uuid=answer.uuid,
            annotator=assignment.annotator_id,
            pair=place.pair,
            presentation=assignment.presentation,
            version=current.version + 1,
            choice=place.turned(answer.choice),
            slot=seat.pk if seat else None,
            alignment=assignment.alignment_id,
            swapped=place.turns,
            active_ms=answer.active_ms,
            elapsed_ms=answer.elapsed_ms,
            received_at=received_at or timezone.now(),
        )
        if answer.choice is None and assignment.finished_at is not None:
            reopen(assignment)
    return Receipt(current.version + 1, answer.choice)


@dataclass(frozen=True, slots=True)
class _Place:
    """A pair as one annotator sees it, with their answers: version, choice as stored, id."""

    pair: int
    turns: bool  # whether the pair's second text stands on the left, as A
    given: list[tuple[int, str | None, uuids.UUID]]

    def turned(self, choice: str | None) -> Choice | None:
        """From shown to stored, or back."""
        return None if choice is None else canonical(Choice(choice), swapped=self.turns, flipped=False)

    @property
    def current(self) -> Receipt:
        if not self.given:
            return Receipt(0, None)
        version, choice, _ = max(self.given)  # versions differ, so choices are never compared
        return Receipt(version, self.turned(choice))


def _place(assignment: Assignment, phrase: int) -> _Place:
    where = assignment.pk, assignment.alignment_id, assignment.comparison_id, phrase
    found = _ASKED.rows(*where, assignment.annotator_id, assignment.presentation)
    if not found:
        raise UnknownPhrase(str(phrase))
    pair, flipped, *_ = found[0]
    given = [(version, choice, uuid) for _, _, version, choice, uuid in found if version is not None]
    return _Place(pair, assignment.swapped != flipped, given)


_APPEND = PreparedInsert(
    Ranking, "uuid", "annotator", "pair", "presentation", "version", "choice", "slot", "alignment", "swapped",
    "active_ms", "elapsed_ms", "received_at",
)  # fmt: skip
# The phrase if it is a question here: a row for each version of this annotator's answer, or one without.
# None if the alignment was corrected since the assignment was read: the page will ask by its new version.
_ASKED = Prepared(
    lambda assignment, alignment, comparison, index, annotator, presentation: _asked(alignment, comparison)
    .filter(Exists(Assignment.objects.filter(pk=assignment, alignment=alignment)), index=index)
    .annotate(given=_given(annotator, presentation))
    .values_list("pair_id", "flipped", "given__version", "given__choice", "given__uuid"),
    10001, 10002, 10003, 10004, 10005, 10006,
)  # fmt: skip


def _given(annotator: int, presentation: int) -> FilteredRelation:
    said = Q(pair__rankings__annotator=annotator, pair__rankings__presentation=presentation)
    return FilteredRelation("pair__rankings", condition=said)


def finish(assignment: Assignment) -> list[int]:
    """Close an assignment if every question has an answer; otherwise say which phrases still miss one."""
    with transaction.atomic():
        missing = unanswered(assignment)
        if not missing and assignment.is_unsettled:
            end(assignment, reason="")
    return missing


def skip(assignment: Assignment, reason: str) -> None:
    """Skip a comparison with a reason. That is not a judgement: nothing is stored about its pairs."""
    with transaction.atomic():
        end(assignment, reason=reason or "no reason given")


def end(assignment: Assignment, *, reason: str) -> None:
    assignment.finished_at = timezone.now()
    assignment.skip_reason = reason
    assignment.active_ms = sum(ms or 0 for (ms,) in _times(assignment))
    _END(assignment.pk, assignment.finished_at, reason, assignment.active_ms)
    _LEAVE(assignment.comparison_id, assignment.annotator_id, assignment.presentation)


_END = PreparedUpdate(
    lambda assignment, now, reason, ms: (
        Assignment.objects.filter(pk=assignment),
        {"finished_at": now, "skip_reason": reason, "active_ms": ms},
    ),
    10001, datetime(2001, 2, 3, tzinfo=UTC), "a reason", 10002,
)  # fmt: skip
_LEAVE = PreparedUpdate(
    lambda comparison, annotator, presentation: (
        Slot.objects.filter(comparison=comparison, annotator=annotator, presentation=presentation),
        {"state": Slot.State.DONE, "lease_until": None},
    ),
    10001, 10002, 10003,
)  # fmt: skip


def _times(assignment: Assignment) -> list[tuple[int | None]]:
    """The time of each answer to what was asked: the comparison's own pairs, or the sentence's where all
    candidates are judged together."""
    who = assignment.annotator_id, assignment.presentation
    if assignment.is_by_place:
        return _TIMES_OF_ITEM.rows(*who, assignment.comparison.item_id)
    return _TIMES.rows(*who, assignment.comparison_id)


_TIMES, _TIMES_OF_ITEM = (
    Prepared(
        lambda annotator, presentation, asked, where=where: Ranking.objects.filter(
            annotator=annotator, presentation=presentation, **{where: asked}
        ).values_list("active_ms"),
        10001, 10002, 10003,
    )
    for where in ("pair__owner", "pair__item")
)  # fmt: skip


def reopen(assignment: Assignment) -> None:
    """A withdrawn answer leaves a gap: the comparison is unfinished again."""
    assignment.finished_at = None
    assignment.save(update_fields=["finished_at"])
    Slot.objects.filter(
        comparison=assignment.comparison_id,
        annotator=assignment.annotator_id,
        presentation=assignment.presentation,
    ).update(state=Slot.State.TAKEN, lease_until=lease(assignment.task))


# --- what an assignment asks ---------------------------------------------------------------------------


def asked(assignment: Assignment) -> QuerySet[Occurrence]:
    """The questions of an assignment: the phrases whose pair this comparison owns."""
    return _asked(assignment.alignment_id, assignment.comparison_id)


def _asked(alignment: int, comparison: int) -> QuerySet[Occurrence]:
    return Occurrence.objects.filter(alignment=alignment, pair__owner=comparison)


class Asked(NamedTuple):
    """A question: its pair, with the texts exchanged where ``flipped``, and one annotator's last answer."""

    pair: int
    flipped: bool
    version: int  # 0: none
    choice: str | None  # as stored


def questions(assignment: Assignment) -> dict[int, Asked]:
    """The questions of an assignment by their index, each with what the annotator said last; one query."""
    here = assignment.alignment_id, assignment.comparison_id
    found: dict[int, Asked] = {}
    for index, pair, flipped, version, choice in _QUESTIONS.rows(
        *here, assignment.annotator_id, assignment.presentation
    ):
        if index not in found or version > found[index].version:
            found[index] = Asked(pair, flipped, version or 0, choice)
    return found


def unanswered(assignment: Assignment) -> list[int]:
    """Indices of asked phrases without a current answer."""
    return sorted(index for index, asked in questions(assignment).items() if not asked.choice)


# A row for each version of this annotator's answer, or one without.
_QUESTIONS = Prepared(
    lambda alignment, comparison, annotator, presentation: _asked(alignment, comparison)
    .annotate(given=_given(annotator, presentation))
    .values_list("index", "pair_id", "flipped", "given__version", "given__choice"),
    10001, 10002, 10003, 10004,
)  # fmt: skip
