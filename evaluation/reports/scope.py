"""What a report is about: one task, or all tasks of a campaign that a person may study."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef
from django.urls import reverse

from evaluation.models import Annotator, Campaign, Draw, Role, Task, User
from evaluation.reports import judgements, votes
from evaluation.reports.memo import Mark, mark_of, newest, remembered
from evaluation.study import Meetings, Study


@dataclass(frozen=True, slots=True)
class Scope:
    """The tasks of a report, oldest first; ``task`` is set where one task was asked for.

    Found anew for each request: ``managed`` says whether its person organises every task of it, ``state``
    what was newest in the database then.
    """

    campaign: Campaign
    tasks: tuple[Task, ...]
    task: Task | None
    managed: bool = False
    state: Mark | None = None

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
    def key(self) -> tuple[object, ...]:
        """Identifies this scope in caches; the campaign's random key is never reused."""
        return (self.campaign.key, *(task.pk for task in self.tasks))

    def url(self, page: str, *rest: str) -> str:
        return reverse(f"{self.kind}-{page}", args=[self.slug, *rest])


class UnknownScope(Exception):
    """There is no such task or campaign, or none that this person may study."""


def find_scope(user: User, kind: str, slug: str) -> Scope:
    """What ``user`` may study under that name; raises ``UnknownScope``. One query."""
    mine = Task.objects.with_role(user, Role.MANAGER, Role.RESEARCHER).exclude(state=Task.State.IMPORTING)
    field = "slug" if kind == "task" else "campaign__slug"
    managed = Exists(Task.objects.with_role(user, Role.MANAGER).filter(pk=OuterRef("pk")))
    rows = mine.filter(**{field: slug}).select_related("campaign").order_by("pk")
    selected = Exists(Draw.objects.filter(task=OuterRef("pk")))
    tasks = tuple(rows.annotate(managed=managed, selected=selected, **newest()))
    if not tasks:
        raise UnknownScope(f"no {kind} {slug}")
    every = all(getattr(task, "managed", False) for task in tasks)
    return Scope(tasks[0].campaign, tasks, tasks[0] if kind == "task" else None, every, mark_of(tasks[0]))


def whole_scope(kind: str, slug: str) -> Scope:
    """The same for the command line, where everything may be read; ``InputError`` where there is nothing."""
    tasks = tuple(judgements.find_tasks("slug" if kind == "task" else "campaign__slug", slug))
    return Scope(tasks[0].campaign, tasks, tasks[0] if kind == "task" else None)


def study_of(scope: Scope) -> Study:
    return remembered(("study", *scope.key), lambda: judgements.study(scope.tasks), scope.state)


def meetings_of(scope: Scope) -> Meetings:
    return remembered(
        ("meetings", *scope.key),
        lambda: votes.met(study_of(scope), votes.places(scope.tasks), writers_of(scope)),
        scope.state,
    )


def writers_of(scope: Scope) -> votes.Writers:
    return remembered(("writers", *scope.key), lambda: votes.writers_of(scope.tasks), scope.state)


def names(scope: Scope) -> dict[str, str]:
    """Pseudonym → name, for those who manage the people behind it; nobody else may learn a name.

    Never cached: an erased person has no name from then on.
    """
    if not scope.managed:
        return {}
    tasks = [task.pk for task in scope.tasks]
    people = Annotator.objects.filter(user__isnull=False, assignments__task__in=tasks).select_related("user")
    return {judgements.pseudonym(scope.campaign.key, person.key): str(person) for person in people.distinct()}
