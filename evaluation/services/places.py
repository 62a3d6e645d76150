"""Stores the ranking of a place: one answer becomes a verdict on every two of its variants.

The guarantees are those of ``judging``. An answer carries an id made by the browser, from which the ids of
its rankings are derived, so a repeated request finds all of them; they are appended together in one
transaction under one version; a correction appends the next version of all; an answer that is not based on
the newest version is refused, and nothing is overwritten.
"""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from evaluation.alignment.pairs import spot_key
from evaluation.blinding import canonical, shown_order
from evaluation.digests import text_digest
from evaluation.models import Alignment, Assignment, Candidate, Item, PhrasePair, Ranking, Slot
from evaluation.places import Group, Steps, normal, step_count, steps_of, verdicts
from evaluation.prepared import Prepared
from evaluation.schemes import Choice
from evaluation.services import claiming, judging


class UnknownPlace(Exception):
    """The place is not a question of this assignment."""


class BadSteps(Exception):
    """Not a ranking of the variants of this place."""


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """``steps`` of the variants as shown, None for a withdrawn answer; ``base`` the version that was seen."""

    uuid: uuids.UUID
    place: int
    steps: Steps | None
    base: int
    active_ms: int | None = None
    elapsed_ms: int | None = None


@dataclass(frozen=True, slots=True)
class PlaceReceipt:
    """What is stored; ``steps`` in their normal form, None where there is no answer."""

    version: int
    steps: Steps | None


class StalePlace(Exception):
    """This annotator has answered elsewhere (in another tab) in the meantime; nothing was overwritten."""

    def __init__(self, stored: PlaceReceipt) -> None:
        super().__init__(f"version {stored.version} is stored")
        self.stored = stored


@dataclass(frozen=True, slots=True)
class Given:
    """A stored ranking of one pair."""

    pair: int
    version: int
    choice: str | None
    uuid: uuids.UUID


@dataclass(frozen=True, slots=True)
class Spot:
    """A place as one annotator sees it; ``pairs`` is the pair of every two variants, by their numbers.

    ``turned`` are those whose stored order is the other way round.
    """

    place: int
    texts: tuple[str, ...]
    pairs: dict[tuple[int, int], int]
    turned: frozenset[tuple[int, int]]

    def stored(self, two: tuple[int, int], choice: Choice) -> Choice:
        """From shown to stored, or back."""
        return canonical(choice, swapped=two in self.turned, flipped=False)

    def receipt(self, assignment: Assignment, given: Iterable[Given]) -> PlaceReceipt:
        """The newest answer among these rankings of the place's pairs."""
        newest = {one.pair: one for one in sorted(given, key=lambda one: one.version)}
        version = max((one.version for one in newest.values()), default=0)
        said = {
            two: self.stored(two, Choice(choice))
            for two, pair in self.pairs.items()
            if pair in newest and (choice := newest[pair].choice)
        }
        whole = len(said) == len(self.pairs)
        return PlaceReceipt(
            version, steps_of(said, len(self.texts), assignment.task.scheme) if whole else None
        )


@dataclass(frozen=True, slots=True)
class Desk:
    """The candidates of a sentence and its places, as one annotator sees them."""

    group: Group
    spots: tuple[Spot, ...]


# --- what an assignment asks -----------------------------------------------------------------------------


def desk(assignment: Assignment) -> Desk:
    """Two queries, however many candidates and places there are."""
    item = assignment.comparison.item
    group = group_of(item, _CANDIDATES.objects(item.pk))
    pairs: dict[str, int] = dict(_PAIRS.rows(item.pk))
    return Desk(group, tuple([_spot(assignment, group, place, pairs) for place in group.asked]))


def group_of(item: Item, candidates: Iterable[Candidate]) -> Group:
    ordered = sorted(candidates, key=lambda candidate: candidate.text)
    places = [tuple(zip(flat[::2], flat[1::2], strict=True)) for flat in item.places]
    return Group.of([candidate.stave for candidate in ordered], places)


def _spot(assignment: Assignment, group: Group, place: int, pairs: dict[str, int]) -> Spot:
    texts = group.texts(place)
    order = shown_order(
        settings.SECRET_KEY.encode(), assignment.annotator.key, texts, assignment.presentation
    )
    shown = tuple([texts[number] for number in order])
    item = assignment.comparison.item.key
    twos = [(one, other) for one in range(len(shown)) for other in range(one + 1, len(shown))]
    return Spot(
        place,
        shown,
        {
            (one, other): pairs[text_digest(repr(spot_key(item, place, shown[one], shown[other])))]
            for one, other in twos
        },
        frozenset([(one, other) for one, other in twos if shown[one] > shown[other]]),
    )


def stands_for(assignment: Assignment, place: int) -> tuple[int, int]:
    """A pair that identifies a place for every annotator, and its alignment."""
    for spot in desk(assignment).spots:
        if spot.place == place:
            pair = PhrasePair.objects.get(pk=min(spot.pairs.values()))
            return pair.pk, Alignment.objects.filter(comparison=pair.owner_id).latest().pk
    raise UnknownPlace(str(place))


