"""Write planned items as rows: items, candidates, comparisons, alignments, pairs and occurrences.

Rows are written in bulk, one chunk at a time, in the transaction of the caller. Attention checks are stored
like all comparisons, with candidates that no system wrote and pairs that are never merged.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import Count, QuerySet

from appraise.lib.digests import text_digest
from evaluation.alignment import format_links
from evaluation.alignment.pairs import DedupScope, MergedPair, PairOccurrence, merge_questions, owner_key
from evaluation.models import Alignment, Candidate, Comparison, Item, Occurrence, Output, PhrasePair, Task
from evaluation.tasks.planning import PlannedComparison, PlannedItem, comparison_key

OWNERS_AT_ONCE = 500


class StoredComparison(NamedTuple):
    """A comparison as planned and as stored; ``asked`` maps a phrase index to (pair, flipped)."""

    plan: PlannedComparison
    alignment: Alignment
    asked: dict[int, tuple[int, bool]]

    @property
    def comparison(self) -> Comparison:
        return self.alignment.comparison


class TaskWriter:
    """Writes planned items in bulk. Pairs that are merged over the task get their owner at the end."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.scope = DedupScope(task.dedup)
        self.systems = {system.name: system for system in task.systems.all()}
        self.known = dict(task.pairs.filter(item__isnull=True).values_list("key", "pk"))

    def add(self, planned: Sequence[PlannedItem], *, first_position: int) -> list[list[StoredComparison]]:
        """Store a chunk; returns the comparisons of each item, without checks."""
        items = Item.objects.bulk_create(
            Item(
                task=self.task,
                position=position,
                key=plan.item.id,
                document=plan.item.document,
                domain=plan.item.domain,
                source=plan.item.source,
                references=list(plan.item.references),
                context_before=plan.item.before,
                context_after=plan.item.after,
                places=[[n for span in place for n in span] for place in plan.places],
            )
            for position, plan in enumerate(planned, first_position)
        )
        candidates = self._candidates(items, planned)
        ordinary, checks = self._alignments(items, planned, candidates)
        self.add_questions(ordinary, self.scope)
        self.add_questions(checks, DedupScope.NONE)
        by_item: dict[int, list[StoredComparison]] = {item.pk: [] for item in items}
        for stored in ordinary:
            by_item[stored.comparison.item_id].append(stored)
        return list(by_item.values())

    def _candidates(
        self, items: Sequence[Item], planned: Sequence[PlannedItem]
    ) -> dict[tuple[int, str], Candidate]:
        rows = [
            Candidate(
                item_id=item.pk,
                text=stave.text,
                digest=text_digest(stave.text),
                offsets=[n for span in stave.spans for n in span],
            )
            for item, plan in zip(items, planned, strict=True)
            # Sorted by text, so that a damaged one cannot be recognised by its position.
            for stave in sorted(
                (*plan.staves.values(), *(check.damaged for check in plan.checks)), key=lambda s: s.text
            )
        ]
        made = {(row.item_id, row.text): row for row in Candidate.objects.bulk_create(rows)}
        Output.objects.bulk_create(
            Output(system_id=self.systems[system].pk, item_id=item.pk, candidate_id=made[item.pk, text].pk)
            for item, plan in zip(items, planned, strict=True)
            for system, text in plan.item.candidates
        )
        return made

    def _alignments(
        self,
        items: Sequence[Item],
        planned: Sequence[PlannedItem],
        candidates: dict[tuple[int, str], Candidate],
    ) -> tuple[list[StoredComparison], list[StoredComparison]]:
        """The ordinary comparisons and the checks."""
        plans = [
            (item.pk, comparison, expected)
            for item, plan in zip(items, planned, strict=True)
            for comparison, expected in (
                *((comparison, "") for comparison in plan.comparisons),
                *((check.comparison, check.expected.value) for check in plan.checks),
            )
        ]
        stored = self._store_comparisons(plans, candidates)
        return (
            [one for one in stored if not one.comparison.check_kind],
            [one for one in stored if one.comparison.check_kind],
        )

    def add_comparisons(
        self,
        planned: Sequence[tuple[int, PlannedComparison]],
        candidates: dict[tuple[int, str], Candidate],
    ) -> None:
        """Store further comparisons of stored items, which are given by their ids.

        A pair that the task already has stays with its owner.
        """
        self.known |= dict(self.task.pairs.values_list("key", "pk"))
        plans = [(item, comparison, "") for item, comparison in planned]
        self.add_questions(self._store_comparisons(plans, candidates), self.scope)

    def _store_comparisons(
        self,
        plans: Sequence[tuple[int, PlannedComparison, str]],
        candidates: dict[tuple[int, str], Candidate],
    ) -> list[StoredComparison]:
        comparisons = Comparison.objects.bulk_create(
            Comparison(
                item_id=item,
                first_id=candidates[item, plan.first.text].pk,
                second_id=candidates[item, plan.second.text].pk,
                check_kind=Comparison.Check.DEGRADED if expected else Comparison.Check.NONE,
                expected=expected,
            )
            for item, plan, expected in plans
        )
        alignments = Alignment.objects.bulk_create(
            Alignment(
                comparison=comparison,
                links=format_links(plan.alignment.links),
                aligner=plan.aligner[:120],
                phrases=plan.rows,
                groups=plan.groups,
            )
            for comparison, (_, plan, _) in zip(comparisons, plans, strict=True)
        )
        return [StoredComparison(plan, row, {}) for row, (_, plan, _) in zip(alignments, plans, strict=True)]

    def add_questions(self, stored: Sequence[StoredComparison], scope: DedupScope) -> None:
        """Store the pairs of some comparisons and where they occur."""
        questions = [question for one in stored for question in one.plan.questions]
        merged = merge_questions(questions, scope=scope, seed=self.task.seed)
        merged_pairs = [(pair_digest(pair), pair) for pair in merged]
        comparison_by_key = {
            (one.plan.questions[0].item, one.plan.key): one for one in stored if one.plan.questions
        }

        def find_comparison(where: PairOccurrence) -> StoredComparison:
            return comparison_by_key[where.item, where.comparison]

        made = PhrasePair.objects.bulk_create(
            PhrasePair(
                task=self.task,
                item_id=None if is_task_wide(pair, scope) else find_comparison(pair.owner).comparison.item_id,
                first=pair.first,
                second=pair.second,
                kind=pair_kind(pair),
                key=key,
                owner_id=find_comparison(pair.owner).alignment.comparison_id,
            )
            for key, pair in merged_pairs
            if key not in self.known
        )
        ids = ChainMap({pair.key: pair.pk for pair in made}, self.known)
        if scope is DedupScope.TASK:
            self.known |= {pair.key: pair.pk for pair in made if pair.item_id is None}
        occurrences = []
        for key, pair in merged_pairs:
            for where in pair.occurrences:
                comparison = find_comparison(where)
                comparison.asked[where.phrase] = (ids[key], where.flipped)
                alignment = comparison.alignment.pk
                occurrences.append(
                    Occurrence(
                        pair_id=ids[key], alignment_id=alignment, index=where.phrase, flipped=where.flipped
                    )
                )
        Occurrence.objects.bulk_create(occurrences)

    def settle_owners(self) -> None:
        """Pick by seed which comparison asks each pair that occurs in several items."""
        if self.scope is not DedupScope.TASK:
            return
        several = (
            Occurrence.objects.filter(pair__task=self.task, pair__item__isnull=True)
            .values("pair")
            .annotate(n=Count("pk"))
            .filter(n__gt=1)
        )
        picked = pick_owners(self.task, Occurrence.objects.filter(pair__in=several.values("pair")))
        owners = [PhrasePair(pk=pair, owner_id=comparison) for pair, comparison in picked.items()]
        for start in range(0, len(owners), OWNERS_AT_ONCE):
            # Short transactions, so that annotators are not blocked.
            PhrasePair.objects.bulk_update(owners[start : start + OWNERS_AT_ONCE], ["owner"])


