"""Results of systems as cached figures of a scope, which several reports share."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from django.db.models import Exists, OuterRef, Q
from numpy.typing import NDArray

from evaluation.models import PhrasePair, Slot, Task
from evaluation.reports.scope import Scope, get_study, get_system_pairs
from evaluation.results import SystemResults
from evaluation.stopping.decisions import ALPHA, decide_system_pairs, find_differing_pairs
from evaluation.study import AnswerKind, Filter, Study, compute_study_results, select_answers


def compute_results(
    scope: Scope, without: Collection[Filter] = (), kind: AnswerKind = AnswerKind.PHRASES
) -> SystemResults:
    """Return the system results from answers of one kind; cached until a new answer arrives."""
    filters = tuple(sorted(without))

    def compute() -> SystemResults:
        study = filter_study(get_study(scope, kind), filters)
        return compute_study_results(study, get_system_pairs(scope, kind))

    return scope.cached("results", compute, filters, kind)


def filter_study(study: Study, without: Collection[Filter]) -> Study:
    """Return the study without the answers that the filters leave out."""
    return study.filter_rows(select_answers(study, tuple(without))) if without else study


def list_differing_pairs(scope: Scope, alpha: float = ALPHA) -> tuple[str, ...]:
    """Return the system pairs about which the stopping rule and the sign tests differ."""
    study = get_study(scope)
    awaited = find_open_pairs(scope.tasks, study)

    def compute() -> tuple[str, ...]:
        decisions = decide_system_pairs(study, get_system_pairs(scope), awaited, alpha)
        return find_differing_pairs(decisions, compute_results(scope).comparisons)

    return scope.cached("differing pairs", compute, alpha, np.packbits(awaited).tobytes())


def find_open_pairs(tasks: Sequence[Task], study: Study) -> NDArray[np.bool_]:
    """Return which pairs of the study still await answers; those of a closed task never do."""
    open_tasks = [task.pk for task in tasks if task.is_open]
    unfinished = Slot.objects.exclude(state=Slot.State.DONE).filter(presentation=0)
    here = Exists(unfinished.filter(comparison=OuterRef("owner")))
    together = Exists(unfinished.filter(comparison__item=OuterRef("owner__item")))
    awaited = PhrasePair.objects.filter(
        here | Q(task__judging=Task.Judging.PLACES) & together, task__in=open_tasks
    )
    keys = np.fromiter(awaited.order_by().values_list("pk", flat=True), dtype=np.int64)
    return np.isin(np.asarray(study.pair_keys, dtype=np.int64), keys)
