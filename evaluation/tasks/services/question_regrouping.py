"""Cut a task into questions again, with other settings, as long as nobody has ranked anything in it.

The word links stay as they are. Comparisons whose questions change get a new version of their alignment, and
open assignments move to it under a new token, as after a correction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _, gettext_noop

from appraise.lib.problems import InputError
from evaluation import jobs
from evaluation.alignment.pairs import DedupScope
from evaluation.models import Alignment, Assignment, AuditEntry, Comparison, Job, Ranking, Slot, Task, User
from evaluation.tasks.edited_links import Realignment, is_joined, plan_comparison
from evaluation.tasks.planning import PlannedComparison
from evaluation.tasks.services.realignments import get_rules, load_links, move_assignments
from evaluation.tasks.services.slots import adjust_slots
from evaluation.tasks.services.storage import StoredComparison, TaskWriter

CUTTING = gettext_noop("Creating the questions.")
AT_ONCE = 5_000  # comparisons in one statement
Report = Callable[[int, int, str], None]


def is_judged(task: Task) -> bool:
    return Ranking.objects.filter(pair__task=task).exists()


def begin_regrouping(task: Task, *, question_size: str, ask_all: bool, by: User) -> Job:
    """Enqueue the recut of a task that nobody has judged."""
    title = _("New questions for %(name)s") % {"name": task.name}
    return jobs.enqueue("recut", title, owner=by, task=task, question_size=question_size, ask_all=ask_all)


@jobs.handler("recut")
def run_regrouping(job: Job, progress: jobs.JobProgress) -> jobs.Result:
    assert job.task is not None  # a recut always belongs to a task
    assert job.owner is not None
    task = job.task
    task.question_size, task.ask_all = job.arguments["question_size"], job.arguments["ask_all"]
    regroup_task(task, by=job.owner, report=progress.update)
    return {"questions": task.pairs.count()}


def regroup_task(task: Task, *, by: User, report: Report | None = None) -> None:
    """Cut the task by its current settings, which are stored together with the questions."""
    recuts: list[tuple[Alignment, PlannedComparison]] = []
    comparisons = plannable_comparisons(task)
    total = comparisons.count()
    for newest, plan in plan_regrouping(task, comparisons.iterator(chunk_size=200)):
        recuts.append((newest, plan))
        if report:
            report(len(recuts), total + 1, CUTTING)
    with transaction.atomic():
        # Locked, so that no first answer arrives while the questions are replaced.
        Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        list(Slot.objects.select_for_update().filter(task=task).values_list("pk"))
        if is_judged(task):
            raise InputError.of(
                "already_judged",
                "someone has ranked phrases of this task",
                "correct single alignments, or import the file as a new task",
            )
        _store(task, recuts)
        AuditEntry.objects.record(
            by, "recut questions", task, {"question_size": task.question_size, "ask_all": task.ask_all}
        )


def plannable_comparisons(task: Task) -> QuerySet[Comparison]:
    """Return the comparisons that can be cut; sentences that are judged place by place keep their places."""
    return (
        Comparison.objects.filter(item__task=task, item__places=[])
        .select_related("item", "first", "second")
        .prefetch_related("alignments")
        .order_by("item__position", "pk")
    )


def plan_regrouping(
    task: Task, comparisons: Iterable[Comparison]
) -> Iterator[tuple[Alignment, PlannedComparison]]:
    """Yield the newest alignment of each comparison, and its plan by the settings of ``task``."""
    rules = get_rules(task)
    for comparison in comparisons:
        newest = max(comparison.alignments.all(), key=lambda alignment: alignment.version)
        first, second = comparison.first.stave, comparison.second.stave
        links = load_links(newest, len(first.spans), len(second.spans))
        plan = plan_comparison(
            comparison.item.key, first, second, Realignment(links, is_joined(newest.aligner)),
            aligner=newest.aligner, rules=rules, ask_moved=task.moved == Task.Moved.RANKED,
        )  # fmt: skip
        newest.comparison = comparison
        yield newest, plan


def _store(task: Task, recuts: Sequence[tuple[Alignment, PlannedComparison]]) -> None:
    task.save(update_fields=["question_size", "ask_all"])
    task.pairs.filter(owner__item__places=[]).delete()
    changed = {
        newest.comparison_id: Alignment(
            comparison=newest.comparison,
            version=newest.version + 1,
            links=newest.links,
            aligner=plan.aligner[:120],
            phrases=plan.rows,
            groups=plan.groups,
        )
        for newest, plan in recuts
        if (newest.phrases, newest.groups) != (plan.rows, [list(group) for group in plan.groups])
    }
    Alignment.objects.bulk_create(changed.values(), batch_size=500)
    stored = [
        StoredComparison(plan, changed.get(newest.comparison_id, newest), {}) for newest, plan in recuts
    ]
    writer = TaskWriter(task)
    writer.add_questions([one for one in stored if not one.comparison.check_kind], writer.scope)
    writer.add_questions([one for one in stored if one.comparison.check_kind], DedupScope.NONE)
    writer.settle_owners()
    move_assignments(changed, Assignment.objects.unfinished().filter(task=task))
    for start in range(0, len(stored), AT_ONCE):
        adjust_slots(task, {one.comparison.pk for one in stored[start : start + AT_ONCE]})
