"""Stored rankings as a study: one pass over the database, then columns.

The current version of each answer counts; withdrawn answers and the votes of machines do not. Agreement reads
first presentations of ordinary pairs; repeats feed intra-annotator agreement, attention checks the filters.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NamedTuple

import numpy as np
from django.db.models import BigIntegerField, Case, F, IntegerField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Cast, Coalesce
from numpy.typing import NDArray

from evaluation.agreement import Judgements
from evaluation.blinding import canonical
from evaluation.models import Annotator, Occurrence, PhrasePair, Ranking, Task
from evaluation.problems import InputError, Problem
from evaluation.reports.columns import integer_columns
from evaluation.schemes import Choice
from evaluation.study.values import CODE_OF, NO_CHECK, NO_TIME, Study, StudyTask, latest

WITHDRAWN = 7
FEW, MANY = 20, 40  # bits of numbers that a site has few or many of


def task_judgements(slug: str) -> Judgements:
    return study(find_tasks("slug", slug), named=True).judgements()


def campaign_judgements(slug: str) -> Judgements:
    """Tasks with different schemes are read over the four-way collapse that they have in common."""
    return study(find_tasks("campaign__slug", slug), named=True).judgements()


def repeat_judgements(task: str = "", campaign: str = "") -> Judgements:
    """Everything said by those who saw a pair more than once, every presentation of it."""
    tasks = find_tasks("slug", task) if task else find_tasks("campaign__slug", campaign)
    return study(tasks, named=True).repeats()


def find_tasks(field: str, slug: str) -> list[Task]:
    tasks = Task.objects.filter(**{field: slug}).exclude(state=Task.State.IMPORTING)
    found = list(tasks.select_related("campaign").order_by("pk"))
    if not found:
        kind = "task" if field == "slug" else "campaign"
        raise unknown(kind, slug)
    return found


MOST_NAMED = 12  # slugs listed in one message


def unknown(kind: str, slug: str) -> InputError:
    """The problem that a task or campaign does not exist; lists existing ones, the most similar first."""
    ready = Task.objects.exclude(state=Task.State.IMPORTING)
    field = "slug" if kind == "task" else "campaign__slug"
    slugs = sorted(set(ready.values_list(field, flat=True)))
    alike = get_close_matches(slug, slugs, MOST_NAMED)
    named = [*alike, *(other for other in slugs if other not in alike)][:MOST_NAMED]
    more = f" and {len(slugs) - len(named)} more" if len(slugs) > len(named) else ""
    remedy = f"there are: {', '.join(named)}{more}" if named else "there is none yet; `import_task` makes one"
    return InputError(Problem(f"unknown_{kind}", f"there is no {kind} {slug!r}", remedy))


def pseudonym(campaign_key: str, annotator_key: str) -> str:
    """An annotator's name in reports and exports: the same within a campaign, unlinkable between two.

    >>> pseudonym("k", "a") == pseudonym("k", "a") != pseudonym("other", "a")
    True
    """
    return "a-" + hmac.digest(campaign_key.encode(), annotator_key.encode(), hashlib.sha256).hex()[:10]


def study(tasks: Sequence[Task], *, named: bool = False) -> Study:
    """The tasks of one campaign as columns; annotators go by their pseudonyms, or by their user names."""
    asked = _asked_pairs(tasks)
    answers = _Answers(*integer_columns(_rankings(tasks, asked), (FEW, MANY, FEW, MANY)))
    answers = answers.at(_current(answers, asked.ids))
    voices = np.flatnonzero(np.bincount(answers.annotators))
    people = _people(tasks, voices, named=named)
    if len(people) < len(voices):
        answers = answers.at(np.isin(answers.annotators, np.fromiter(people, np.int64, len(people))))
    return _study(tasks, answers, people, asked)


class _Answers(NamedTuple):
    """Stored rankings as columns.

    ``said`` is what the function ``said`` packs; ``active`` is the time in milliseconds plus 1 (0: unknown).
    """

    annotators: NDArray[np.int64]
    pairs: NDArray[np.int64]
    said: NDArray[np.int64]
    active: NDArray[np.int64]

    def at(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> _Answers:
        return _Answers(*(column[rows] for column in self))

    @property
    def labels(self) -> NDArray[np.int64]:
        return self.said >> 2 & 7


def _current(answers: _Answers, ids: NDArray[np.int64]) -> NDArray[np.int64] | slice:
    """The rows that count: about pairs with these ids, of several versions the last, nothing withdrawn."""
    good = _known(answers.pairs, ids) & (answers.labels != WITHDRAWN)
    changed = answers.said >= 2 << 10
    if not changed.any():
        return slice(None) if good.all() else np.flatnonzero(good)
    cells = (answers.pairs * (answers.annotators.max() + 1) + answers.annotators) * 32
    cells += answers.said >> 5 & 31
    touched = np.flatnonzero(np.isin(cells, cells[changed]))  # answers with a second version: few
    last = np.ones(len(cells), dtype=bool)
    last[touched] = False
    last[touched[latest([cells[touched]])]] = True
    return np.flatnonzero(good & last)


def _known(pairs: NDArray[np.int64], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs are among the ids, by a table instead of by sorting."""
    table = np.zeros(max(ids.max(initial=0), pairs.max(initial=0)) + 1, dtype=bool)
    table[ids] = True
    return table[pairs]


