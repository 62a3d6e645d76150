"""Correcting an alignment makes a new version; existing answers keep the version that they refer to.

An assignment that is open and has no answer yet moves to the new version under a new token. The page that may
still be open under the old one numbers its phrases by the old version: an answer from there must not be
stored for a phrase that happens to have the same number now.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from evaluation.alignment import format_links
from evaluation.alignment.pairs import Pair, Scope, pairs
from evaluation.correcting import Correction, planned
from evaluation.digests import text_digest
from evaluation.models import (
    Alignment,
    AlignmentReport,
    Annotator,
    Assignment,
    Comparison,
    Occurrence,
    PhrasePair,
    Ranking,
    Slot,
    Task,
    User,
)
from evaluation.planning import PlannedComparison
from evaluation.services import trail
from evaluation.services.owners import settle_owners, settle_seats
from evaluation.services.storing import insert_rows, is_task_wide, key_of, kind_of


class StaleAlignment(Exception):
    """Somebody else has stored a newer version in the meantime; nothing was overwritten."""

    def __init__(self, newest: Alignment) -> None:
        super().__init__(f"version {newest.version} is stored")
        self.newest = newest


class NothingChanged(Exception):
    """The links say what the newest version says already."""


@dataclass(frozen=True, slots=True)
class Matched:
    """A question of a new version, and the stored pair that it is, if there is one."""

    pair: Pair
    key: str
    pk: int | None = None
    owner: int | None = None


def correct(comparison: Comparison, correction: Correction, *, base: int, by: User) -> Alignment:
    """Store the next version; ``base`` is the version that the person saw."""
    task = comparison.item.task
    with transaction.atomic():
        # One correction at a time in a task: two of them could create the same pair.
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        before = Alignment.objects.filter(comparison=comparison).latest()
        if before.version != base:
            raise StaleAlignment(before)
        plan = plan_correction(comparison, before, correction)
        # All of them, also those that no phrase could keep: the phrases follow from the whole set.
        given = format_links(correction.links)
        if plan.rows == before.phrases and given == before.links:
            raise NothingChanged(str(before))
        # Locked, so that no first answer can arrive while we check who has answered.
        list(Slot.objects.select_for_update().filter(comparison=comparison).values_list("pk"))
        alignment = Alignment.objects.create(
            comparison=comparison,
            version=base + 1,
            links=given,
            aligner=plan.aligner,
            phrases=plan.rows,
            made_by=by,
        )
        _store_questions(comparison, plan, alignment)
        moved = _move_assignments(alignment)
        settle_seats(task, {comparison.pk, *settle_owners(task, [before, alignment])})
        reports = _resolve(_open_reports(task).filter(alignment__comparison=comparison), by)
        trail.note(
            by, "correct alignment", task,
            {
                "item": comparison.item.key, "comparison": comparison.pk, "version": alignment.version,
                "links": alignment.links, "reports": reports, "assignments_moved": moved,
            },
        )  # fmt: skip
    return alignment


def report(annotator: Annotator, *, pair: int, alignment: int, reason: str, note: str) -> AlignmentReport:
    """Store an annotator's report of a wrong alignment; one on a dismissed pair opens the case again."""
    return AlignmentReport.objects.update_or_create(
        annotator=annotator,
        pair_id=pair,
        alignment_id=alignment,
        defaults={"reason": reason, "note": note, "resolved_at": None, "resolved_by": None},
    )[0]


def dismiss(task: Task, pair: PhrasePair, *, by: User) -> int:
    """Close the open reports on a pair, which is aligned well enough; returns how many there were."""
    with transaction.atomic():
        reports = _resolve(_open_reports(task).filter(pair=pair), by)
        if reports:
            trail.note(by, "dismiss alignment report", task, {"pair": pair.pk, "reports": reports})
    return reports


def moved_assignment(token: str, user: User) -> Assignment | None:
    """The assignment that replaced the one with this token when its alignment was corrected."""
    later = Assignment.objects.filter(token__startswith=f"{token.partition('.')[0]}.", annotator__user=user)
    return later.exclude(token=token).first()


