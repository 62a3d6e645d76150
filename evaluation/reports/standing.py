"""Whether it is decided which system is better: for the page, the command and the monitor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Exists, OuterRef, Q
from numpy.typing import NDArray

from evaluation.agreement.rendering import Table
from evaluation.models import PhrasePair, Slot, Task
from evaluation.reports import plots
from evaluation.reports.memo import remembered
from evaluation.reports.scope import Scope, meetings_of, study_of
from evaluation.study import Standing, Study, study_standing
from evaluation.study.standing import ALPHA, HALF_WIDTH


@dataclass(frozen=True, slots=True)
class StandingPage:
    scope: Scope
    standing: Standing
    plot: plots.Plot


def standing_page(scope: Scope, alpha: float = ALPHA, wanted: float = HALF_WIDTH) -> StandingPage:
    found = standing(scope, alpha, wanted)
    rows = [(one.a, one.b, one.decision.mean, (one.decision.low, one.decision.high)) for one in found.versus]
    return StandingPage(scope, found, plots.contests(rows))


def standing(scope: Scope, alpha: float = ALPHA, wanted: float = HALF_WIDTH) -> Standing:
    """The current standing. Open pairs are queried each time, since finishing a sentence adds no answer."""
    study, meetings = study_of(scope), meetings_of(scope)
    awaited = open_pairs(scope.tasks, study)
    key = ("standing", alpha, wanted, np.packbits(awaited).tobytes(), *scope.key)
    return remembered(
        key, lambda: study_standing(study, meetings, awaited, alpha=alpha, wanted=wanted), scope.state
    )


def open_pairs(tasks: Sequence[Task], study: Study) -> NDArray[np.bool_]:
    """Which pairs of the study are still being asked; nothing is awaited from a task that is not open."""
    running = [task.pk for task in tasks if task.is_open]
    unfinished = Slot.objects.exclude(state=Slot.State.DONE).filter(presentation=0)
    here = Exists(unfinished.filter(comparison=OuterRef("owner")))
    together = Exists(unfinished.filter(comparison__item=OuterRef("owner__item")))
    awaited = PhrasePair.objects.filter(
        here | Q(task__judging=Task.Judging.PLACES) & together, task__in=running
    )
    keys = np.fromiter(awaited.order_by().values_list("pk", flat=True), dtype=np.int64)
    return np.isin(np.asarray(study.pair_keys, dtype=np.int64), keys)


def standing_tables(found: Standing) -> dict[str, Table]:
    columns = (
        "system", "against", "better", "sentences", "under way", "mean difference", "low", "high",
        "decided after", "about more",
    )  # fmt: skip
    rows = tuple(
        (
            one.a,
            one.b,
            one.better,
            one.decision.n,
            one.under_way,
            one.decision.mean,
            one.decision.low,
            one.decision.high,
            one.decision.decided_after,
            one.decision.more,
        )
        for one in found.versus
    )
    return {
        "decisions": Table("Which system is better, at any time", columns, rows),
        "kappa": _kappa_table(found),
    }


def _kappa_table(found: Standing) -> Table:
    known, columns = found.precision, ("kappa", "low", "high", "sentences", "half-width", "wanted", "enough")
    row = (found.kappa, *(found.interval or (None, None)), found.sentences)
    precise = (
        (None,) * 4 if known is None else (known.half_width, known.wanted, _word(known.enough), known.more)
    )
    return Table("How precisely kappa is known", (*columns, "about more"), ((*row, *precise),))


def _word(enough: bool) -> str:
    return "yes" if enough else "no"


def as_document(found: Standing) -> dict[str, object]:
    """For JSON: of the command, and of what is stored for the monitor page."""
    return {
        "alpha": found.alpha,
        "undecided": found.undecided,
        "systems": [
            {"a": one.a, "b": one.b, "better": one.better, "under_way": one.under_way}
            | {k: v for k, v in one.decision._asdict().items() if k != "better"}
            for one in found.versus
        ],
        "kappa": found.kappa,
        "kappa_ci": None if found.interval is None else list(found.interval),
        "sentences": found.sentences,
        "precision": None if found.precision is None else found.precision._asdict(),
    }
