"""Store the ranking of a place, which becomes a ranking of every two of its variants.

The guarantees are those of ``append_answer``. The UUIDs of the stored rankings are derived from the UUID of
the answer, so a repeated request finds all of them; they are appended together under one version, and a
correction appends the next version of all.
"""

from __future__ import annotations

import uuid as uuids
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import combinations

from django.conf import settings
from django.db import transaction

from appraise.lib.digests import text_digest
from evaluation.alignment.pairs import place_key
from evaluation.annotate.places import (
    CandidateGroup,
    Steps,
    choices_from_steps,
    count_steps,
    normalize_steps,
    steps_from_choices,
)
from evaluation.annotate.services.answers import (
    InvalidAnswer,
    Receipt,
    StoredVersion,
    Submission,
    UnknownQuestion,
    append_answer,
    ranking_fields,
)
from evaluation.annotate.services.assignments import end_assignment, reopen_assignment
from evaluation.blinding import canonical, shown_order
from evaluation.models import Alignment, Assignment, Candidate, Item, PhrasePair, Ranking, Slot
from evaluation.schemes import Choice


class BadSteps(InvalidAnswer):
    """The steps do not rank the variants of this place."""


@dataclass(frozen=True, slots=True)
class StoredRanking:
    """A stored ranking of one pair."""

    pair: int
    version: int
    choice: str | None
    uuid: uuids.UUID


@dataclass(frozen=True, slots=True)
class ShownPlace:
    """A place as one annotator sees it.

    ``pairs`` maps the numbers of every two variants to their pair; ``turned`` are those that are stored in
    the opposite order.
    """

    place: int
    texts: tuple[str, ...]
    pairs: dict[tuple[int, int], int]
    turned: frozenset[tuple[int, int]]

    def turn(self, variants: tuple[int, int], choice: Choice) -> Choice:
        """Convert from shown to stored order, or back."""
        return canonical(choice, swapped=variants in self.turned, flipped=False)

    def receipt(self, assignment: Assignment, rankings: Iterable[StoredRanking]) -> Receipt[Steps | None]:
        """Return the newest answer among these rankings; those of other places are ignored."""
        own = set(self.pairs.values())
        newest = {row.pair: row for row in sorted(rankings, key=lambda row: row.version) if row.pair in own}
        version = max((row.version for row in newest.values()), default=0)
        choices = {
            variants: self.turn(variants, Choice(choice))
            for variants, pair in self.pairs.items()
            if pair in newest and (choice := newest[pair].choice)
        }
        if len(choices) < len(self.pairs):
            return Receipt(version, None)
        return Receipt(version, steps_from_choices(choices, len(self.texts), assignment.task.scheme))


@dataclass(frozen=True, slots=True)
class SentencePlaces:
    """The candidates of a sentence and its places, as one annotator sees them."""

    group: CandidateGroup
    places: tuple[ShownPlace, ...]


# --- what an assignment asks -----------------------------------------------------------------------------


def load_places(assignment: Assignment) -> SentencePlaces:
    """Return the places of an assignment; two queries, regardless of the number of candidates and places."""
    item = assignment.compared.item
    group = load_group(item, item.candidates.all())
    pairs = dict(item.pairs.values_list("key", "pk"))
    return SentencePlaces(
        group, tuple([_show_place(assignment, group, place, pairs) for place in group.question_places])
    )


def load_group(item: Item, candidates: Iterable[Candidate]) -> CandidateGroup:
    """Return the candidates with the places that were stored at import."""
    ordered = sorted(candidates, key=lambda candidate: candidate.text)
    places = [tuple(zip(flat[::2], flat[1::2], strict=True)) for flat in item.places]
    return CandidateGroup.of([candidate.stave for candidate in ordered], places)


def _show_place(
    assignment: Assignment, group: CandidateGroup, place: int, pairs: dict[str, int]
) -> ShownPlace:
    texts = group.texts(place)
    secret = settings.SECRET_KEY.encode()
    order = shown_order(secret, assignment.annotator.key, texts, assignment.presentation)
    shown = tuple([texts[number] for number in order])
    item = assignment.compared.item.key
    numbers = list(combinations(range(len(shown)), 2))
    return ShownPlace(
        place,
        shown,
        {(i, j): pairs[text_digest(repr(place_key(item, place, shown[i], shown[j])))] for i, j in numbers},
        frozenset([(i, j) for i, j in numbers if shown[i] > shown[j]]),
    )


def _find_place(assignment: Assignment, number: int) -> ShownPlace:
    for place in load_places(assignment).places:
        if place.place == number:
            return place
    raise UnknownQuestion(str(number))


def find_representative(assignment: Assignment, number: int) -> tuple[int, int]:
    """Return a pair that identifies a place for every annotator, and its alignment."""
    pair = PhrasePair.objects.get(pk=min(_find_place(assignment, number).pairs.values()))
    return pair.pk, Alignment.objects.filter(comparison=pair.owner_id).latest().pk


def load_rankings(assignment: Assignment) -> list[StoredRanking]:
    """Return every ranking by this annotator of pairs of this sentence."""
    return _read_rankings(assignment, pair__item=assignment.compared.item_id)