def given(assignment: Assignment) -> list[Given]:
    """Every ranking that this annotator has stored here."""
    where = assignment.annotator_id, assignment.presentation, assignment.comparison.item_id
    return [Given(*row) for row in _GIVEN.rows(*where)]


def of_spot(spot: Spot, rankings: Iterable[Given]) -> list[Given]:
    pairs = set(spot.pairs.values())
    return [one for one in rankings if one.pair in pairs]


_CANDIDATES = Prepared(lambda item: Candidate.objects.filter(item=item), 10001)
_PAIRS = Prepared(lambda item: PhrasePair.objects.filter(item=item).values_list("key", "pk"), 10001)
_GIVEN = Prepared(
    lambda annotator, presentation, item: Ranking.objects.filter(
        annotator=annotator, presentation=presentation, pair__item=item
    ).values_list("pair_id", "version", "choice", "uuid"),
    10001, 10002, 10003,
)  # fmt: skip


# --- storing answers ----------------------------------------------------------------------------------------


def rank_place(
    assignment: Assignment, answer: PlaceAnswer, *, received_at: datetime | None = None
) -> PlaceReceipt:
    """Append one ranking of a place; a repeated request gets the receipt of the first."""
    if not assignment.is_by_place:
        raise UnknownPlace(str(answer.place))
    spot = next((spot for spot in desk(assignment).spots if spot.place == answer.place), None)
    if spot is None:
        raise UnknownPlace(str(answer.place))
    steps = None if answer.steps is None else _checked(assignment, spot, answer.steps)
    return judging.append_once(lambda: _append(assignment, spot, answer, steps, received_at), answer.uuid)


def _checked(assignment: Assignment, spot: Spot, steps: Steps) -> Steps:
    scheme, count = assignment.task.scheme, len(spot.texts)
    most = step_count(count, scheme)
    if len(steps) != count:
        raise BadSteps(f"expected {count} steps, found {len(steps)}")
    for step in steps:
        if step is not None and not 1 <= step <= most:
            raise BadSteps(f"a step is a number from 1 to {most}, not {step}")
    return normal(steps, scheme)


def _append(
    assignment: Assignment,
    spot: Spot,
    answer: PlaceAnswer,
    steps: Steps | None,
    received_at: datetime | None,
) -> PlaceReceipt:
    with transaction.atomic():
        # The seat first, since it locks: one person's answers to a sentence are stored one after another.
        seat = claiming.take_seat(assignment) if assignment.task.is_open else None
        known = of_spot(spot, given(assignment))
        ids = {pair: uuids.uuid5(answer.uuid, str(pair)) for pair in spot.pairs.values()}
        first = spot.receipt(assignment, [one for one in known if one.uuid == ids[one.pair]])
        if first.version and first.steps == steps:  # a form from the browser's memory may be changed
            return first
        current = spot.receipt(assignment, known)
        if current.steps == steps:
            return current
        if current.version != answer.base:
            raise StalePlace(current)
        receipt = PlaceReceipt(current.version + 1, steps)
        Ranking.objects.bulk_create(_rankings(assignment, spot, answer, receipt, seat, ids, received_at))
        if steps is None and assignment.finished_at is not None:
            judging.reopen(assignment)
    return receipt


def _rankings(
    assignment: Assignment,
    spot: Spot,
    answer: PlaceAnswer,
    receipt: PlaceReceipt,
    seat: Slot | None,
    ids: dict[int, uuids.UUID],
    received_at: datetime | None,
) -> list[Ranking]:
    said = verdicts(receipt.steps, assignment.task.scheme) if receipt.steps is not None else {}
    when = received_at or timezone.now()
    share = len(spot.pairs)
    return [
        Ranking(
            uuid=ids[pair],
            annotator_id=assignment.annotator_id,
            pair_id=pair,
            presentation=assignment.presentation,
            version=receipt.version,
            choice=spot.stored(two, said[two]) if said else None,
            slot=seat,
            alignment_id=assignment.alignment_id,
            swapped=two in spot.turned,
            active_ms=_part(answer.active_ms, share, number),
            elapsed_ms=_part(answer.elapsed_ms, share, number),
            received_at=when,
        )
        for number, (two, pair) in enumerate(spot.pairs.items())
    ]


def _part(whole: int | None, share: int, number: int) -> int | None:
    """The time for a place is divided among its pairs, so that it adds up to the time spent.

    >>> [_part(10, 3, n) for n in range(3)]
    [4, 3, 3]
    """
    return None if whole is None else whole // share + (number < whole % share)


def finish(assignment: Assignment) -> list[int]:
    """Close an assignment if every place has an answer; otherwise say which places still miss one."""
    with transaction.atomic():
        known = given(assignment)
        missing = [
            spot.place
            for spot in desk(assignment).spots
            if spot.receipt(assignment, of_spot(spot, known)).steps is None
        ]
        if not missing and assignment.is_unsettled:
            judging.end(assignment, reason="")
    return missing
