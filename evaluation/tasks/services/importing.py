"""Turn a checked file into a task: items, candidates, comparisons, phrase pairs and slots.

Large uploads are stored in chunks, each in its own short transaction, so that annotators are not blocked.
Until the last chunk of the last part is stored, every task has the state *importing* and is invisible, so
nobody can answer what a failed import would delete. An import that was killed resumes after the last stored
chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from itertools import islice

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.text import slugify
from django.utils.translation import gettext_noop

from appraise.lib.digests import text_digest
from appraise.lib.problems import InputError, Problem
from evaluation.alignment.designs import SystemPair
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
from evaluation.schemes import SCHEMES
from evaluation.tasks.planning import Planner
from evaluation.tasks.services.evidence import store_evidence
from evaluation.tasks.services.imported_rankings import ImportedRankings
from evaluation.tasks.services.passages import create_passages
from evaluation.tasks.services.slots import create_slots
from evaluation.tasks.services.storage import TaskWriter
from evaluation.tasks.services.task_settings import ImportSummary, TaskSettings

CHUNK = 100
# Other people's answers wait while a chunk is written, so it must be small for any number of systems.
MOST_COMPARISONS = 50
Report = Callable[[int, int, str], None]
ALIGNING = gettext_noop("Aligning the sentences.")


def create_task(
    imported: ImportedSet,
    settings: TaskSettings,
    *,
    campaign: Campaign,
    owner: User | None = None,
    part: tuple[int, int] | None = None,
    function_words: Sequence[str] = (),
) -> Task:
    """Create an empty task in the state *importing*; ``part`` is (number, count) if an upload is split."""
    refuse_unknown_scheme(settings.scheme)
    number, parts = part or (1, 1)
    name = settings.name if parts == 1 else f"{settings.name}, part {number}"
    fields = asdict(settings)
    for setting in (
        "name", "scheme", "comparisons", "aligner", "segment_words", "repeats", "assess", "assess_systems",
        "assess_documents",
    ):  # fmt: skip
        del fields[setting]
    fields |= {name: value for name, value in _list_defaults(campaign) if not fields.get(name)}
    digest = part_digest(imported.digest, number, parts)
    try:
        with transaction.atomic():
            task = Task.objects.create(
                **fields,
                campaign=campaign,
                name=name[:200],
                slug=find_free_slug(Task, name),
                scheme_name=settings.scheme,
                function_words=list(function_words),
                digest=digest,
                state=Task.State.IMPORTING,
            )
            System.objects.bulk_create([System(task=task, name=system) for system in imported.systems])
            if owner is not None:
                Membership.objects.get_or_create(user=owner, campaign=campaign, task=None, role=Role.MANAGER)
    except IntegrityError:  # only a repeated digest is the uploader's mistake
        refuse_duplicate(campaign, digest)
        raise
    return task


def _list_defaults(campaign: Campaign) -> Iterator[tuple[str, object]]:
    """Yield what was last set for all tasks of a campaign, without times that have passed."""
    for name, value in campaign.task_settings.items():
        at = parse_datetime(value) if name in ("opens_at", "closes_at") and value else None
        if at is None or at > timezone.now():
            yield name, value


def refuse_unknown_scheme(name: str) -> None:
    """Raise ``InputError`` if no scheme has this name."""
    if name not in SCHEMES:
        remedy = f"choose one of {', '.join(SCHEMES)}"
        raise InputError.of("unknown_scheme", f"there is no scheme {name!r}", remedy)


def refuse_duplicate(campaign: Campaign, digest: str) -> None:
    """Raise ``InputError`` if the campaign has a task with the same content."""
    if campaign.tasks.filter(digest=digest).exists():
        raise InputError.of(
            "already_imported",
            f"this content is already in the campaign {campaign.name!r}",
            "use that task, delete it if nobody has started it, or choose another campaign",
        )


def find_free_slug(model: type[Campaign] | type[Task], name: str) -> str:
    """Return a slug of the name that no other campaign, or task, has."""
    stem = slugify(name.replace("ß", "ss"))[:70] or model._meta.model_name or ""
    taken = set(model._default_manager.filter(slug__startswith=stem).values_list("slug", flat=True))
    if stem not in taken:
        return stem
    return next(slug for n in range(2, len(taken) + 3) if (slug := f"{stem}-{n}") not in taken)


def fill_task(
    task: Task,
    items: Iterator[tuple[ImportedItem, tuple[SystemPair, ...]]],
    settings: TaskSettings,
    planner: Planner,
    *,
    total: int,
    report: Report | None = None,
    judgements: Iterable[ImportedJudgement] = (),
) -> list[Problem]:
    """Store the items, resuming after those that are already stored, then create the slots.

    Returns warnings about judgements that could not be stored.
    """
    store, judged = TaskWriter(task), ImportedRankings(task, judgements)
    stored = task.items.count()
    compared = Comparison.objects.filter(item__task=task, check_kind=Comparison.Check.NONE).count()
    for chunk in _split_chunks(islice(items, stored, None)):
        planned = [planner.plan(item, pairs) for item, pairs in chunk]
        planned = planner.add_checks(planned, compared)
        with transaction.atomic():
            rows = store.add(planned, first_position=stored)
            judged.save([item for item, _ in chunk], rows)
        stored += len(chunk)
        compared += sum(len(plan.comparisons) for plan in planned)
        if report:
            report(stored, total, ALIGNING)
    store.settle_owners()
    create_slots(task, repeats=settings.repeats)
    return judged.warnings


def _split_chunks(
    items: Iterable[tuple[ImportedItem, tuple[SystemPair, ...]]],
) -> Iterator[list[tuple[ImportedItem, tuple[SystemPair, ...]]]]:
    """Yield chunks; their boundaries depend on the items only, so a resumed import has the same chunks."""
    chunk, comparisons = [], 0
    for item, pairs in items:
        chunk.append((item, pairs))
        comparisons += len(pairs)
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
    split: int | None = None,
    report: Report | None = None,
) -> ImportSummary:
    """Import all parts of an upload, or nothing."""
    made: list[Task] = []
    try:
        return store_parts(imported, settings, campaign=campaign, split=split, report=report, made=made)
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
    on_create: Callable[[Task], None] | None = None,
) -> ImportSummary:
    """Store every part, resuming those in ``made``, to which new tasks are appended.

    All are opened together at the end. ``on_create`` is called in the transaction that creates a task.
    """
    total = len(imported.items)
    parts = part_count(total, split)
    if imported.evidence and parts > 1:
        message = "scores and error spans are stored with all texts in one task"
        raise InputError.of("bad_split", message, "import without splitting")
    system_pairs = settings.system_pairs(imported.items)
    # Trained on the whole upload, so that all parts, and a resumed import, are aligned alike.
    planner = settings.planner(zip(imported.items, system_pairs, strict=True))
    items = zip(imported.items, system_pairs, strict=True)
    warnings: list[Problem] = []
    for number in range(1, parts + 1):
        if number > len(made):
            with transaction.atomic():
                task = create_task(
                    imported, settings, campaign=campaign, owner=owner, part=(number, parts),
                    function_words=planner.function_words,
                )  # fmt: skip
                if on_create:
                    on_create(task)
            made.append(task)
        before = (split or 0) * (number - 1)
        size = min(split or total, total - before)
        part = islice(items, size)
        if made[number - 1].state == Task.State.IMPORTING:
            warnings += fill_task(
                made[number - 1], part, settings, planner, total=total, judgements=imported.judgements,
                report=_shift_progress(report, before),
            )  # fmt: skip
        else:  # all parts were open when the import was interrupted
            next(islice(part, size, size), None)
    if imported.evidence and made[0].state == Task.State.IMPORTING:
        store_evidence(made[0], imported.evidence, by=owner, report=report)
    for task in made:
        if task.state == Task.State.IMPORTING and settings.assess and not task.passages.exists():
            create_passages(task, settings.make_plan(task), by=owner)
    summary = summarize_import(made, warnings, expects_questions=settings.comparisons != "none")
    ready = Task.objects.filter(pk__in=[task.pk for task in made], state=Task.State.IMPORTING)
    ready.filter(opens_at__gt=timezone.now()).update(state=Task.State.DRAFT)
    ready.update(state=Task.State.OPEN)
    return summary


def part_count(total: int, split: int | None) -> int:
    return -(-total // split) if split else 1


def part_digest(content: str, number: int, parts: int) -> str:
    """Return the digest that identifies the content of a part."""
    return text_digest(content, f"{number}/{parts}")


def _shift_progress(report: Report | None, before: int) -> Report | None:
    """Return a callback that reports the progress of all parts together."""
    if report is None:
        return None
    return lambda done, total, message: report(before + done, total, message)


def remove_tasks(tasks: Sequence[Task]) -> None:
    """Delete unfinished tasks in short transactions, so that annotators are not blocked."""
    for task in tasks:
        while some := list(task.items.values_list("pk", flat=True)[:CHUNK]):
            Item.objects.filter(pk__in=some).delete()
        Task.objects.filter(pk=task.pk).delete()


def summarize_import(
    tasks: Sequence[Task], warnings: Sequence[Problem] = (), *, expects_questions: bool = True
) -> ImportSummary:
    """Return what was imported; attention checks count among the slots only."""
    keys = [task.pk for task in tasks]
    asked = PhrasePair.objects.filter(task__in=keys, owner__check_kind=Comparison.Check.NONE)
    summary = ImportSummary(
        tasks=[task.slug for task in tasks],
        items=Item.objects.filter(task__in=keys).count(),
        comparisons=Comparison.objects.filter(item__task__in=keys, check_kind=Comparison.Check.NONE).count(),
        phrase_pairs=Occurrence.objects.filter(pair__in=asked).count(),
        unique_pairs=asked.count(),
        slots=Slot.objects.filter(task__in=keys).count(),
        warnings=list(warnings),
    )
    if not expects_questions:
        return summary
    asking = Occurrence.objects.filter(pair__in=asked).values("alignment__comparison__item")
    silent = Item.objects.filter(task__in=keys).exclude(pk__in=asking).order_by("task", "position")
    summary.warn_of_silence(list(silent.values_list("key", flat=True)))
    return summary