# --- what a correction asks --------------------------------------------------------------------------


def plan_correction(comparison: Comparison, newest: Alignment, correction: Correction) -> PlannedComparison:
    task = comparison.item.task
    return planned(
        comparison.item.key,
        comparison.first.stave,
        comparison.second.stave,
        correction,
        aligner=newest.aligner,
        ask_moved=task.moved == Task.Moved.RANKED,
    )


def matched(comparison: Comparison, plan: PlannedComparison, version: int) -> list[Matched]:
    """The questions of a plan with the stored pairs that they are, within the scope of the task."""
    task = comparison.item.task
    scope = Scope.NONE if comparison.check_kind else Scope(task.dedup)
    found = pairs(plan.places, scope=scope, seed=task.seed)
    if scope is Scope.NONE:
        # Nothing is merged, but a phrase that no correction touched is still the same question.
        stood = _stood_before(comparison)
        return [
            Matched(pair, text_digest(key_of(pair), f"version {version}"), *stood.get(spans, (None, None)))
            for pair in found
            for spans in [tuple(plan.rows[pair.owner.phrase][:4])]
        ]
    keys = [key_of(pair) for pair in found]
    rows = task.pairs.filter(key__in=keys).values_list("key", "pk", "owner_id")
    known = {key: (pk, owner) for key, pk, owner in rows}
    return [Matched(pair, key, *known.get(key, (None, None))) for key, pair in zip(keys, found, strict=True)]


def _stood_before(comparison: Comparison) -> dict[tuple[object, ...], tuple[int, int]]:
    """Token spans of earlier versions → pair and owner."""
    rows = (
        Occurrence.objects.filter(alignment__comparison=comparison)
        .order_by("alignment__version")
        .values_list("alignment__phrases", "index", "pair_id", "pair__owner_id")
    )
    return {tuple(phrases[index][:4]): (pair, owner) for phrases, index, pair, owner in rows}


# --- storing it ----------------------------------------------------------------------------------------


def _store_questions(comparison: Comparison, plan: PlannedComparison, alignment: Alignment) -> None:
    task = comparison.item.task
    scope = Scope(task.dedup)
    questions = matched(comparison, plan, alignment.version)
    new = [
        PhrasePair(
            task=task,
            item_id=None
            if not comparison.check_kind and is_task_wide(one.pair, scope)
            else comparison.item_id,
            first=one.pair.first,
            second=one.pair.second,
            kind=kind_of(one.pair),
            key=one.key,
            owner=comparison,
        )
        for one in questions
        if one.pk is None
    ]
    made = {pair.key: pair.pk for pair in PhrasePair.objects.bulk_create(new)}
    insert_rows(
        Occurrence,
        ("pair_id", "alignment_id", "index", "flipped"),
        [
            (one.pk or made[one.key], alignment.pk, where.phrase, where.flipped)
            for one in questions
            for where in one.pair.occurrences
        ],
    )


def _move_assignments(alignment: Alignment) -> int:
    """Move open assignments without any answer to the new version; returns how many there were."""
    answered = Ranking.objects.filter(
        annotator=OuterRef("annotator"),
        presentation=OuterRef("presentation"),
        alignment__comparison=OuterRef("comparison"),
    )
    untouched = list(
        Assignment.objects.filter(
            ~Exists(answered), comparison=alignment.comparison_id, finished_at__isnull=True
        )
    )
    for assignment in untouched:
        assignment.alignment = alignment
        assignment.token = f"{assignment.token.partition('.')[0]}.{alignment.version}"
    Assignment.objects.bulk_update(untouched, ["alignment", "token"])
    return len(untouched)


# --- reports and the trail -----------------------------------------------------------------------------


def _open_reports(task: Task) -> QuerySet[AlignmentReport]:
    return AlignmentReport.objects.filter(pair__task=task, resolved_at__isnull=True)


def _resolve(reports: QuerySet[AlignmentReport], by: User) -> int:
    return reports.update(resolved_at=timezone.now(), resolved_by=by)
