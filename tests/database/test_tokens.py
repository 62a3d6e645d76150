"""Keys to the API in the browser: made and shown once, listed, revoked; everybody's own."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Annotator, ApiToken, AuditEntry, Task, User

SignIn = Callable[[User | Annotator | None], Client]
PAGE = "/me/tokens"


def make(client: Client, **fields: str) -> tuple[int, str]:
    """Status and the key that the answer shows, if any."""
    response = client.post(PAGE, {"name": "notebook", "scope": "read", "days": "30", **fields})
    shown = re.search(r'id="new-token" readonly value="([^"]+)"', response.content.decode())
    return response.status_code, html.unescape(shown[1]) if shown else ""


def request_tasks(token: str) -> int:
    return Client().get("/api/tasks", headers={"Authorization": f"Bearer {token}"}).status_code


def test_a_key_is_shown_once_opens_the_api_and_is_stored_as_a_digest(
    task: Task, alice: User, signed_in: SignIn
) -> None:
    client = signed_in(alice)
    status, text = make(client)
    stored = ApiToken.objects.get()
    assert (status, request_tasks(text)) == (201, 200)
    assert (stored.user, stored.name, stored.scope) == (alice, "notebook", "read")
    assert stored.expires_at is not None
    assert timedelta(days=29) < stored.expires_at - timezone.now() < timedelta(days=31)
    again = client.get(PAGE)
    assert text not in again.content.decode()
    assert "no-store" in again["Cache-Control"]
    held = [*ApiToken.objects.values_list("digest", "name"), *AuditEntry.objects.values_list("detail")]
    held += [(session.get_decoded(),) for session in Session.objects.all()]
    assert text not in repr(held)


def test_a_revoked_key_opens_nothing_and_leaves_a_trace(task: Task, alice: User, signed_in: SignIn) -> None:
    client = signed_in(alice)
    text = make(client, scope="write", days="")[1]
    token = ApiToken.objects.get()
    assert (token.scope, token.expires_at) == ("write", None)
    url = reverse("revoke-token", args=[token.pk])
    for _ in range(2):  # a second click changes nothing
        assert client.post(url).status_code == 302
    token.refresh_from_db()
    assert token.revoked_at is not None
    assert request_tasks(text) == 401
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "make token",
        "revoke token",
    ]
    assert "revoked" in client.get(PAGE).content.decode()


def test_keys_are_their_owners(alice: User, dora: User, signed_in: SignIn) -> None:
    make(signed_in(alice), name="alices notebook")
    url = reverse("revoke-token", args=[ApiToken.objects.get().pk])
    assert "alices notebook" not in signed_in(dora).get(PAGE).content.decode()
    assert signed_in(dora).post(url).status_code == 404
    assert Client().get(PAGE).status_code == 302
    assert ApiToken.objects.get().revoked_at is None


@pytest.mark.parametrize(
    "fields", [{"name": " "}, {"scope": "admin"}, {"days": "0"}, {"days": "99999"}, {"name": "x" * 101}]
)
def test_nonsense_makes_no_key(alice: User, signed_in: SignIn, fields: dict[str, str]) -> None:
    assert make(signed_in(alice), **fields) == (422, "")
    assert not ApiToken.objects.exists()


def test_what_explains_a_field_and_what_is_wrong_with_it_are_named_by_the_field(
    alice: User, signed_in: SignIn
) -> None:
    """Django points at both by their ids, for those who hear the page."""
    page = signed_in(alice).post(PAGE, {"name": "", "scope": "read", "days": "0"}).content.decode()
    pointed = [name for names in re.findall(r'aria-describedby="([^"]+)"', page) for name in names.split()]
    assert {"id_name_helptext", "id_name_error", "id_days_error"} <= set(pointed)
    assert [page.count(f'id="{name}"') for name in pointed] == [1] * len(pointed)
