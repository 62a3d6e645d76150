"""A session lasts as long as somebody keeps coming, and costs one write a day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from appraise.middleware import RENEWED
from evaluation.models import User

SignIn = Callable[[User | None], Client]


@pytest.fixture
def client(dora: User, signed_in: SignIn) -> Client:
    return signed_in(dora)


def writes(client: Client) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        assert client.get("/").status_code == 200
    return [query["sql"] for query in queries if query["sql"].startswith(("UPDATE", "INSERT"))]


def test_a_request_on_the_day_of_the_log_in_writes_nothing(client: Client) -> None:
    assert writes(client) == []


def test_the_first_request_of_a_day_renews_the_session_and_its_cookie(client: Client) -> None:
    session = client.session
    session[RENEWED] = "2001-02-03"
    session.save()
    Session.objects.update(expire_date=timezone.now() + timedelta(hours=1))
    response = client.get("/")
    assert response.cookies[settings.SESSION_COOKIE_NAME]["max-age"] == settings.SESSION_COOKIE_AGE
    assert Session.objects.get().expire_date > timezone.now() + timedelta(weeks=5)
    assert writes(client) == []


def test_a_visitor_without_a_log_in_gets_no_session(db: None) -> None:
    assert Client().get("/sign-in").status_code == 200
    assert not Session.objects.exists()
