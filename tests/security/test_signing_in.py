"""Guessing passwords: slow for whoever guesses, harmless to the person whose name it is."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from appraise.lib.environment import read_networks
from evaluation.models import SignIn, User
from evaluation.people import throttling
from evaluation.people.throttling import client_address
from tests.operations.conftest import run_python

if TYPE_CHECKING:
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

HERE, THERE = "192.0.2.1", "198.51.100.9"


@pytest.fixture
def bob(db: None) -> User:
    return User.objects.create_user("bob", password="right")


def attempt(name: str, password: str, address: str = HERE, **headers: str) -> Response:
    form = {"username": name, "password": password}
    return Client(REMOTE_ADDR=address).post("/sign-in", form, headers=headers)


def fail(name: str, times: int, address: str = HERE) -> None:
    """Failures without the cost of hashing; the first test shows that the page records the same."""
    for _ in range(times):
        throttling.record_attempt(name, address, succeeded=False)


def text(response: Response) -> str:
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", response.content.decode())


class TestThrottling:
    def test_twenty_wrong_passwords_end_in_429_for_known_and_unknown_names_alike(self, bob: User) -> None:
        known = [attempt("bob", "wrong") for _ in range(20)]
        unknown = [attempt("nobody", "wrong", THERE) for _ in range(20)]
        assert [r.status_code for r in known] == [r.status_code for r in unknown] == [200] * 10 + [429] * 10
        assert text(known[-1]) == text(unknown[-1])
        assert "Try again in 15 minutes" in text(known[-1])
        assert 0 < int(known[-1]["Retry-After"]) <= 15 * 60

    def test_spaces_around_a_name_do_not_give_further_attempts(self, bob: User) -> None:
        spellings = ["bob", " bob", "bob  ", "\u00a0bob", "\uff42ob"]
        statuses = [attempt(spellings[number % 5], "wrong").status_code for number in range(12)]
        assert statuses == [200] * 10 + [429] * 2

    def test_an_attempt_counts_before_its_password_is_checked(
        self, bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """While one password is checked, others are sent: together they get no more than the limit."""
        statuses: list[int] = []
        check = User.check_password

        def send_another(user: User, password: str) -> bool:
            if 429 not in statuses:
                statuses.append(attempt("bob", "wrong").status_code)
            return check(user, password)

        fail("bob", 8)
        monkeypatch.setattr(User, "check_password", send_another)
        attempt("bob", "wrong")
        assert SignIn.objects.filter(succeeded=False).count() == 10
        assert statuses == [429, 200]

    def test_an_unknown_name_costs_as_much_time_as_a_known_one(
        self, bob: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hashed: list[str] = []
        encode = MD5PasswordHasher.encode

        def counted(self: MD5PasswordHasher, password: str, salt: str) -> str:
            hashed.append("once")
            return encode(self, password, salt)

        monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
        attempt("bob", "wrong")
        attempt("nobody", "wrong")
        assert hashed == ["once", "once"]

    def test_behind_a_closed_door_no_password_is_looked_at(self, bob: User) -> None:
        fail("bob", 10)
        assert attempt("bob", "right").status_code == 429
        assert attempt("bob", "wrong").status_code == 429
        assert SignIn.objects.count() == 10  # refused attempts do not lengthen the wait

    def test_the_rightful_person_gets_in_from_another_address(self, bob: User) -> None:
        fail("bob", 20)
        assert attempt("bob", "right", THERE).status_code == 302

    def test_an_attack_from_everywhere_spares_the_place_where_the_person_works(self, bob: User) -> None:
        assert attempt("bob", "right", THERE).status_code == 302
        for number in range(100):
            throttling.record_attempt("bob", f"203.0.113.{number}", succeeded=False)
        assert attempt("bob", "right", "203.0.113.200").status_code == 429
        assert attempt("bob", "right", THERE).status_code == 302

    def test_a_colleague_behind_the_same_router_shuts_out_only_strangers(self, bob: User) -> None:
        assert attempt("bob", "right").status_code == 302
        for number in range(50):
            throttling.record_attempt(f"guess{number}", HERE, succeeded=False)
        assert attempt("nobody", "x").status_code == 429
        assert attempt("bob", "right").status_code == 302

    def test_success_forgets_the_typing_errors_before_it(self, bob: User) -> None:
        fail("bob", 9)
        assert attempt("bob", "right").status_code == 302
        fail("bob", 9)
        assert attempt("bob", "right").status_code == 302

    def test_the_door_opens_again_after_the_time_that_was_told(self, bob: User) -> None:
        fail("bob", 10)
        waiting = throttling.compute_wait("bob", HERE)
        assert waiting is not None
        SignIn.objects.update(at=timezone.now() - timedelta(minutes=15, seconds=1))
        assert throttling.compute_wait("bob", HERE) is None

    def test_old_rows_go(self, bob: User) -> None:
        fail("bob", 3)
        SignIn.objects.update(at=timezone.now() - timedelta(days=2))
        fail("eve", 1)
        assert SignIn.objects.count() == 1

    def test_neither_names_nor_addresses_are_stored(self, bob: User) -> None:
        attempt("bob", "wrong")
        stored = repr(list(SignIn.objects.values_list("account", "address")))
        assert "bob" not in stored
        assert HERE not in stored

    def test_the_administration_has_no_door_of_its_own(self, bob: User) -> None:
        client = Client()
        assert client.get("/admin/login/").status_code == 302
        assert client.post("/admin/login/", {"username": "bob", "password": "right"}).status_code == 302
        assert "sessionid" not in client.cookies
        client.force_login(bob)
        assert client.get("/admin/", follow=True).status_code == 403


class TestAddresses:
    def test_a_forged_header_changes_nothing_without_trusted_proxies(self, bob: User) -> None:
        fail("bob", 10)
        forged = {"X-Forwarded-For": THERE}
        assert attempt("bob", "right", HERE, **forged).status_code == 429

    @pytest.mark.parametrize(
        ("connection", "header", "address"),
        [
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "198.51.100.9", "198.51.100.9"),
            ("10.0.0.1", "forged, 198.51.100.9", "198.51.100.9"),
            ("10.0.0.1", "203.0.113.5, 198.51.100.9, 10.0.0.2", "198.51.100.9"),
            ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.1"),
            ("10.0.0.1", "nonsense", "unknown"),
            ("192.0.2.1", "198.51.100.9", "192.0.2.1"),
            ("", "198.51.100.9", "198.51.100.9"),
            ("2001:db8:1:2:3:4:5:6", "", "2001:db8:1:2::/64"),
            ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ],
    )
    def test_a_trusted_proxy_is_believed_as_far_as_trust_goes(
        self, connection: str, header: str, address: str, settings: Settings
    ) -> None:
        settings.TRUSTED_PROXIES = read_networks("TRUSTED_PROXIES", ("10.0.0.0/24",), {})
        meta = {"REMOTE_ADDR": connection, "HTTP_X_FORWARDED_FOR": header}
        assert client_address(meta) == address

    @pytest.mark.parametrize("setting", [{"TRUSTED_PROXIES": "my-proxy"}, {"SIGN_IN_LIMIT": "0"}])
    def test_nonsense_refuses_to_start(self, setting: dict[str, str], tmp_path: Path) -> None:
        run = run_python("manage.py", "check", home=tmp_path, **setting)
        assert run.returncode == 1
        assert run.stderr.startswith("appraise: {}={!r}".format(*next(iter(setting.items()))))
