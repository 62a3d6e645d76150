"""Limits of request bodies in Django itself, whatever server runs it, and the readiness of a site."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from appraise.operations import telemetry
from evaluation.models import ApiToken, User
from evaluation.people.api_tokens import create_token

pytestmark = pytest.mark.django_db


class TestLimits:
    """In Django itself, whatever server runs it."""

    LARGE = b"x" * 20_000

    @pytest.fixture(autouse=True)
    def small_limits(self) -> Iterator[None]:
        with override_settings(DATA_UPLOAD_MAX_MEMORY_SIZE=10_000, APPRAISE_MAX_UPLOAD=100_000):
            yield

    def post(self, client: Client, url: str, **headers: str) -> int:
        file = SimpleUploadedFile("large.txt", self.LARGE)
        return client.post(url, {"file": file}, headers=headers).status_code

    def test_visitors_and_annotators_send_forms_only(self, dora: User) -> None:
        client = Client()
        assert self.post(client, "/sign-in") == self.post(client, "/upload/") == 413
        client.force_login(dora)
        assert self.post(client, "/upload/") == 413

    def test_managers_send_files_to_the_pages_that_take_files(self, alice: User) -> None:
        client = Client()
        client.force_login(alice)
        assert self.post(client, "/upload/") == 422  # no file
        assert self.post(client, "/me/delete") == 413

    def test_the_api_takes_files_with_a_token_that_may_write(self, alice: User) -> None:
        _, reads = create_token(alice, name="reads")
        _, writes = create_token(alice, name="writes", scope=ApiToken.Scope.WRITE)
        client = Client()
        assert self.post(client, "/api/uploads") == 413
        assert self.post(client, "/api/uploads", authorization=f"Bearer {reads}") == 413
        assert self.post(client, "/api/uploads", authorization=f"Bearer {writes}") != 413


def test_a_site_that_cannot_write_is_alive_but_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "can_write", lambda: False)
    cache.delete("readyz")
    assert Client().get("/readyz").status_code == 503
    assert Client().get("/healthz").status_code == 200
