"""Compare further pairs of systems in a task that exists, for example one that came with ratings only.

The texts keep their tokens, and what was asked before stays as it is: only comparisons, questions and slots
are added. Attention checks are made at import only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from django.db import transaction
from django.utils.translation import gettext as _

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.alignment.designs import SystemPair
from evaluation.importers import ImportedCandidate, ImportedItem, SourcePosition
from evaluation.models import AuditEntry, Candidate, Comparison, Item, Job, Output, Task, User
from evaluation.tasks.planning import PlannedComparison, Planner
from evaluation.tasks.services.importing import ALIGNING, MOST_COMPARISONS
from evaluation.tasks.services.slots import create_slots
from evaluation.tasks.services.storage import TaskWriter
from evaluation.tasks.services.task_settings import TaskSettings

ITEMS_AT_ONCE = 200
Report = Callable[[int, int, str], None]


def begin_comparing(task: Task, pairs: Sequence[SystemPair], *, items: int | None, by: User) -> Job:
    """Enqueue the comparison of these systems in the first ``items`` sentences (None: all)."""
    check_pairs(task, pairs)
    title = _("Compare systems of %(name)s") % {"name": task.name}
    return jobs.enqueue(
        "compare", title, owner=by, task=task, pairs=[list(pair) for pair in pairs], items=items
    )


@jobs.handler("compare")
def run_comparing(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    assert job.task is not None  # always about a task
    pairs = [(first, second) for first, second in job.arguments["pairs"]]
    added = compare_systems(
        job.task, pairs, items=job.arguments["items"], by=job.owner, report=progress.update
    )
    return {"comparisons": added}


def check_pairs(task: Task, pairs: Sequence[SystemPair]) -> None:
    """Raise ``InputError`` for a system that the task does not have, and for tasks judged by places."""
    names = set(task.systems.values_list("name", flat=True))
    unknown = sorted({name for pair in pairs for name in pair} - names)
    if unknown:
        remedy = f"choose from {', '.join(sorted(names))}"
        raise InputError.of("unknown_system", f"the task has no system {unknown[0]!r}", remedy)
    if any(first == second for first, second in pairs) or not pairs:
        raise InputError.of("bad_design", "a comparison needs two systems", "choose two different ones")
    if task.judging == Task.Judging.PLACES:
        message = "all candidates of this task are judged together, by places"
        raise InputError.of("bad_judging", message, "import the texts as a new task")


def compare_systems(
    task: Task,
    pairs: Sequence[SystemPair],
    *,
    items: int | None = None,
    by: User | None = None,
    report: Report | None = None,
) -> int:
    """Add the comparisons of these systems that the task does not have yet; returns how many.

    They are stored in short transactions; repeating the call adds what is missing.
    """
    check_pairs(task, pairs)
    keys = list(task.items.order_by("position").values_list("pk", flat=True)[:items])
    planner = _make_planner(task)
    writer = TaskWriter(task)
    added, at_once = 0, max(1, MOST_COMPARISONS // len(pairs))
    for done in range(0, len(keys), at_once):
        planned, candidates = _plan_chunk(keys[done : done + at_once], pairs, planner)
        with transaction.atomic():
            # One at a time per task, because two could create the same pair.
            Task.objects.select_for_update(no_key=True).get(pk=task.pk)
            writer.add_comparisons(planned, candidates)
        added += len(planned)
        if report:
            report(min(done + at_once, len(keys)), len(keys), ALIGNING)
    with transaction.atomic():
        create_slots(task)
        systems = [" – ".join(pair) for pair in pairs]
        AuditEntry.objects.record(by, "compare systems", task, {"systems": systems, "comparisons": added})
    return added


def _make_planner(task: Task) -> Planner:
    settings = TaskSettings(
        name=task.name,
        scheme=task.scheme_name,
        target_language=task.target_language,
        moved=task.moved,
        question_size=task.question_size,
        ask_all=task.ask_all,
        seed=task.seed,
    )
    return settings.planner((item, ()) for item in _read_items(task))


def _read_items(task: Task) -> Iterator[ImportedItem]:
    """Yield the candidates of the items, from which a planner learns function words."""
    items = task.items.order_by("position").prefetch_related("candidates")
    for item in items.iterator(chunk_size=ITEMS_AT_ONCE):
        texts = tuple(ImportedCandidate(str(one.pk), one.text) for one in item.candidates.all())
        yield ImportedItem(item.key, "", texts, SourcePosition(""))


def _plan_chunk(
    items: Sequence[int], pairs: Sequence[SystemPair], planner: Planner
) -> tuple[list[tuple[int, PlannedComparison]], dict[tuple[int, str], Candidate]]:
    """Return the comparisons that are missing, by the id of their item, and the candidates."""
    stored = set(Comparison.objects.filter(item__in=items).values_list("first__text", "second__text", "item"))
    keys = dict(Item.objects.filter(pk__in=items).values_list("pk", "key"))
    by_system: dict[tuple[int, str], Candidate] = {
        (output.item_id, output.system.name): output.candidate
        for output in Output.objects.filter(item__in=items).select_related("system", "candidate")
    }
    planned: list[tuple[int, PlannedComparison]] = []
    for item in items:
        for pair in pairs:
            sides = {
                by_system[item, name].text: by_system[item, name]
                for name in pair
                if (item, name) in by_system
            }
            if len(sides) < 2:
                continue
            first, second = (sides[text] for text in sorted(sides))
            if (first.text, second.text, item) not in stored:
                stored.add((first.text, second.text, item))
                planned.append((item, planner.compare(keys[item], first.stave, second.stave)))
    return planned, {(candidate.item_id, candidate.text): candidate for candidate in by_system.values()}
