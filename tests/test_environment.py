"""Settings are read strictly: nonsense refuses to start, with one clear line."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import pytest

from appraise.environment import SettingError, boolean, database, integer, made, secret_key

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize(
    ("text", "value"), [("False", False), ("0", False), ("off", False), ("TRUE", True), ("1", True)]
)
def test_a_boolean_is_what_it_says(text: str, value: bool) -> None:
    assert boolean("DEBUG", not value, {"DEBUG": text}) is value


@pytest.mark.parametrize("text", ["maybe", "2", "Falsch", "none"])
def test_a_boolean_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(SettingError, match="true or false"):
        boolean("DEBUG", False, {"DEBUG": text})


@pytest.mark.parametrize("text", ["80x", "-1", "70000", "٣", "1_0", "1e3"])
def test_a_number_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(SettingError):
        integer("PORT", 8000, 1, 65535, {"PORT": text})


def test_a_key_is_made_once_and_kept_private(tmp_path: Path) -> None:
    key = secret_key(tmp_path, {})
    assert secret_key(tmp_path, {}) == key
    assert len(key) >= 50
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret_key"]


def test_two_processes_that_start_together_have_one_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other starts while this one generates the key: neither may read a file that is still empty."""
    made, others = secrets.token_urlsafe, []

    def meanwhile(size: int) -> str:
        monkeypatch.setattr(secrets, "token_urlsafe", made)
        others.append(secret_key(tmp_path, {}))
        return made(size)

    monkeypatch.setattr(secrets, "token_urlsafe", meanwhile)
    assert secret_key(tmp_path, {}) == others[0] != ""


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    secret_key(tmp_path, {})
    (tmp_path / "secret_key").chmod(0o644)
    with pytest.raises(SettingError, match="0600"):
        secret_key(tmp_path, {})


def test_a_short_key_is_refused_and_not_printed(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as refused:
        secret_key(tmp_path, {"SECRET_KEY": "hunter2"})
    assert "hunter2" not in str(refused.value)


def test_sqlite_syncs_every_commit_and_takes_its_lock_at_the_start(tmp_path: Path) -> None:
    options = database(tmp_path, {})["OPTIONS"]
    assert isinstance(options, dict)
    assert options["transaction_mode"] == "IMMEDIATE"
    assert "synchronous=FULL" in options["init_command"]
    assert "journal_mode=WAL" in options["init_command"]


def test_a_database_address_with_a_socket_folder(tmp_path: Path) -> None:
    found = database(tmp_path, {"DATABASE_URL": "postgresql://me:a%2Fb@/study?host=/run/pg"})
    assert (found["HOST"], found["NAME"], found["PASSWORD"]) == ("/run/pg", "study", "a/b")


@pytest.mark.parametrize(("query", "threshold"), [("", 1), ("?prepare_threshold=0", None)])
def test_plans_are_kept_unless_a_pooler_stands_between(
    tmp_path: Path, query: str, threshold: int | None
) -> None:
    options = database(tmp_path, {"DATABASE_URL": f"postgres://host/study{query}"})["OPTIONS"]
    assert isinstance(options, dict)
    assert options["prepare_threshold"] == threshold


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "postgres://host",
        "sqlite://",
        "nonsense",
        "postgres://host/name?prepare_threshold=x",
        "postgres://host:many/name",
        "postgres://host:65536/name",
        "postgres://[::1/name",
    ],
)
def test_an_unknown_database_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(SettingError):
        database(tmp_path, {"DATABASE_URL": url})


def test_a_refused_address_does_not_tell_its_password(tmp_path: Path) -> None:
    with pytest.raises(SettingError) as refused:
        database(tmp_path, {"DATABASE_URL": "postgre://me:s3@cret@host/study"})
    assert "cret" not in str(refused.value)
    assert "postgre://me:…@host/study" in str(refused.value)
    with pytest.raises(SettingError, match="percent-encoded") as refused:
        database(tmp_path, {"DATABASE_URL": "postgres://me:s3/cret@host/study"})
    assert "s3" not in str(refused.value)


def test_a_home_that_cannot_be_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    for folder in (file, file / "below"):
        with pytest.raises(SettingError, match=r"APPRAISE_HOME=.* a folder that exists or can be made \("):
            made(folder)
    with pytest.raises(SettingError, match="a folder that can be written"):
        secret_key(tmp_path / "gone", {})


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
    assert run.stderr.strip() == f"appraise: {name}={text!r} makes no sense; expected {expected}"


@pytest.mark.parametrize(
    "read",
    ["import tests.settings", "from scripts.docs_reference import pages; pages()"],
    ids=["tests", "docs"],
)
def test_a_home_for_the_moment_is_gone_afterwards(read: str, tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", read], cwd=ROOT, env=environment, check=True)
    assert list(tmp_path.iterdir()) == []
