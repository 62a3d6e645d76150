"""Correct an alignment: store a new version, while existing answers keep the version that they refer to.

An open assignment without an answer moves to the new version under a new token. A page that is still open
under the old token numbers its phrases by the old version, so an answer from there must not be stored for a
phrase that has the same number in the new version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from appraise.lib.digests import text_digest
from evaluation.alignment import Link, format_links
from evaluation.alignment.link_files import parse_links
from evaluation.alignment.pairs import DedupScope, MergedPair, merge_questions
from evaluation.alignment.question_rules import QuestionRules, QuestionSize
from evaluation.alignment.questions import join_with_next, split_question
from evaluation.alignment.word_classes import WordClasses, find_classes, has_word_list
from evaluation.annotate.services.assignments import reopen_assignment
from evaluation.models import (
    Alignment,
    AlignmentReport,
    Assignment,
    AuditEntry,
    Comparison,
    Occurrence,
    PhrasePair,
    Ranking,
    Slot,
    Task,
    User,
)
from evaluation.tasks.edited_links import Groups, Realignment, links_from_phrases, plan_comparison
from evaluation.tasks.planning import PlannedComparison, make_rules
from evaluation.tasks.services.slots import adjust_slots, reassign_owners
from evaluation.tasks.services.storage import is_task_wide, pair_digest, pair_kind

Reason = AlignmentReport.Reason
REGROUPING = (Reason.WITH_PREVIOUS, Reason.WITH_NEXT, Reason.APART)
"""The reports that can be applied without changing a link."""


class StaleAlignment(Exception):
    """A newer version was stored in the meantime; nothing was overwritten."""

    def __init__(self, newest: Alignment) -> None:
        super().__init__(f"version {newest.version} is stored")
        self.newest = newest


class NothingChanged(Exception):
    """The links are those of the newest version."""


@dataclass(frozen=True, slots=True)
class MatchedPair:
    """A question of a new version with its stored pair, if there is one."""

    pair: MergedPair
    key: str
    pk: int | None = None
    owner: int | None = None


def realign_comparison(
    comparison: Comparison, correction: Realignment, *, base: int, by: User, ask_again: bool = False
) -> Alignment:
    """Store the next version; ``base`` is the version that the manager saw.

    With ``ask_again``, those who have answered get the comparison again, with the answers that remain.
    Reports stay open if no phrase and no question changes.
    """
    task = comparison.item.task
    with transaction.atomic():
        # One correction at a time per task, because two could create the same pair.
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        before = Alignment.objects.filter(comparison=comparison).latest()
        if before.version != base:
            raise StaleAlignment(before)
        plan = plan_correction(comparison, before, correction)
        # All links, including those that no phrase keeps: the phrases follow from the complete set.
        links = format_links(correction.links)
        groups = [list(group) for group in plan.groups]
        if (plan.rows, groups, links) == (before.phrases, before.groups, before.links):
            raise NothingChanged(str(before))
        # Locked, so that no first answer arrives while assignments are checked for answers.
        list(Slot.objects.select_for_update().filter(comparison=comparison).values_list("pk"))
        alignment = Alignment.objects.create(
            comparison=comparison,
            version=base + 1,
            links=links,
            aligner=plan.aligner,
            phrases=plan.rows,
            groups=plan.groups,
            made_by=by,
        )
        _store_questions(comparison, plan, alignment)
        moved = _move_assignments(alignment)
        reopened = _ask_again(alignment) if ask_again else 0
        adjust_slots(task, {comparison.pk, *reassign_owners(task, [before, alignment])})
        is_same = is_unchanged(plan, before)
        reports = 0 if is_same else _resolve(_open_reports(task).filter(alignment__comparison=comparison), by)
        AuditEntry.objects.record(
            by, "correct alignment", task,
            {
                "item": comparison.item.key, "comparison": comparison.pk, "version": alignment.version,
                "links": alignment.links, "reports": reports, "assignments_moved": moved,
                "slots_opened_again": reopened,
            },
        )  # fmt: skip
    return alignment


def dismiss_reports(task: Task, pair: PhrasePair, *, by: User) -> int:
    """Close the open reports on a pair without a correction; returns how many there were."""
    with transaction.atomic():
        reports = _resolve(_open_reports(task).filter(pair=pair), by)
        if reports:
            AuditEntry.objects.record(
                by, "dismiss alignment report", task, {"pair": pair.pk, "reports": reports}
            )
    return reports


# --- questions of a correction --------------------------------------------------------------------------


def plan_correction(comparison: Comparison, newest: Alignment, correction: Realignment) -> PlannedComparison:
    task = comparison.item.task
    return plan_comparison(
        comparison.item.key,
        comparison.first.stave,
        comparison.second.stave,
        correction,
        aligner=newest.aligner,
        rules=get_rules(task),
        ask_moved=task.moved == Task.Moved.RANKED,
    )


def regroup(
    comparison: Comparison, newest: Alignment, correction: Realignment, action: str, first: int
) -> Realignment | None:
    """Join a question with the ``next`` or ``previous`` one, or take it ``apart``; None if impossible.

    ``first`` is the first phrase of the question.
    """
    plan = plan_correction(comparison, newest, correction)
    groups = plan.groups or tuple([(question.phrase,) for question in plan.questions])
    starts = sorted(min(group) for group in groups)
    if first not in starts:
        return None
    if action == Reason.APART:
        changed: Groups | None = split_question(plan.alignment, groups, first)
    elif action == Reason.WITH_NEXT:
        changed = join_with_next(plan.alignment, groups, first)
    else:
        before = starts[: starts.index(first)][-1:]
        changed = join_with_next(plan.alignment, groups, before[0]) if before else None
    return replace(correction, groups=changed) if changed else None


def is_unchanged(plan: PlannedComparison, newest: Alignment) -> bool:
    """Whether annotators would see the same phrases and questions; links may differ."""
    return (plan.rows, [list(group) for group in plan.groups]) == (newest.phrases, newest.groups)


def load_links(alignment: Alignment, n: int, m: int) -> tuple[Link, ...]:
    """Return the links of a version; for phrases without links they are derived from the phrases."""
    if not alignment.links and alignment.aligner == "given phrases":
        return links_from_phrases(alignment.phrases)
    return parse_links(alignment.links, n, m)


def get_rules(task: Task) -> QuestionRules | None:
    """Return the rules that grouped the phrases of a task at import."""
    language = task.target_language
    listed = has_word_list(language)
    classes = find_classes(language) if listed else WordClasses.of(task.function_words, language)
    return make_rules(QuestionSize(task.question_size), classes, ask_all=task.ask_all)


def match_pairs(comparison: Comparison, plan: PlannedComparison, version: int) -> list[MatchedPair]:
    """Match the questions of a plan with stored pairs, within the dedup scope of the task."""
    task = comparison.item.task
    scope = DedupScope.NONE if comparison.check_kind else DedupScope(task.dedup)
    found = merge_questions(plan.questions, scope=scope, seed=task.seed)
    if scope is DedupScope.NONE:
        # Nothing is merged, but a phrase that the correction did not change is the same question.
        stored_pairs = _pairs_by_spans(comparison)
        return [
            MatchedPair(
                pair,
                text_digest(pair_digest(pair), f"version {version}"),
                *stored_pairs.get(spans, (None, None)),
            )
            for pair in found
            for spans in [_question_spans(plan.rows, plan.groups, pair.owner.phrase)]
        ]
    keys = [pair_digest(pair) for pair in found]
    rows = task.pairs.filter(key__in=keys).values_list("key", "pk", "owner_id")
    known = {key: (pk, owner) for key, pk, owner in rows}
    return [
        MatchedPair(pair, key, *known.get(key, (None, None))) for key, pair in zip(keys, found, strict=True)
    ]


def _pairs_by_spans(comparison: Comparison) -> dict[tuple[object, ...], tuple[int, int]]:
    """Return pair and owner by the token spans of earlier versions."""
    rows = (
        Occurrence.objects.filter(alignment__comparison=comparison)
        .order_by("alignment__version")
        .values_list("alignment__phrases", "alignment__groups", "index", "pair_id", "pair__owner_id")
    )
    return {
        _question_spans(phrases, groups, index): (pair, owner) for phrases, groups, index, pair, owner in rows
    }


def _question_spans(
    rows: Sequence[Sequence[object]], groups: Iterable[Sequence[int]], index: int
) -> tuple[object, ...]:
    """Return the token spans of all phrases of the question that begins with phrase ``index``."""
    group = next((group for group in groups if group[0] == index), (index,))
    return tuple(span for number in group for span in rows[number][:4])


# --- storing it ----------------------------------------------------------------------------------------


def _store_questions(comparison: Comparison, plan: PlannedComparison, alignment: Alignment) -> None:
    task = comparison.item.task
    scope = DedupScope.NONE if comparison.check_kind else DedupScope(task.dedup)
    questions = match_pairs(comparison, plan, alignment.version)
    new = [
        PhrasePair(
            task=task,
            item_id=None if is_task_wide(one.pair, scope) else comparison.item_id,
            first=one.pair.first,
            second=one.pair.second,
            kind=pair_kind(one.pair),
            key=one.key,
            owner=comparison,
        )
        for one in questions
        if one.pk is None
    ]
    made = {pair.key: pair.pk for pair in PhrasePair.objects.bulk_create(new)}
    Occurrence.objects.bulk_create(
        Occurrence(
            pair_id=one.pk or made[one.key],
            alignment=alignment,
            index=where.phrase,
            flipped=where.flipped,
        )
        for one in questions
        for where in one.pair.occurrences
    )


def _move_assignments(alignment: Alignment) -> int:
    """Move open assignments without answers to the new version; returns how many there were."""
    answered = Ranking.objects.filter(
        annotator=OuterRef("annotator"),
        presentation=OuterRef("presentation"),
        alignment__comparison=OuterRef("comparison"),
    )
    untouched = Assignment.objects.unfinished().filter(~Exists(answered), comparison=alignment.comparison_id)
    return move_assignments({alignment.comparison_id: alignment}, untouched)


def move_assignments(versions: Mapping[int, Alignment], assignments: Iterable[Assignment]) -> int:
    """Move assignments to the new versions of their comparisons under new tokens; returns how many."""
    moved = [assignment for assignment in assignments if assignment.comparison_id in versions]
    for assignment in moved:
        alignment = versions[assignment.compared_id]
        assignment.alignment = alignment
        assignment.token = f"{assignment.token.partition('.')[0]}.{alignment.version}"
    Assignment.objects.bulk_update(moved, ["alignment", "token"], batch_size=500)
    return len(moved)


def find_answered_assignments(comparison: Comparison) -> QuerySet[Assignment]:
    """Return the first showings that were finished, or answered in part; those who skipped are not asked."""
    answered = Ranking.objects.filter(
        annotator=OuterRef("annotator"), presentation=0, alignment__comparison=OuterRef("comparison")
    )
    shown = Assignment.objects.filter(comparison=comparison, presentation=0, skip_reason="")
    return shown.filter(Exists(answered) | Q(finished_at__isnull=False))


def _ask_again(alignment: Alignment) -> int:
    """Give the comparison back to those who answered it; returns how many slots are open again.

    Their slots are kept for them until the lease expires, and are then free for others.
    """
    assignments = list(find_answered_assignments(alignment.comparison).select_related("task"))
    move_assignments({alignment.comparison_id: alignment}, assignments)
    for assignment in assignments:
        reopen_assignment(assignment)
    return len(assignments)


# --- reports -----------------------------------------------------------------------------


def _open_reports(task: Task) -> QuerySet[AlignmentReport]:
    return AlignmentReport.objects.filter(pair__task=task, resolved_at__isnull=True)


def _resolve(reports: QuerySet[AlignmentReport], by: User) -> int:
    return reports.update(resolved_at=timezone.now(), resolved_by=by)
