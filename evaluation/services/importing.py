"""A checked file becomes a task: items, candidates, comparisons, phrase pairs and seats.

Large uploads are stored in chunks, each its own short transaction, so that people go on annotating
meanwhile. Until the last chunk is in, the task is in the state *importing* and nobody sees it; a failed
import is taken away whole, and one that was killed goes on after its last stored chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from evaluation.alignment import format_links
from evaluation.alignment.designs import Comparison as Meeting
from evaluation.alignment.designs import comparisons
from evaluation.alignment.pairs import Occurrence as Where
from evaluation.alignment.pairs import Pair, Scope, lot, pairs
from evaluation.digests import text_digest
from evaluation.importers import ImportedItem, ImportedSet
from evaluation.models import (
    Alignment,
    Campaign,
    Candidate,
    Comparison,
    Item,
    Membership,
    Occurrence,
    Output,
    PhrasePair,
    Role,
    Slot,
    System,
    Task,
    User,
)
from evaluation.planning import PlannedComparison, PlannedItem, Planner, comparison_key
from evaluation.problems import InputError, Problem

CHUNK = 100
Report = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What the person who uploads decides."""

    name: str
    scheme: str
    source_language: str = ""
    target_language: str = ""
    shows: str = Task.Shows.SOURCE
    overlap: int = 2
    comparisons: str = "all"
    aligner: str = "lexical"
    dedup: str = Task.Dedup.ITEM
    order: str = Task.Order.DOCUMENT
    moved: str = Task.Moved.RANKED
    seed: int = 1
    repeats: int = 0  # per cent of the comparisons that each annotator sees a second time
    instructions: str = ""
    ask_sentence: bool = False
    ask_rating: bool = False
    ask_comment: bool = True

    def planner(self) -> Planner:
        return Planner(
            language=self.target_language,
            aligner=self.aligner,
            moved=self.moved == Task.Moved.RANKED,
        )

    def meetings(self, imported: ImportedSet) -> list[tuple[Meeting, ...]]:
        """For each item, the systems that meet."""
        try:
            return comparisons(self.comparisons, [item.systems for item in imported.items], self.seed)
        except ValueError as error:
            raise InputError(Problem("bad_design", str(error))) from error


@dataclass(slots=True)
class ImportSummary:
    """What an import made, in the words of the command line."""

    tasks: list[str]
    items: int = 0
    comparisons: int = 0
    phrase_pairs: int = 0
    unique_pairs: int = 0
    slots: int = 0


def create_task(
    imported: ImportedSet,
    settings: TaskSettings,
    *,
    campaign: Campaign,
    owner: User | None = None,
    part: tuple[int, int] | None = None,
) -> Task:
    """An empty task in the state *importing*; ``part`` is (which, of how many) where an upload is split."""
    number, parts = part or (1, 1)
    name = settings.name if parts == 1 else f"{settings.name}, part {number}"
    fields = asdict(settings)
    for setting in ("name", "scheme", "comparisons", "aligner", "repeats"):
        del fields[setting]
    try:
        with transaction.atomic():
            task = Task.objects.create(
                **fields,
                campaign=campaign,
                name=name[:200],
                slug=free_slug(name),
                scheme_name=settings.scheme,
                digest=text_digest(imported.digest, f"{number}/{parts}"),
                state=Task.State.IMPORTING,
            )
            System.objects.bulk_create([System(task=task, name=system) for system in imported.systems])
            if owner is not None:
                Membership.objects.get_or_create(user=owner, campaign=campaign, task=None, role=Role.MANAGER)
    except IntegrityError as error:
        raise InputError(
            Problem(
                "already_imported",
                f"this content is already in the campaign {campaign.name!r}",
                "use that task, or choose another campaign",
            )
        ) from error
    return task


