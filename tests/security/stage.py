"""A site with one of everything that an address can be about, and one person of every kind."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils import timezone

from evaluation.annotate.services import assignments
from evaluation.models import (
    AlignmentReport,
    Annotator,
    Campaign,
    Invitation,
    Job,
    Membership,
    Occurrence,
    PracticeQuestion,
    Role,
    Task,
    Upload,
    User,
)
from evaluation.people import api_tokens
from evaluation.schemes import Choice
from evaluation.tasks.services.management import sign_return_token
from metrics.models import TrainedModel
from metrics.scoring.services.metric_lookup import find_metrics
from metrics.scoring.services.runs import score_task
from tests.database.answering import always, answer_task
from tests.database.conftest import SENTENCES, annotator, make_task, person
from tests.importers.bad_inputs import GOOD_TSV

# What the API's JSON requests take, so that access is looked at and not the form.
BODY = '{"metrics": ["chrf"], "names": ["nobody"], "name": "ruth", "role": "researcher", "table": ""}'
ROLES = ("anonymous", "stranger", "annotator", "researcher", "manager", "administrator")


@dataclass(frozen=True, slots=True)
class Stage:
    """``values`` fill the gaps of an address; ``people`` are the six roles, the first of them nobody."""

    task: Task
    values: dict[str, object]
    people: dict[str, User | None]
    tokens: dict[str, str]

    def path(self, example: str) -> str:
        return "/" + example.format_map(self.values)

    def ask(self, role: str, method: str, path: str, *, csrf: bool = False) -> HttpResponseBase:
        """One request, whose effects are taken back."""
        client = Client(enforce_csrf_checks=csrf, raise_request_exception=False)
        headers = {}
        if path.startswith("/api/"):
            headers = {"Authorization": f"Bearer {self.tokens[role]}"} if role in self.tokens else {}
        elif (user := self.people[role]) is not None:
            client.force_login(user)
        with transaction.atomic():
            body = BODY if method == "POST" and path.startswith("/api/") else ""
            response = client.generic(method, path, body, "application/json", headers=headers)
            if response.streaming:
                deque(response, maxlen=0)  # read to its end, a stream closes itself
            transaction.set_rollback(True)
        return response


def set_stage(sentences: list[dict[str, Any]] | None = None) -> Stage:
    task = make_task(sentences=sentences)
    bob, carol = annotator("bob", task), annotator("carol", task)
    assert bob.user is not None
    people: dict[str, User | None] = {
        "anonymous": None,
        "stranger": person("dora", may_create=True),
        "annotator": bob.user,
        "researcher": person("ruth"),
        "manager": person("alice", may_create=True),
        "administrator": User.objects.create_superuser("root"),
    }
    # A stranger is somebody with rights of their own, only elsewhere.
    elsewhere = Campaign.objects.create(slug="elsewhere", name="Elsewhere")
    for name, campaign, roles in (
        ("researcher", task.campaign, [Role.RESEARCHER]),
        ("manager", task.campaign, [Role.MANAGER]),
        ("stranger", elsewhere, list(Role)),
    ):
        for role in roles:
            Membership.objects.create(user=_somebody(people, name), campaign=campaign, role=role)
    answer_task(task, carol, always(Choice.A_BETTER))
    answer_task(task, bob, always(Choice.B_BETTER), most=2)
    values = gaps(task, _somebody(people, "manager"), bob) | {
        "places": _by_place(bob),
        "passage": _passage(bob),
        "question": _practice(task),
    }
    return Stage(task, values, people, _tokens(people))


def gaps(task: Task, manager: User, bob: Annotator) -> dict[str, object]:
    """One of everything that the address of a page may name, made where the task has none yet."""
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    assert assignment.alignment is not None
    pair = Occurrence.objects.asked_by(assignment)[0].pair
    AlignmentReport.objects.create(annotator=bob, pair=pair, alignment=assignment.alignment, reason="cut")
    score_task(task, find_metrics(["chrf"]))
    client = Client()
    client.force_login(manager)
    client.post(reverse("new-upload"), {"files": [SimpleUploadedFile("set.tsv", GOOD_TSV.encode())]})
    soon = timezone.now() + timedelta(days=1)
    return {
        "task": task.slug,
        "campaign": task.campaign.slug,
        "assignment": assignment.token,
        "comparison": assignment.comparison_id,
        "pair": pair.pk,
        "membership": Membership.objects.filter(user=bob.user)[0].pk,
        "invitation": Invitation.objects.create(task=task, expires_at=soon).token,
        "invitation_number": Invitation.objects.filter(task=task)[0].pk,
        "campaign_membership": Membership.objects.get(campaign=task.campaign, role=Role.RESEARCHER).pk,
        "campaign_invitation": Invitation.objects.create(campaign=task.campaign, expires_at=soon).pk,
        "upload": Upload.objects.get().pk,
        "guest": sign_return_token(User.objects.create_user("guest-stage")),
        "job": Job.objects.create(kind="score", title="Scoring", owner=manager, task=task).pk,
        "model": TrainedModel.objects.create(
            name=f"m{task.pk}",
            kind="combination",
            task=task,
            owner=manager,
            evaluation={"weights": [["bleu", 1.0]]},
        ).pk,
    }


def _passage(bob: Annotator) -> str:
    """The token of a passage that this annotator assesses."""
    assert bob.user is not None
    task = make_task("Ratings", SENTENCES[:2], comparisons="none", assess="esa")
    # Not in the campaign whose pages are looked at: evidence would add its queries to them.
    task.campaign = Campaign.objects.create(slug="ratings", name="Ratings")
    task.save()
    Membership.objects.create(user=bob.user, campaign=task.campaign, task=task, role=Role.ANNOTATOR)
    assignment = assignments.next_assignment(task, bob)
    assert assignment is not None
    return assignment.token


def _by_place(bob: Annotator) -> str:
    """The token of a page on which all candidates are judged together."""
    assert bob.user is not None
    together = make_task("Together", SENTENCES[:1], judging="places")
    Membership.objects.create(user=bob.user, campaign=together.campaign, task=together, role=Role.ANNOTATOR)
    assignment = assignments.next_assignment(together, bob)
    assert assignment is not None
    return assignment.token


def _practice(task: Task) -> int:
    """The number of a question of the practice round."""
    Task.objects.filter(pk=task.pk).update(practice=True)
    return PracticeQuestion.objects.create(task=task, first="one", second="two", expected="A>B").pk


def _somebody(people: dict[str, User | None], role: str) -> User:
    found = people[role]
    assert found is not None
    return found


def _tokens(people: dict[str, User | None]) -> dict[str, str]:
    return {
        role: api_tokens.create_token(user, name=role, scope="write")[1]
        for role, user in people.items()
        if user
    }


def routes(
    patterns: list[URLPattern | URLResolver] | None = None, before: str = ""
) -> Iterator[tuple[str, str]]:
    """Every address of the site, and its name."""
    for one in get_resolver().url_patterns if patterns is None else patterns:
        where = before + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from routes(one.url_patterns, where)
        else:
            yield where, one.name or ""
