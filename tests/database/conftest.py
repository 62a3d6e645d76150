"""A cast and a stage: alice organises, bob and carol annotate, dora has no part in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from evaluation.importers import SourceFile, read
from evaluation.models import Annotator, Campaign, Membership, Role, Task, User
from evaluation.reports import cache
from evaluation.reports.registry import load_reports
from evaluation.tasks.services.importing import import_set
from evaluation.tasks.services.task_settings import TaskSettings
from evaluation.voters import register_tag_provider
from metrics.taggers import Taggers

SENTENCES: list[dict[str, Any]] = [
    {
        "id": f"s{n}",
        "source": f"Satz {n}: das rote Haus ist klein.",
        "references": [f"Sentence {n}: the red house is small."],
        "candidates": {
            "alpha": f"Sentence {n}: the red house is small.",
            "beta": f"Sentence {n}: the crimson house is tiny.",
            "gamma": f"Sentence {n}: house red the is very small.",
        },
    }
    for n in range(1, 5)
]


def make_task(name: str = "Houses", sentences: list[dict[str, Any]] | None = None, **settings: Any) -> Task:
    """A task from JSON, the way an upload makes it."""
    document = {
        "format": "appraise-task",
        "version": 1,
        "source_language": "de",
        "target_language": "en",
        "items": SENTENCES if sentences is None else sentences,
    }
    imported = read([SourceFile.from_bytes("houses.json", json.dumps(document).encode())])
    campaign, _ = Campaign.objects.get_or_create(slug="study", defaults={"name": "Study"})
    # Most tests count phrase by phrase; the grouping into questions has tests of its own.
    options = {
        "scheme": "six-way", "source_language": "de", "target_language": "en", "question_size": "phrase",
        **settings,
    }  # fmt: skip
    made = import_set(imported, TaskSettings(name=name, **options), campaign=campaign)
    return Task.objects.get(slug=made.tasks[0])


@pytest.fixture(autouse=True)
def nothing_remembered() -> None:
    """After a rollback the next test gets the same ids, by which reports are cached; a tagger may be left."""
    cache.clear_cache()
    register_tag_provider(Taggers())


@pytest.fixture
def without_estimates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Estimates of reports ask one more query where ids are high; on PostgreSQL other tests raise them."""
    for report in load_reports().values():
        monkeypatch.setattr(type(report), "estimate_seconds", lambda *_: 0.0)


@pytest.fixture
def task(db: None) -> Task:
    return make_task()


def person(name: str, **fields: Any) -> User:
    # No password: tests sign in by force_login, and hashing would cost most of their time.
    return User.objects.create_user(name, **fields)


@pytest.fixture
def bob(task: Task) -> Annotator:
    return annotator("bob", task)


@pytest.fixture
def carol(task: Task) -> Annotator:
    return annotator("carol", task)


@pytest.fixture
def alice(task: Task) -> User:
    user = person("alice", may_create=True)
    Membership.objects.create(user=user, campaign=task.campaign, role=Role.MANAGER)
    return user


@pytest.fixture
def dora(db: None) -> User:
    return person("dora")


def annotator(name: str, task: Task) -> Annotator:
    user = person(name)
    Membership.objects.create(user=user, campaign=task.campaign, task=task, role=Role.ANNOTATOR)
    return Annotator.objects.create(user=user, key=f"key of {name}")


@pytest.fixture
def signed_in() -> Callable[[User | Annotator | None], Client]:
    def sign_in(who: User | Annotator | None) -> Client:
        client = Client()
        user = who.user if isinstance(who, Annotator) else who
        if user is not None:
            client.force_login(user)
        return client

    return sign_in