def free_slug(name: str) -> str:
    """A slug of the name that no task has yet."""
    stem = slugify(name)[:70] or "task"
    taken = set(Task.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    if stem not in taken:
        return stem
    return next(slug for n in range(2, len(taken) + 3) if (slug := f"{stem}-{n}") not in taken)


def fill_task(
    task: Task,
    items: Iterator[tuple[ImportedItem, tuple[Meeting, ...]]],
    settings: TaskSettings,
    *,
    total: int,
    report: Report | None = None,
) -> None:
    """Store the items, going on after those that are stored already, then the seats; then open the task."""
    store, planner = _Store(task), settings.planner()
    stored = task.items.count()
    rest = islice(items, stored, None)
    while chunk := list(islice(rest, CHUNK)):
        planned = [planner.plan(item, meetings) for item, meetings in chunk]
        with transaction.atomic():
            store.add(planned, first_position=stored)
        stored += len(chunk)
        if report:
            report(stored, total, f"{stored} of {total} sentences aligned")
    store.settle_owners()
    make_seats(task, repeats=settings.repeats)
    Task.objects.filter(pk=task.pk).update(state=Task.State.OPEN)
    task.refresh_from_db()


def import_set(
    imported: ImportedSet,
    settings: TaskSettings,
    *,
    campaign: Campaign,
    owner: User | None = None,
    split: int | None = None,
    report: Report | None = None,
) -> ImportSummary:
    """All or nothing: the tasks of this upload exist completely afterwards, or not at all."""
    total = len(imported.items)
    parts = -(-total // split) if split else 1
    made: list[Task] = []
    try:
        items = zip(imported.items, settings.meetings(imported), strict=True)
        for number in range(1, parts + 1):
            task = create_task(imported, settings, campaign=campaign, owner=owner, part=(number, parts))
            made.append(task)
            size = min(split or total, total - (split or 0) * (number - 1))
            fill_task(task, islice(items, size), settings, total=size, report=report)
    except BaseException:
        Task.objects.filter(pk__in=[task.pk for task in made]).delete()
        raise
    return summary(made)


def dry_run(imported: ImportedSet, settings: TaskSettings, *, split: int | None = None) -> ImportSummary:
    """What an import would make, without storing anything; pairs are merged as the import merges them."""
    planner, total = settings.planner(), len(imported.items)
    size = split or max(total, 1)
    made = ImportSummary(tasks=[])
    plans = (
        planner.plan(item, meetings)
        for item, meetings in zip(imported.items, settings.meetings(imported), strict=True)
    )
    while part := list(islice(plans, size)):
        planned = [comparison for plan in part for comparison in plan.comparisons]
        places = [place for comparison in planned for place in comparison.places]
        found = pairs(places, scope=Scope(settings.dedup), seed=settings.seed)
        owners = {(pair.owner.item, pair.owner.comparison) for pair in found}
        made.items += len(part)
        made.comparisons += len(planned)
        made.phrase_pairs += len(places)
        made.unique_pairs += len(found)
        made.slots += settings.overlap * len(owners)
    return made


def summary(tasks: Sequence[Task]) -> ImportSummary:
    keys = [task.pk for task in tasks]
    return ImportSummary(
        tasks=[task.slug for task in tasks],
        items=Item.objects.filter(task__in=keys).count(),
        comparisons=Comparison.objects.filter(item__task__in=keys).count(),
        phrase_pairs=Occurrence.objects.filter(pair__task__in=keys).count(),
        unique_pairs=PhrasePair.objects.filter(task__in=keys).count(),
        slots=Slot.objects.filter(task__in=keys).count(),
    )


# --- storing ----------------------------------------------------------------------------------------------


class _Store:
    """Writes planned items in bulk. Pairs merged over the whole task get their owner at the end."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.scope = Scope(task.dedup)
        self.systems = {system.name: system for system in task.systems.all()}
        self.known = dict(task.pairs.filter(item__isnull=True).values_list("key", "pk"))

    def add(self, planned: Sequence[PlannedItem], *, first_position: int) -> None:
        items = Item.objects.bulk_create(
            Item(
                task=self.task,
                position=position,
                key=plan.item.id,
                document=plan.item.document,
                source=plan.item.source,
                references=list(plan.item.references),
                context_before=plan.item.before,
                context_after=plan.item.after,
            )
            for position, plan in enumerate(planned, first_position)
        )
        candidates = self._candidates(items, planned)
        alignments = self._alignments(items, planned, candidates)
        self._questions(alignments)

    def _candidates(
        self, items: Sequence[Item], planned: Sequence[PlannedItem]
    ) -> dict[tuple[int, str], Candidate]:
        rows = [
            Candidate(
                item=item,
                text=text,
                digest=text_digest(text),
                offsets=[n for span in stave.spans for n in span],
            )
            for item, plan in zip(items, planned, strict=True)
            for text, stave in sorted(plan.staves.items())
        ]
        made = {(row.item_id, row.text): row for row in Candidate.objects.bulk_create(rows)}
        Output.objects.bulk_create(
            Output(system=self.systems[system], item=item, candidate=made[item.pk, text])
            for item, plan in zip(items, planned, strict=True)
            for system, text in plan.item.candidates
        )
        return made

    def _alignments(
        self,
        items: Sequence[Item],
        planned: Sequence[PlannedItem],
        candidates: dict[tuple[int, str], Candidate],
    ) -> list[tuple[Alignment, PlannedComparison]]:
        plans = [(item, plan) for item, p in zip(items, planned, strict=True) for plan in p.comparisons]
        comparisons = Comparison.objects.bulk_create(
            Comparison(
                item=item,
                first=candidates[item.pk, plan.first.text],
                second=candidates[item.pk, plan.second.text],
            )
            for item, plan in plans
        )
        alignments = Alignment.objects.bulk_create(
            Alignment(
                comparison=comparison,
                links=format_links(plan.alignment.links),
                aligner=plan.aligner[:120],
                phrases=plan.rows,
            )
            for comparison, (_, plan) in zip(comparisons, plans, strict=True)
        )
        return [(alignment, plan) for alignment, (_, plan) in zip(alignments, plans, strict=True)]

    def _questions(self, aligned: Sequence[tuple[Alignment, PlannedComparison]]) -> None:
        places = [place for _, plan in aligned for place in plan.places]
        found = pairs(places, scope=self.scope, seed=self.task.seed)
        of = {(plan.places[0].item, plan.key): alignment for alignment, plan in aligned if plan.places}

        def alignment(where: Where) -> Alignment:
            return of[where.item, where.comparison]

        rows = [
            PhrasePair(
                task=self.task,
                item_id=None if self._is_task_wide(pair) else alignment(pair.owner).comparison.item_id,
                first=pair.first,
                second=pair.second,
                kind=_kind(pair),
                key=_key(pair),
                owner_id=alignment(pair.owner).comparison_id,
            )
            for pair in found
            if _key(pair) not in self.known
        ]
        made = {row.key: row for row in PhrasePair.objects.bulk_create(rows)}
        self.known |= {key: row.pk for key, row in made.items() if row.item_id is None}
        Occurrence.objects.bulk_create(
            Occurrence(
                pair_id=made[_key(pair)].pk if _key(pair) in made else self.known[_key(pair)],
                alignment=alignment(where),
                index=where.phrase,
                flipped=where.flipped,
            )
            for pair in found
            for where in pair.occurrences
        )

    def _is_task_wide(self, pair: Pair) -> bool:
        return self.scope is Scope.TASK and _kind(pair) == PhrasePair.Kind.DIFFERENT

    def settle_owners(self) -> None:
        """Draw, by seed, who asks the pairs that occur in several items; a pass over those alone."""
        if self.scope is not Scope.TASK:
            return
        best: dict[int, tuple[bytes, int]] = {}
        for row in Occurrence.objects.filter(pair__task=self.task, pair__item__isnull=True).select_related(
            "pair",
            "alignment__comparison__item",
            "alignment__comparison__first",
            "alignment__comparison__second",
        ):
            comparison = row.alignment.comparison
            where = Where(
                comparison.item.key,
                comparison_key(comparison.first.text, comparison.second.text),
                row.index,
                row.flipped,
            )
            draw = (lot(self.task.seed, row.pair.first, row.pair.second, where), comparison.pk)
            best[row.pair_id] = min(draw, best.get(row.pair_id, draw))
        with transaction.atomic():
            PhrasePair.objects.bulk_update(
                (PhrasePair(pk=pair, owner_id=comparison) for pair, (_, comparison) in best.items()),
                ["owner"],
                batch_size=CHUNK,
            )


def _kind(pair: Pair) -> PhrasePair.Kind:
    if not pair.first:  # the empty text is the smaller one
        return PhrasePair.Kind.ONE_SIDED
    return PhrasePair.Kind.MOVED if pair.first == pair.second else PhrasePair.Kind.DIFFERENT


def _key(pair: Pair) -> str:
    return text_digest(repr(pair.key))


# --- seats -------------------------------------------------------------------------------------------------


def make_seats(task: Task, *, repeats: int = 0) -> None:
    """Seats for every comparison that asks something, in the order in which they will be given out."""
    rows = (
        Comparison.objects.filter(item__task=task, owned_pairs__isnull=False)
        .distinct()
        .values_list("pk", "item__position", "first__digest", "second__digest")
    )
    seed = str(task.seed)
    shuffled = task.order == Task.Order.SHUFFLED
    order = sorted(
        rows,
        key=lambda row: (0 if shuffled else row[1], text_digest(seed, row[2], row[3])),
    )
    again = {
        pk
        for pk, _, first, second in order
        if int(text_digest("repeat", seed, first, second)[:8], 16) % 100 < repeats
    }
    gap = max(10, len(order) // 4)
    slots = [
        Slot(task=task, comparison_id=pk, k=k, presentation=n, position=place + n * gap)
        for place, (pk, *_) in enumerate(order)
        for n in range(2 if pk in again else 1)
        for k in range(task.overlap)
    ]
    for start in range(0, len(slots), 1000):
        # Ignoring conflicts makes the pass repeatable after a kill: a seat exists once.
        Slot.objects.bulk_create(slots[start : start + 1000], ignore_conflicts=True)
    Task.objects.filter(pk=task.pk).update(size=len(order))