def pick_owners(task: Task, places: QuerySet[Occurrence]) -> dict[int, int]:
    """Return the comparison that asks each pair, picked by the seed from those in which it occurs."""
    rows = places.values_list(
        "pair_id", "pair__first", "pair__second", "index", "flipped", "alignment__comparison_id",
        "alignment__comparison__item__key", "alignment__comparison__first__text",
        "alignment__comparison__second__text",
    )  # fmt: skip
    best: dict[int, tuple[bytes, int]] = {}
    for pair, first, second, index, flipped, comparison, item, text_a, text_b in rows.iterator(1000):
        where = PairOccurrence(item, comparison_key(text_a, text_b), index, flipped)
        candidate = (owner_key(task.seed, first, second, where), comparison)
        best[pair] = min(candidate, best.get(pair, candidate))
    return {pair: comparison for pair, (_, comparison) in best.items()}


def is_task_wide(pair: MergedPair, scope: DedupScope) -> bool:
    is_wording = pair_kind(pair) == PhrasePair.Kind.DIFFERENT
    return scope is DedupScope.TASK and is_wording and not pair.is_bound


def pair_kind(pair: MergedPair) -> PhrasePair.Kind:
    if not pair.first:  # the empty text is the smaller one
        return PhrasePair.Kind.ONE_SIDED
    moved = pair.moved or pair.first == pair.second
    return PhrasePair.Kind.MOVED if moved else PhrasePair.Kind.DIFFERENT


def pair_digest(pair: MergedPair) -> str:
    return text_digest(repr(pair.key))
