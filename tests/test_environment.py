"""Settings are read strictly: nonsense refuses to start, with one clear line."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from appraise.lib.environment import (
    SettingError,
    configure_database,
    ensure_folder,
    ensure_private_folder,
    load_secret_key,
    read_boolean,
    read_integer,
)

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("text", "value"), [("False", False), ("0", False), ("off", False), ("TRUE", True), ("1", True)]
)
def test_a_boolean_is_what_it_says(text: str, value: bool) -> None:
    assert read_boolean("DEBUG", not value, {"DEBUG": text}) is value


@pytest.mark.parametrize("text", ["maybe", "2", "Falsch", "none"])
def test_a_boolean_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="true or false"):
        read_boolean("DEBUG", False, {"DEBUG": text})


@pytest.mark.parametrize("text", ["80x", "-1", "70000", "٣", "1_0", "1e3"])
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        read_integer("PORT", 8000, 1, 65535, {"PORT": text})


def test_a_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    key = load_secret_key(tmp_path, {})
    assert load_secret_key(tmp_path, {}) == key
    assert len(key) >= 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_two_processes_that_start_together_have_one_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other starts while this one generates the key: neither may read a file that is still empty."""
    generate, others = secrets.token_urlsafe, []

    def meanwhile(size: int) -> str:
        monkeypatch.setattr(secrets, "token_urlsafe", generate)
        others.append(load_secret_key(tmp_path, {}))
        return generate(size)

    monkeypatch.setattr(secrets, "token_urlsafe", meanwhile)
    assert load_secret_key(tmp_path, {}) == others[0] != ""


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    load_secret_key(tmp_path, {})
    (tmp_path / "secret_key").chmod(0o644)
    with pytest.raises(SettingError, match="0600"):
        load_secret_key(tmp_path, {})


def test_a_short_key_is_refused_and_not_printed(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as refused:
        load_secret_key(tmp_path, {"SECRET_KEY": "hunter2"})
    assert "hunter2" not in str(refused.value)


def test_sqlite_syncs_every_commit_and_takes_its_lock_at_the_start(tmp_path: Path) -> None:
    options = configure_database(tmp_path, {})["OPTIONS"]
    assert isinstance(options, dict)
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in options["init_command"]
    assert "journal_mode=WAL" in options["init_command"]


def test_a_database_address_with_a_socket_folder(tmp_path: Path) -> None:
    found = configure_database(tmp_path, {"DATABASE_URL": "postgresql://me:a%2Fb@/study?host=/run/pg"})
    assert (found["HOST"], found["NAME"], found["PASSWORD"]) == ("/run/pg", "study", "a/b")


def test_a_database_on_two_hosts_and_how_long_to_wait_for_them(tmp_path: Path) -> None:
    url = "postgres://me@one,two/study?target_session_attrs=read-write&connect_timeout=2"
    found = configure_database(tmp_path, {"DATABASE_URL": url})
    options = found["OPTIONS"]
    assert isinstance(options, dict)
    assert (found["HOST"], found["PORT"]) == ("one,two", "")
    assert (options["target_session_attrs"], options["connect_timeout"]) == ("read-write", "2")
    assert options["tcp_user_timeout"] == 10_000


def test_a_database_address_of_an_earlier_version_still_works(tmp_path: Path) -> None:
    found = configure_database(tmp_path, {"DATABASE_URL": "postgres://host/study?prepare_threshold=0"})
    assert found == configure_database(tmp_path, {"DATABASE_URL": "postgres://host/study"})


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "postgres://host",
        "sqlite://",
        "nonsense",
        "postgres://host:many/name",
        "postgres://host:65536/name",
        "postgres://[::1/name",
    ],
)
def test_an_unknown_database_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingError):
        configure_database(tmp_path, {"DATABASE_URL": url})


def test_a_refused_address_does_not_tell_its_password(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as refused:
        configure_database(tmp_path, {"DATABASE_URL": "postgre://me:s3@cret@host/study"})
    assert "cret" not in str(refused.value)
    assert "postgre://me:…@host/study" in str(refused.value)
    with pytest.raises(SettingError, match="percent-encoded") as refused:
        configure_database(tmp_path, {"DATABASE_URL": "postgres://me:s3/cret@host/study"})
    assert "s3" not in str(refused.value)


def test_a_home_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        with pytest.raises(
            SettingError, match=r"APPRAISE_HOME=.*Not a directory|APPRAISE_HOME=.*File exists"
        ):
            ensure_folder(folder)
    with pytest.raises(SettingError, match="APPRAISE_HOME"):
        load_secret_key(tmp_path / "gone", {})


def test_a_new_home_can_be_entered_by_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert ensure_private_folder(home).stat().st_mode & 0o777 == 0o700
    (home / "appraise.sqlite3").touch()
    assert (home / "appraise.sqlite3").stat().st_mode & 0o777 == 0o600


def test_an_open_home_is_closed_while_it_is_empty_and_refused_once_it_holds_data(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    assert ensure_private_folder(tmp_path).stat().st_mode & 0o777 == 0o700
    (tmp_path / "appraise.sqlite3").touch()
    tmp_path.chmod(0o755)
    with pytest.raises(SettingError, match="chmod 700"):
        ensure_private_folder(tmp_path)


def test_the_log_level_holds_for_django_too(tmp_path: Path) -> None:
    log = "import django; django.setup(); import logging; logging.getLogger('django.request').error('loud')"
    environment = {
        **os.environ,
        "APPRAISE_HOME": str(tmp_path),
        "DJANGO_SETTINGS_MODULE": "appraise.settings",
    }
    for level, is_silent in (("critical", True), ("error", False)):
        run = subprocess.run(
            [sys.executable, "-c", log], cwd=ROOT, env={**environment, "LOG_LEVEL": level},
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert (run.stderr == "") == is_silent


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("DEBUG", "perhaps", "true or false"),
        ("LOG_LEVEL", "loud", "debug or info or warning or error or critical"),
    ],
)
def test_nonsense_ends_the_program_with_one_line(tmp_path: Path, name: str, text: str, expected: str) -> None:
    run = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, "APPRAISE_HOME": str(tmp_path), name: text},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert run.stderr.strip().count("\n") == 0
    assert run.stderr.startswith(f"appraise: {name}={text!r}")
    assert run.stderr.strip().endswith(f"expected {expected}")


@pytest.mark.parametrize(
    "read",
    ["import tests.settings", "from scripts.docs_reference import pages; pages()"],
    ids=["tests", "docs"],
)
def test_a_home_for_the_moment_is_gone_afterwards(read: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", read], cwd=ROOT, env=environment, check=True)
    assert list(tmp_path.iterdir()) == []
