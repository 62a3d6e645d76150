"""Fields that nobody offered: posted all the same, they change nothing. Lookups in queries find nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.forms.models import model_to_dict
from django.test import Client

from evaluation.models import Annotator, Membership, Task, User
from tests.security.stage import Stage, set_stage


@pytest.fixture
def stage(db: None, settings: Any, tmp_path: Path) -> Stage:  # Any: pytest-django takes any setting
    settings.HOME = settings.MEDIA_ROOT = tmp_path
    return set_stage()


def every_field() -> dict[str, str]:
    """The name of every field of every model of ours, with a value that would matter."""
    names = {
        field.name
        for model in apps.get_models()
        if model._meta.app_label in {"evaluation", "metrics"}
        for field in model._meta.fields
    }
    names -= {"name", "password", "choice", "reason", "note", "number", "state"}  # questions of some form
    return dict.fromkeys(names, "1") | {f"{name}_id": "1" for name in names}


def picture() -> list[object]:
    """Everything about who may do what."""
    return [
        [
            model_to_dict(row, exclude=["groups", "user_permissions"])
            for row in model._default_manager.order_by("pk")
        ]
        for model in (User, Membership, Task, Annotator)
    ]


def test_an_annotator_cannot_post_fields_into_the_database(stage: Stage) -> None:
    bob = stage.people["annotator"]
    assert bob is not None
    client = Client()
    client.force_login(bob)
    before = picture()
    for example in (
        "a/{assignment}/", "a/{assignment}/skip", "a/{assignment}/report", "p/{places}/",
        "tasks/{task}/practice/1", "tasks/{task}/work", "me/delete", "j/{invitation}",
        "tasks/{task}/state", "tasks/{task}/members/add", "upload/",
    ):  # fmt: skip
        status = client.post(stage.path(example), every_field()).status_code
        assert status < 500, (example, status)
    assert picture() == before


@pytest.mark.parametrize(
    "lookup", ["owner__user__password__startswith=p", "user__email__contains=@", "pk__gt=0"]
)
def test_lookups_of_the_database_in_an_address_are_ignored(stage: Stage, lookup: str) -> None:
    alice = stage.people["manager"]
    assert alice is not None
    client = Client()
    client.force_login(alice)
    key, value = lookup.split("=")
    for page in ("disagreements", "agreement", "history", "members", "metrics"):
        path = stage.path("tasks/{task}/" + page)
        plain, asked = client.get(path), client.get(path, {key: value, "order": key, "sort": key})
        assert asked.status_code in {200, 400}, path
        if asked.status_code == 200:
            assert _rows(asked.content) == _rows(plain.content), path
    asked_api = client.get(
        "/api/tasks", {key: value}, headers={"Authorization": f"Bearer {stage.tokens['manager']}"}
    )
    assert len(asked_api.json()) == 2


def _rows(content: bytes) -> int:
    return content.count(b"<tr")
