"""The scope of a report: one task, or all tasks of a campaign that a user may study."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import Exists, IntegerField, OuterRef, QuerySet, Subquery, Value
from django.http import Http404
from django.urls import reverse

from evaluation.blinding import pseudonym
from evaluation.models import Annotator, Campaign, Ranking, Role, SentenceAnswer, Task, User
from evaluation.reports import sentence_query, study_query
from evaluation.reports.cache import DatabaseState, get_or_compute, read_state, state_columns
from evaluation.study import AnswerKind, Study, SystemPairs

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Scope:
    """The tasks of a report, oldest first; ``task`` is set where the report is about one task.

    Created for each request. ``managed`` says whether the viewer manages all of its tasks, ``state`` is the
    state of the database at that moment. On the command line there is no ``viewer``, and everything may be
    read. ``others`` are the scopes it can be compared with, where a report needs them.
    """

    campaign: Campaign
    tasks: tuple[Task, ...]
    task: Task | None
    managed: bool = False
    state: DatabaseState | None = None
    viewer: User | None = None
    others: Mapping[str, Scope] | None = None

    @property
    def kind(self) -> str:
        return "task" if self.task else "campaign"

    @property
    def slug(self) -> str:
        return self.task.slug if self.task else self.campaign.slug

    @property
    def name(self) -> str:
        return self.task.name if self.task else self.campaign.name

    @property
    def task_ids(self) -> list[int]:
        return [task.pk for task in self.tasks]

    @property
    def asks_about_sentences(self) -> bool:
        """Whether annotators are asked about whole sentences; answers may have been imported anyway."""
        return any(task.ask_sentence for task in self.tasks)

    @property
    def key(self) -> tuple[object, ...]:
        """Identifies this scope in caches; the campaign's random key is never reused."""
        return (self.campaign.key, *self.task_ids)

    def cached(self, name: str, compute: Callable[[], T], *options: Hashable) -> T:
        """Return a result of this scope; cached until a new answer arrives (``get_or_compute``)."""
        return get_or_compute((name, *options, *self.key), compute, self.state)

    def url(self, page: str, *rest: str) -> str:
        return reverse(f"{self.kind}-{page}", args=[self.slug, *rest])


def find_scope(user: User, kind: str, slug: str) -> Scope:
    """Return the scope if it exists and ``user`` may study it, else raise ``Http404``. One query."""
    field = "slug" if kind == "task" else "campaign__slug"
    tasks = tuple(_visible_tasks(user).filter(**{field: slug}))
    if not tasks:
        raise Http404(f"no {kind} {slug}")
    return _make_scope(tasks, user, tasks[0] if kind == "task" else None)


def find_scopes(user: User | None) -> dict[str, Scope]:
    """Return every scope that ``user`` may study (None: every scope), by ``kind:slug``. One query."""
    by_campaign: dict[int, list[Task]] = {}
    scopes = {}
    for task in _visible_tasks(user):
        by_campaign.setdefault(task.campaign_id, []).append(task)
        scopes[f"task:{task.slug}"] = _make_scope((task,), user, task)
    for tasks in by_campaign.values():
        scopes[f"campaign:{tasks[0].campaign.slug}"] = _make_scope(tuple(tasks), user)
    return dict(sorted(scopes.items(), key=lambda item: (item[1].campaign.name, item[0])))


def _visible_tasks(user: User | None) -> QuerySet[Task]:
    """Tasks with the columns that a scope needs; on the command line, ``managed`` is always false."""
    tasks = Task.objects.all()
    managed: Exists | Value = Value(False)
    if user is not None:
        tasks = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER)
        managed = Exists(Task.objects.with_role(user, Role.MANAGER).filter(pk=OuterRef("pk")))
    tasks = tasks.exclude(state=Task.State.IMPORTING).select_related("campaign").order_by("pk")
    return tasks.annotate(managed=managed, **state_columns())


def _make_scope(tasks: tuple[Task, ...], user: User | None, task: Task | None = None) -> Scope:
    managed = all(getattr(task, "managed", False) for task in tasks)
    return Scope(tasks[0].campaign, tasks, task, managed=managed, state=read_state(tasks[0]), viewer=user)


def load_scope(kind: str, slug: str) -> Scope:
    """Return the scope for a command, which may read everything; ``InputError`` if it does not exist."""
    tasks = tuple(study_query.find_tasks("slug" if kind == "task" else "campaign__slug", slug))
    return Scope(tasks[0].campaign, tasks, tasks[0] if kind == "task" else None)


def count_rankings(scope: Scope, most: float) -> int:
    """Return the number of answers, of each kind not counting further than ``most``. One query."""
    rankings = Ranking.objects.filter(pair__task__in=scope.task_ids).order_by()
    answers = SentenceAnswer.objects.filter(comparison__item__task__in=scope.task_ids).order_by()
    counts = (_RowCount(rows.values("pk")[: int(most) + 1]) for rows in (rankings, answers))
    return sum(Task.objects.filter(pk=scope.tasks[0].pk).values_list(*counts).get())


class _RowCount(Subquery):
    """The number of rows of a subquery."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) counted)"
    output_field = IntegerField()


def get_study(scope: Scope, kind: AnswerKind = AnswerKind.PHRASES) -> Study:
    def compute() -> Study:
        if kind is AnswerKind.PHRASES:
            return study_query.load_study(scope.tasks)
        stored = get_sentence_answers(scope)
        return study_query.make_study(scope.tasks, stored.asked, stored.answers)

    return scope.cached("study", compute, kind)


def choose_kind(scope: Scope, wanted: AnswerKind | None) -> AnswerKind:
    """Return what a report is about: by default phrases, or sentences where only they have answers."""
    if wanted is None and not len(get_study(scope)) and len(get_sentence_answers(scope).answers.labels):
        return AnswerKind.SENTENCES
    return wanted or AnswerKind.PHRASES


def get_system_pairs(scope: Scope, kind: AnswerKind = AnswerKind.PHRASES) -> SystemPairs:
    def compute() -> SystemPairs:
        study, outputs = get_study(scope, kind), get_system_outputs(scope)
        return study_query.join_system_pairs(study, load_occurrences(scope, kind), outputs)

    return scope.cached("system pairs", compute, kind)


def load_occurrences(scope: Scope, kind: AnswerKind) -> study_query.OccurrenceColumns:
    """Return where the pairs of the study occur; a pair of sentences occurs once."""
    if kind is AnswerKind.PHRASES:
        return study_query.load_occurrences(scope.tasks)
    return get_sentence_answers(scope).occurrences


def get_sentence_answers(scope: Scope) -> sentence_query.SentenceAnswers:
    return scope.cached("sentence answers", lambda: sentence_query.read_sentence_answers(scope.tasks))


def get_system_outputs(scope: Scope) -> study_query.SystemOutputs:
    return scope.cached("outputs", lambda: study_query.load_system_outputs(scope.tasks))


def load_names(scope: Scope) -> dict[str, str]:
    """Return pseudonym → name for a manager of the scope, and nothing for anybody else.

    Never cached: the name of an erased person must disappear at once.
    """
    if not scope.managed:
        return {}
    people = Annotator.objects.filter(user__isnull=False, assignments__task__in=scope.task_ids)
    return {
        pseudonym(scope.campaign.key, person.key): str(person)
        for person in people.select_related("user").distinct()
    }