def _study(tasks: Sequence[Task], answers: _Answers, people: dict[int, str], asked: _Pairs) -> Study:
    codes = np.full(max(people, default=-1) + 1, -1, dtype=np.int16)
    codes[list(people)] = np.arange(len(people))  # people are sorted by name
    return Study(
        tasks=tuple(StudyTask(task.slug, task.name, task.scheme_name) for task in tasks),
        annotator_names=tuple(people.values()),
        annotators=codes[answers.annotators],
        pairs=_places(asked.ids)[answers.pairs],
        presentations=(answers.said >> 5 & 31).astype(np.int8),
        labels=answers.labels.astype(np.int8),
        swapped=(answers.said & 1).astype(bool),
        surplus=(answers.said >> 1 & 1).astype(bool),
        active_ms=(answers.active - 1).astype(np.int32),
        pair_keys=asked.ids,
        pair_tasks=np.searchsorted(_keys(tasks), asked.tasks).astype(np.int16),
        pair_sentences=np.unique(asked.items, return_inverse=True)[1].astype(np.int32),
        expected=asked.expected,
    )


def _places(ids: NDArray[np.int64]) -> NDArray[np.int32]:
    """Id → its place among the ids: a table is faster than a search for a million rows."""
    table = np.zeros(ids.max(initial=0) + 1, dtype=np.int32)
    table[ids] = np.arange(len(ids))
    return table


def _people(tasks: Sequence[Task], ids: NDArray[np.int64], *, named: bool) -> dict[int, str]:
    """Id → name of those who are people, in the order of their names."""
    found = Annotator.objects.filter(pk__in=ids.tolist(), machine="").select_related("user")
    key = tasks[0].campaign.key
    names = {person.pk: str(person) if named else pseudonym(key, person.key) for person in found}
    return dict(sorted(names.items(), key=lambda item: (item[1], item[0])))


def _rankings(tasks: Sequence[Task], asked: _Pairs) -> QuerySet[Ranking, tuple[int, ...]]:
    """The columns of ``_Answers``, oldest first."""
    rankings = Ranking.objects.order_by("pk")
    # Where much of the table is needed, all of it is read, which is faster than through the index; rows of
    # other tasks are dropped afterwards.
    if len(asked.ids) * 4 < asked.newest:
        rankings = rankings.filter(pair__in=PhrasePair.objects.filter(task__in=_keys(tasks)).values("pk"))
    active = Cast(Coalesce(F("active_ms"), Value(NO_TIME)) + 1, BigIntegerField())
    return rankings.values_list("annotator_id", "pair_id", said(), active)


def said() -> CombinedExpression:
    """A ranking's small fields packed into one number; from the lowest bit: swapped, surplus, label (3 bits),
    presentation (5), version."""
    label = Case(
        *(When(choice=name, then=Value(CODE_OF[name] * 4)) for name in _OFTEN_FIRST),
        default=Value(WITHDRAWN * 4),
    )
    surplus = Case(When(slot=None, then=Value(2)), default=Value(0))
    small = F("version") * 2**10 + F("presentation") * 32 + label + surplus
    return Cast(small, BigIntegerField()) + Cast(Cast("swapped", IntegerField()), BigIntegerField())


_OFTEN_FIRST = ("A=B", "A>B", "A<B", "A>>B", "A<<B", "N/A")  # the fewer comparisons, the faster


class _Pairs(NamedTuple):
    """The pairs of some tasks in the order of their ids; ``newest`` is the highest id of any task."""

    ids: NDArray[np.int64]
    tasks: NDArray[np.int64]
    items: NDArray[np.int64]
    expected: NDArray[np.int8]
    newest: int


def _asked_pairs(tasks: Sequence[Task]) -> _Pairs:
    rows = PhrasePair.objects.filter(task__in=_keys(tasks)).order_by()
    newest = PhrasePair.objects.order_by("-pk").values("pk")[:1]
    columns = integer_columns(
        rows.values_list(
            "pk", "task_id", "owner__item_id", _check(), Cast(Subquery(newest), BigIntegerField())
        ),
        (MANY, FEW, MANY, FEW, MANY),
    )
    order = np.argsort(columns[0], kind="stable")
    ids, of_task, items, checks, last = (column[order] for column in columns)
    return _Pairs(ids, of_task, items, _EXPECTED[checks], int(last.max(initial=0)))


def _check() -> Cast:
    """0 for ordinary pairs; for checks 1 + 2 · (code of the expected verdict) + (1 where the pair is
    flipped).

    What a check expects is about its two candidates; where the pair is flipped, it is the other way round.
    """
    wanted = Case(
        *(When(owner__expected=name, then=Value(code * 2 + 1)) for name, code in CODE_OF.items()),
        default=Value(0),
    )
    here = Occurrence.objects.filter(pair=OuterRef("pk"), alignment__comparison=OuterRef("owner"))
    turned = Case(When(flipped=True, then=Value(1)), default=Value(0))
    flipped = Coalesce(Subquery(here.order_by("-pk").values_list(turned)[:1]), Value(0))
    return Cast(Case(When(owner__check_kind="", then=Value(0)), default=wanted + flipped), BigIntegerField())


# By the numbers of _check().
_EXPECTED = np.array(
    [
        NO_CHECK,
        *(
            CODE_OF[canonical(Choice(name), swapped=False, flipped=flipped).value]
            for name in CODE_OF
            for flipped in (False, True)
        ),
    ],
    dtype=np.int8,
)


def _keys(tasks: Sequence[Task]) -> list[int]:
    return [task.pk for task in tasks]