def _read_rankings(assignment: Assignment, **condition: object) -> list[StoredRanking]:
    rankings = Ranking.objects.given_by(assignment).filter(**condition)
    return [StoredRanking(*row) for row in rankings.values_list("pair_id", "version", "choice", "uuid")]


def load_stored_steps(assignment: Assignment, shown: Iterable[ShownPlace]) -> dict[int, Steps | None]:
    """Return the newest answer to each of these places; one query."""
    by_pair: dict[int, list[StoredRanking]] = {}
    for ranking in load_rankings(assignment):
        by_pair.setdefault(ranking.pair, []).append(ranking)
    return {
        place.place: place.receipt(
            assignment, [ranking for pair in place.pairs.values() for ranking in by_pair.get(pair, ())]
        ).value
        for place in shown
    }


def finish_places(assignment: Assignment) -> list[int]:
    """End an assignment if every place has an answer; returns the places that have none."""
    with transaction.atomic():
        steps = load_stored_steps(assignment, load_places(assignment).places)
        missing = [place for place, stored in steps.items() if stored is None]
        if not missing:
            end_assignment(assignment)
    return missing


# --- storing answers -------------------------------------------------------------------------------------


def submit_place_ranking(
    assignment: Assignment, submission: Submission[Steps], *, received_at: datetime | None = None
) -> Receipt[Steps | None]:
    """Append the ranking of one place, or withdraw it."""
    if not assignment.is_by_place:
        raise UnknownQuestion(str(submission.question))
    return _submit(assignment, _find_place(assignment, submission.question), submission, received_at)


class PlaceForm:
    """Stores the answers of a form, which repeats all of a page: the places are loaded once."""

    def __init__(self, assignment: Assignment) -> None:
        self.assignment = assignment
        self.places = {place.place: place for place in load_places(assignment).places}
        self.stored = load_stored_steps(assignment, self.places.values())

    def submit(self, submission: Submission[Steps]) -> None:
        place = self.places.get(submission.question)
        if place is None:
            raise UnknownQuestion(str(submission.question))
        if self.stored[place.place] is None or self.stored[place.place] != submission.value:
            _submit(self.assignment, place, submission)


def _submit(
    assignment: Assignment,
    place: ShownPlace,
    submission: Submission[Steps],
    received_at: datetime | None = None,
) -> Receipt[Steps | None]:
    steps = None if submission.value is None else _check_steps(assignment, place, submission.value)
    history = _PlaceHistory(assignment, place, submission, steps, received_at)
    return append_answer(assignment, history, steps, uuid=submission.uuid, base=submission.base)


def _check_steps(assignment: Assignment, place: ShownPlace, steps: Steps) -> Steps:
    scheme, count = assignment.task.scheme, len(place.texts)
    most = count_steps(count, scheme)
    if len(steps) != count:
        raise BadSteps(f"expected {count} steps, found {len(steps)}")
    for step in steps:
        if step is not None and not 1 <= step <= most:
            raise BadSteps(f"a step is a number from 1 to {most}, not {step}")
    return normalize_steps(steps, scheme)


@dataclass(frozen=True, slots=True)
class _PlaceHistory:
    """``steps`` is the new answer in its normal form."""

    assignment: Assignment
    place: ShownPlace
    submission: Submission[Steps]
    steps: Steps | None
    received_at: datetime | None
    blank = None

    def versions(self) -> list[StoredVersion[Steps | None]]:
        rankings = _read_rankings(self.assignment, pair__in=list(self.place.pairs.values()))
        versions: list[StoredVersion[Steps | None]] = [StoredVersion(0, None)]
        for number in sorted({row.version for row in rankings}):
            until = [row for row in rankings if row.version <= number]
            is_repeat = all(row.uuid == self._uuid(row.pair) for row in until if row.version == number)
            steps = self.place.receipt(self.assignment, until).value
            versions.append(StoredVersion(number, steps, is_repeat))
        return versions

    def append(self, version: int, slot: Slot | None) -> None:
        place, submission = self.place, self.submission
        choices = choices_from_steps(self.steps, self.assignment.task.scheme) if self.steps else {}
        fields = ranking_fields(self.assignment, version, slot, self.received_at)
        count = len(place.pairs)
        Ranking.objects.bulk_create(
            Ranking(
                uuid=self._uuid(pair),
                pair_id=pair,
                choice=place.turn(variants, choices[variants]) if choices else None,
                swapped=variants in place.turned,
                active_ms=_share_time(submission.active_ms, count, number),
                elapsed_ms=_share_time(submission.elapsed_ms, count, number),
                **fields,
            )
            for number, (variants, pair) in enumerate(place.pairs.items())
        )
        if self.steps is None:
            reopen_assignment(self.assignment)

    def _uuid(self, pair: int) -> uuids.UUID:
        return uuids.uuid5(self.submission.uuid, str(pair))


def _share_time(total: int | None, count: int, number: int) -> int | None:
    """Divide the time for a place among its pairs, so that the sum is the time spent.

    >>> [_share_time(10, 3, n) for n in range(3)]
    [4, 3, 3]
    """
    return None if total is None else total // count + (number < total % count)
