"""Turns a checked file into a task: items, candidates, comparisons, phrase pairs and seats.

Large uploads are stored in chunks, each in its own short transaction, so that people can go on annotating.
Until the last chunk of the last part is stored, every task is in the state *importing* and invisible, so
nobody can answer what a failed import would delete. An import that was killed resumes after the last chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext_noop

from evaluation.alignment.designs import Comparison as Meeting
from evaluation.alignment.designs import comparisons
from evaluation.alignment.pairs import Scope, pairs
from evaluation.digests import text_digest
from evaluation.importers import ImportedItem, ImportedJudgement, ImportedSet
from evaluation.models import (
    Campaign,
    Comparison,
    Item,
    Membership,
    Occurrence,
    PhrasePair,
    Role,
    Slot,
    System,
    Task,
    User,
)
from evaluation.planning import Compared, PlannedItem, Planner
from evaluation.problems import InputError, Problem
from evaluation.services.judged import JudgedElsewhere
from evaluation.services.seats import is_repeated, make_seats, seat_lot
from evaluation.services.storing import Store

CHUNK = 100
# Other people's answers wait while a chunk is written, so it must be small for any number of systems.
MOST_COMPARISONS = 50
Report = Callable[[int, int, str], None]
ALIGNING = gettext_noop("The sentences are being aligned.")


@dataclass(frozen=True, slots=True)
class TaskSettings:
    """What the uploader decides."""

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
    judging: str = Task.Judging.PAIRS
    practice: bool = False
    seed: int = 1
    checks: int = 0  # attention checks, in per cent of the comparisons
    repeats: int = 0  # per cent of the comparisons that each annotator sees a second time
    instructions: str = ""
    ask_sentence: bool = False
    ask_rating: bool = False
    ask_comment: bool = True

    def planner(self, sentences: Iterable[Compared]) -> Planner:
        """The plans of a task; an aligner that learns does so from its first ``sentences``."""
        try:
            return Planner(
                language=self.target_language,
                aligner=self.aligner,
                moved=self.moved == Task.Moved.RANKED,
                checks=self.checks,
                seed=self.seed,
                together=self.judging == Task.Judging.PLACES,
                sentences=sentences,
            )
        except ValueError as error:
            raise InputError(Problem("bad_aligner", str(error), "choose another aligner")) from error

    def meetings(self, imported: ImportedSet) -> list[tuple[Meeting, ...]]:
        """For each item, the systems that meet."""
        return self.meetings_of([item.systems for item in imported.items])

    def meetings_of(self, systems: Sequence[Sequence[str]]) -> list[tuple[Meeting, ...]]:
        self.check_judging()
        try:
            return comparisons(self.comparisons, systems, self.seed)
        except ValueError as error:
            raise InputError(Problem("bad_design", str(error))) from error

    def check_judging(self) -> None:
        """All variants of a place are ranked against each other, within their sentence."""
        if self.judging != Task.Judging.PLACES:
            return
        together = "variants of a place are judged all at once"
        if self.comparisons != "all":
            found, remedy = f"comparisons {self.comparisons!r}", "compare every two systems"
        elif self.dedup != Task.Dedup.ITEM:
            found, remedy = f"pairs merged {self.dedup!r}", "merge pairs within a sentence"
        elif self.checks:
            found, remedy = f"{self.checks}% attention checks", "leave them out; they compare two candidates"
        elif self.ask_sentence or self.ask_rating:
            found, remedy = "questions about two whole sentences", "leave those out"
        else:
            return
        raise InputError(Problem("bad_judging", f"{together}, which does not go with {found}", remedy))


@dataclass(slots=True)
class ImportSummary:
    """What an import made, in the words of the command line."""

    tasks: list[str]
    items: int = 0
    comparisons: int = 0
    phrase_pairs: int = 0
    unique_pairs: int = 0
    slots: int = 0
    warnings: list[Problem] = field(default_factory=list)

    def warn_if_idle(self) -> None:
        if not self.slots:
            self.warnings.append(
                Problem(
                    "nothing_asked",
                    "the compared systems wrote the same everywhere, or differ only in what is not asked",
                    "check that the outputs are those of different systems",
                )
            )


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
    digest = part_digest(imported.digest, number, parts)
    try:
        with transaction.atomic():
            task = Task.objects.create(
                **fields,
                campaign=campaign,
                name=name[:200],
                slug=free_slug(Task, name),
                scheme_name=settings.scheme,
                digest=digest,
                state=Task.State.IMPORTING,
            )
            System.objects.bulk_create([System(task=task, name=system) for system in imported.systems])
            if owner is not None:
                Membership.objects.get_or_create(user=owner, campaign=campaign, task=None, role=Role.MANAGER)
    except IntegrityError:  # only a repeated digest is the uploader's mistake
        refuse_twice(campaign, digest)
        raise
    return task


def refuse_twice(campaign: Campaign, digest: str) -> None:
    """``InputError`` where the campaign has a task that was made from the same content."""
    if campaign.tasks.filter(digest=digest).exists():
        raise InputError(
            Problem(
                "already_imported",
                f"this content is already in the campaign {campaign.name!r}",
                "use that task, delete it if nobody has begun, or choose another campaign",
            )
        )


def free_slug(model: type[Campaign] | type[Task], name: str) -> str:
    """A slug of the name that no campaign, or no task, has yet."""
    stem = slugify(name.replace("ß", "ss"))[:70] or model._meta.model_name or ""
    taken = set(model._default_manager.filter(slug__startswith=stem).values_list("slug", flat=True))
    if stem not in taken:
        return stem
    return next(slug for n in range(2, len(taken) + 3) if (slug := f"{stem}-{n}") not in taken)


def fill_task(
    task: Task,
    items: Iterator[tuple[ImportedItem, tuple[Meeting, ...]]],
    settings: TaskSettings,
    planner: Planner,
    *,
    total: int,
    report: Report | None = None,
    judgements: Iterable[ImportedJudgement] = (),
) -> list[Problem]:
    """Store the items, resuming after those that are already stored, then the seats.

    Returns warnings about judgements that found no place.
    """
    store, judged = Store(task), JudgedElsewhere(task, judgements)
    stored = task.items.count()
    compared = Comparison.objects.filter(item__task=task, check_kind=Comparison.Check.NONE).count()
    for chunk in _chunks(islice(items, stored, None)):
        planned = [planner.plan(item, meetings) for item, meetings in chunk]
        planned = planner.with_checks(planned, compared)
        with transaction.atomic():
            rows = store.add(planned, first_position=stored)
            judged.save([item for item, _ in chunk], rows)
        stored += len(chunk)
        compared += sum(len(plan.comparisons) for plan in planned)
        if report:
            report(stored, total, ALIGNING)
    store.settle_owners()
    make_seats(task, repeats=settings.repeats)
    return judged.warnings


def _chunks(
    items: Iterable[tuple[ImportedItem, tuple[Meeting, ...]]],
) -> Iterator[list[tuple[ImportedItem, tuple[Meeting, ...]]]]:
    """Chunk boundaries depend on the items only, so that a resumed import makes the same chunks."""
    chunk, comparisons = [], 0
    for item, meetings in items:
        chunk.append((item, meetings))
        comparisons += len(meetings)
        if len(chunk) >= CHUNK or comparisons >= MOST_COMPARISONS:
            yield chunk
            chunk, comparisons = [], 0
    if chunk:
        yield chunk


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
    made: list[Task] = []
    try:
        return store_parts(
            imported, settings, campaign=campaign, owner=owner, split=split, report=report, made=made
        )
    except BaseException:
        remove_tasks(made)
        raise


def store_parts(
    imported: ImportedSet,
    settings: TaskSettings,
    *,
    campaign: Campaign,
    made: list[Task],
    owner: User | None = None,
    split: int | None = None,
    report: Report | None = None,
    remember: Callable[[Task], None] | None = None,
) -> ImportSummary:
    """Store every part, resuming those in ``made``; new ones are added there as soon as they exist.

    All are opened together at the end. ``remember`` is called in the transaction that creates a task, so that
    nobody can forget it.
    """
    total = len(imported.items)
    parts = part_count(total, split)
    meetings = settings.meetings(imported)
    # Learned from the whole upload, so that all parts, and a resumed import, are aligned alike.
    planner = settings.planner(zip(imported.items, meetings, strict=True))
    items = zip(imported.items, meetings, strict=True)
    warnings: list[Problem] = []
    for number in range(1, parts + 1):
        if number > len(made):
            with transaction.atomic():
                task = create_task(imported, settings, campaign=campaign, owner=owner, part=(number, parts))
                if remember:
                    remember(task)
            made.append(task)
        before = (split or 0) * (number - 1)
        size = min(split or total, total - before)
        part = islice(items, size)
        if made[number - 1].state == Task.State.IMPORTING:
            warnings += fill_task(
                made[number - 1], part, settings, planner, total=total, judgements=imported.judgements,
                report=_shifted(report, before),
            )  # fmt: skip
        else:  # all were open when the import was interrupted
            next(islice(part, size, size), None)
    found = summary(made, warnings)
    ready = Task.objects.filter(pk__in=[task.pk for task in made], state=Task.State.IMPORTING)
    ready.update(state=Task.State.OPEN)
    return found


def part_count(total: int, split: int | None) -> int:
    return -(-total // split) if split else 1


def part_digest(content: str, number: int, parts: int) -> str:
    """The digest by which a task remembers the content that it was made from."""
    return text_digest(content, f"{number}/{parts}")


def _shifted(report: Report | None, before: int) -> Report | None:
    """Progress over all parts together."""
    if report is None:
        return None
    return lambda done, total, said: report(before + done, total, said)


def remove_tasks(tasks: Sequence[Task]) -> None:
    """Delete unfinished tasks, in short transactions, so that people can annotate others meanwhile."""
    for task in tasks:
        while some := list(task.items.values_list("pk", flat=True)[:CHUNK]):
            Item.objects.filter(pk__in=some).delete()
        Task.objects.filter(pk=task.pk).delete()


def dry_run(imported: ImportedSet, settings: TaskSettings, *, split: int | None = None) -> ImportSummary:
    """What an import would create, without storing anything; pairs are merged as in the import."""
    meetings = settings.meetings(imported)
    planner = settings.planner(zip(imported.items, meetings, strict=True))
    size = split or max(len(imported.items), 1)
    made = ImportSummary(tasks=[])
    plans = (planner.plan(*compared) for compared in zip(imported.items, meetings, strict=True))
    while part := list(islice(plans, size)):
        _count(planner.with_checks(part, 0), settings, made)
    made.warn_if_idle()
    return made


def _count(part: Sequence[PlannedItem], settings: TaskSettings, made: ImportSummary) -> None:
    planned = [(plan.item.id, comparison) for plan in part for comparison in plan.comparisons]
    places = [place for _, comparison in planned for place in comparison.places]
    found = pairs(places, scope=Scope(settings.dedup), seed=settings.seed)
    owners = {(pair.owner.item, pair.owner.comparison) for pair in found}
    owners = seated(part, owners, settings.seed)
    again = sum(
        (item, comparison.key) in owners
        and is_repeated(
            settings.seed,
            text_digest(comparison.first.text),
            text_digest(comparison.second.text),
            settings.repeats,
        )
        for item, comparison in planned
    )
    checks = sum(len(plan.checks) for plan in part)
    made.items += len(part)
    made.comparisons += len(planned)
    made.phrase_pairs += len(places)
    made.unique_pairs += len(found)
    made.slots += settings.overlap * (len(owners) + again + checks)


def seated(part: Sequence[PlannedItem], owners: set[tuple[str, str]], seed: int) -> set[tuple[str, str]]:
    """Of the comparisons that ask, those with seats: one where candidates are judged together."""
    seated = set(owners)
    for plan in part:
        if plan.places:
            asking = [one for one in plan.comparisons if (plan.item.id, one.key) in owners]
            asking.sort(
                key=lambda one: seat_lot(seed, text_digest(one.first.text), text_digest(one.second.text))
            )
            seated -= {(plan.item.id, one.key) for one in asking[1:]}
    return seated


def summary(tasks: Sequence[Task], warnings: Sequence[Problem] = ()) -> ImportSummary:
    """Attention checks are not part of the study: they only count among the seats."""
    keys = [task.pk for task in tasks]
    asked = PhrasePair.objects.filter(task__in=keys, owner__check_kind=Comparison.Check.NONE)
    found = ImportSummary(
        tasks=[task.slug for task in tasks],
        items=Item.objects.filter(task__in=keys).count(),
        comparisons=Comparison.objects.filter(item__task__in=keys, check_kind=Comparison.Check.NONE).count(),
        phrase_pairs=Occurrence.objects.filter(pair__in=asked).count(),
        unique_pairs=asked.count(),
        slots=Slot.objects.filter(task__in=keys).count(),
        warnings=list(warnings),
    )
    found.warn_if_idle()
    return found
