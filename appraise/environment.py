"""Strict reading of environment variables: nonsense refuses to start, with one clear line.

``DEBUG=False`` is false here, ``DEBUG=maybe`` is an error; nothing is guessed.
"""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import parse_qsl, unquote, urlsplit

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off"}


class SettingError(SystemExit):
    """A setting that makes no sense; ends the process with one line on standard error.

    Logs keep that line, so the password of an address is not in it.
    """

    def __init__(self, name: str, value: str, expected: str) -> None:
        shown = re.sub(r"(://[^/@:]*:).*@", r"\1…@", value)
        super().__init__(f"appraise: {name}={shown!r} makes no sense; expected {expected}")


def boolean(name: str, default: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """
    >>> boolean("DEBUG", True, {"DEBUG": "False"})
    False
    """
    text = environment.get(name, "").strip()
    if not text:
        return default
    if text.lower() in TRUE:
        return True
    if text.lower() in FALSE:
        return False
    raise SettingError(name, text, "true or false")


def integer(name: str, default: int, low: int, high: int, environment: Mapping[str, str] = os.environ) -> int:
    """
    >>> integer("PORT", 8000, 1, 65535, {})
    8000
    """
    text = environment.get(name, "").strip()
    if not text:
        return default
    if text.isascii() and text.isdigit() and low <= int(text) <= high:
        return int(text)
    raise SettingError(name, text, f"a whole number from {low} to {high}")


def words(name: str, default: tuple[str, ...], environment: Mapping[str, str] = os.environ) -> list[str]:
    """A comma-separated list without empty members.

    >>> words("ALLOWED_HOSTS", (), {"ALLOWED_HOSTS": "a.example, b.example,"})
    ['a.example', 'b.example']
    """
    text = environment.get(name, "")
    return [part.strip() for part in text.split(",") if part.strip()] or list(default)


def one_of(
    name: str, default: str, choices: Sequence[str], environment: Mapping[str, str] = os.environ
) -> str:
    """
    >>> one_of("LOG_FORMAT", "plain", ("plain", "json"), {"LOG_FORMAT": "JSON"})
    'json'
    """
    text = environment.get(name, "").strip() or default
    if text.lower() not in choices:
        raise SettingError(name, text, " or ".join(choices))
    return text.lower()


def networks(
    name: str, default: tuple[str, ...], environment: Mapping[str, str] = os.environ
) -> list[IPv4Network | IPv6Network]:
    """Addresses and networks, comma-separated.

    >>> [str(network) for network in networks("ALLOW", (), {"ALLOW": "10.0.0.0/8, ::1"})]
    ['10.0.0.0/8', '::1/128']
    """
    try:
        return [ip_network(text) for text in words(name, default, environment)]
    except ValueError as error:
        raise SettingError(
            name, environment.get(name, ""), "addresses like 10.0.0.7 or 10.0.0.0/8"
        ) from error


def token(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """A secret that somebody else must know too: none at all, or one that cannot be guessed."""
    text = environment.get(name, "").strip()
    if text and len(text) < 20:
        raise SettingError(name, "…", "at least 20 characters, or none")
    return text


def home(person: Path | None, beside: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Where a site keeps its data: as given; below the person's folder if installed; else in the checkout.

    >>> str(home(Path("/home/me"), Path("var"), {}))
    '/home/me/.local/share/appraise'
    """
    if given := environment.get("APPRAISE_HOME"):
        return Path(given).resolve()
    if person is None:
        return beside.resolve()
    shared = environment.get("XDG_DATA_HOME")
    return (Path(shared) if shared else person / ".local" / "share") / "appraise"


def made(folder: Path) -> Path:
    """The folder, which is made where it does not exist."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            "APPRAISE_HOME", str(folder), f"a folder that exists or can be made ({error.strerror})"
        ) from error
    return folder


def secret_key(folder: Path, environment: Mapping[str, str] = os.environ) -> str:
    """The given ``SECRET_KEY``, or one that is generated once and kept readable by its owner only."""
    given = environment.get("SECRET_KEY", "")
    if given:
        if len(given) < 32:
            raise SettingError("SECRET_KEY", "…", "at least 32 characters, or none to generate one")
        return given
    path = folder / "secret_key"
    try:
        if not path.exists():
            _generate(path)
    except OSError as error:
        raise SettingError(
            "APPRAISE_HOME", str(folder), f"a folder that can be written ({error.strerror})"
        ) from error
    if path.stat().st_mode & 0o077:
        raise SettingError("SECRET_KEY file", str(path), "a file with mode 0600 (chmod 600)")
    return path.read_text("ascii").strip()


def _generate(path: Path) -> None:
    """Of two processes that start together, one generates the key and both read it.

    The file appears under its name when it is complete: whoever finds it never reads an empty key.
    """
    with NamedTemporaryFile("w", encoding="ascii", dir=path.parent, prefix="secret_key-") as file:
        file.write(secrets.token_urlsafe(50) + "\n")
        file.flush()
        os.fsync(file.fileno())  # nor after a power cut
        with suppress(FileExistsError):
            os.link(file.name, path)


def database(
    folder: Path, environment: Mapping[str, str] = os.environ, *, pool_size: int = 8
) -> dict[str, object]:
    """Django's settings for ``DATABASE_URL``; an SQLite file in ``folder`` where none is given.

    >>> database(Path("var"), {"DATABASE_URL": "postgres://me:pw@localhost:5433/x"})["NAME"]
    'x'
    """
    url = environment.get("DATABASE_URL", "").strip()
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 — read now, it complains now
    except ValueError as error:  # whose message may hold a part of the password
        expected = "postgres://user:password@host:port/name, the password percent-encoded"
        raise SettingError("DATABASE_URL", url, expected) from error
    if not url or parts.scheme == "sqlite":
        name = unquote(parts.path) if url else str(folder / "appraise.sqlite3")
        if not name:
            raise SettingError("DATABASE_URL", url, "sqlite:///path/to/file")
        return sqlite(name)
    if parts.scheme in {"postgres", "postgresql"}:
        return postgresql(url, pool_size)
    raise SettingError("DATABASE_URL", url, "sqlite:///file or postgres://user:password@host:port/name")


def sqlite(name: str) -> dict[str, object]:
    """SQLite that acknowledges nothing before it is on the disk and never deadlocks two writers.

    IMMEDIATE takes the write lock at the start of a transaction, where waiting is possible; a deferred
    one asks for it half-way and fails at once. FULL syncs every commit, NORMAL only checkpoints.

    A thread keeps its connection: opening one costs as much as a page, and whoever closes the last one
    empties the log, which syncs three times more.
    """
    return {
        "ENGINE": "appraise.sqlite",
        "NAME": name,
        "CONN_MAX_AGE": 600,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
                "PRAGMA cache_size=-64000; PRAGMA temp_store=MEMORY; PRAGMA secure_delete=ON"
            ),
        },
    }


def postgresql(url: str, pool_size: int) -> dict[str, object]:
    """PostgreSQL with a bounded pool: more threads than connections wait, they do not fail."""
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise SettingError("DATABASE_URL", url, "a database name at the end")
    query = dict(parse_qsl(parts.query))
    uses = query.pop("prepare_threshold", "1")
    if not uses.isdecimal():
        raise SettingError("DATABASE_URL", url, "prepare_threshold=0 to keep no plans, or a number of uses")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # A socket folder cannot stand in the host part of an address, so it comes as ?host=…
        "HOST": query.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "pool": {"min_size": 1, "max_size": pool_size, "timeout": 20},
            "prepare_threshold": int(uses) or None,  # plans are kept where evaluation/prepared.py asks for it
            **query,
        },
    }
