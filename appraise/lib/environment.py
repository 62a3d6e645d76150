"""Strict parsing of environment variables: an invalid value stops the process with one clear line.

``DEBUG=False`` is false, ``DEBUG=maybe`` is an error; nothing is guessed.
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
    """An invalid setting; ends the process with one line on standard error.

    Logs keep that line, so the password of an address is replaced in it.
    """

    def __init__(self, name: str, value: str, expected: str) -> None:
        masked = re.sub(r"(://[^/@:]*:).*@", r"\1…@", value)
        super().__init__(f"appraise: {name}={masked!r} is invalid; expected {expected}")


def read_boolean(name: str, default: bool, environment: Mapping[str, str] = os.environ) -> bool:
    """
    >>> read_boolean("DEBUG", True, {"DEBUG": "False"})
    False
    """
    text = environment.get(name, "").strip()
    if text.lower() not in {"", *TRUE, *FALSE}:
        raise SettingError(name, text, "true or false")
    return text.lower() in TRUE if text else default


def read_integer(
    name: str, default: int, low: int, high: int, environment: Mapping[str, str] = os.environ
) -> int:
    """
    >>> read_integer("PORT", 8000, 1, 65535, {})
    8000
    """
    text = environment.get(name, "").strip()
    if not text:
        return default
    if text.isascii() and text.isdigit() and low <= int(text) <= high:
        return int(text)
    raise SettingError(name, text, f"a whole number from {low} to {high}")


def read_list(name: str, default: tuple[str, ...], environment: Mapping[str, str] = os.environ) -> list[str]:
    """A comma-separated list without empty members.

    >>> read_list("ALLOWED_HOSTS", (), {"ALLOWED_HOSTS": "a.example, b.example,"})
    ['a.example', 'b.example']
    """
    text = environment.get(name, "")
    return [part.strip() for part in text.split(",") if part.strip()] or list(default)


def read_choice(
    name: str, default: str, choices: Sequence[str], environment: Mapping[str, str] = os.environ
) -> str:
    """
    >>> read_choice("LOG_FORMAT", "plain", ("plain", "json"), {"LOG_FORMAT": "JSON"})
    'json'
    """
    text = environment.get(name, "").strip() or default
    if text.lower() not in choices:
        raise SettingError(name, text, " or ".join(choices))
    return text.lower()


def read_networks(
    name: str, default: tuple[str, ...], environment: Mapping[str, str] = os.environ
) -> list[IPv4Network | IPv6Network]:
    """Addresses and networks, comma-separated.

    >>> [str(network) for network in read_networks("ALLOW", (), {"ALLOW": "10.0.0.0/8, ::1"})]
    ['10.0.0.0/8', '::1/128']
    """
    try:
        return [ip_network(text) for text in read_list(name, default, environment)]
    except ValueError as error:
        raise SettingError(
            name, environment.get(name, ""), "addresses like 10.0.0.7 or 10.0.0.0/8"
        ) from error


def read_token(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """A shared secret: empty, or long enough that it cannot be guessed."""
    text = environment.get(name, "").strip()
    if text and len(text) < 20:
        raise SettingError(name, "…", "at least 20 characters, or none")
    return text


def find_home(user_home: Path | None, checkout: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the data folder: ``APPRAISE_HOME``, below the user's home if installed, else in the checkout.

    >>> str(find_home(Path("/home/me"), Path("var"), {}))
    '/home/me/.local/share/appraise'
    """
    if folder := environment.get("APPRAISE_HOME"):
        return Path(folder).resolve()
    if user_home is None:
        return checkout.resolve()
    shared = environment.get("XDG_DATA_HOME")
    return (Path(shared) if shared else user_home / ".local" / "share") / "appraise"


def ensure_folder(folder: Path) -> Path:
    """Create the folder where it does not exist, and return it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        expected = f"a folder that exists or can be created ({error.strerror})"
        raise SettingError("APPRAISE_HOME", str(folder), expected) from error
    return folder


def ensure_private_folder(folder: Path) -> Path:
    """Create the data folder with mode 0700, and refuse one that others can enter and that holds data.

    It holds password hashes, and whatever the process creates from now on is readable by its owner only.
    """
    os.umask(0o077)
    ensure_folder(folder)
    if folder.stat().st_mode & 0o077:
        if (folder / "secret_key").exists() or (folder / "appraise.sqlite3").exists():
            raise SettingError("APPRAISE_HOME", str(folder), "a folder with mode 0700 (chmod 700)")
        folder.chmod(0o700)
    return folder


def load_secret_key(folder: Path, environment: Mapping[str, str] = os.environ) -> str:
    """Return ``SECRET_KEY``, or one that is generated once, in a file with mode 0600."""
    key = environment.get("SECRET_KEY", "")
    if key:
        if len(key) < 32:
            raise SettingError("SECRET_KEY", "…", "at least 32 characters, or none to generate one")
        return key
    path = folder / "secret_key"
    try:
        if not path.exists():
            _generate_key(path)
    except OSError as error:
        expected = f"a writable folder ({error.strerror})"
        raise SettingError("APPRAISE_HOME", str(folder), expected) from error
    if path.stat().st_mode & 0o077:
        raise SettingError("SECRET_KEY file", str(path), "a file with mode 0600 (chmod 600)")
    return path.read_text("ascii").strip()


def _generate_key(path: Path) -> None:
    """Write a new key atomically: of two processes that start together, both read the same one.

    The file gets its name when it is complete, so that nobody reads an empty key.
    """
    with NamedTemporaryFile("w", encoding="ascii", dir=path.parent, prefix="secret_key-") as file:
        file.write(secrets.token_urlsafe(50) + "\n")
        file.flush()
        os.fsync(file.fileno())  # complete also after a power cut
        with suppress(FileExistsError):
            os.link(file.name, path)


def configure_database(
    folder: Path, environment: Mapping[str, str] = os.environ, *, pool_size: int = 8
) -> dict[str, object]:
    """Return Django's settings for ``DATABASE_URL``; without one, for an SQLite file in ``folder``.

    >>> configure_database(Path("var"), {"DATABASE_URL": "postgres://me:pw@localhost:5433/x"})["NAME"]
    'x'
    """
    url = environment.get("DATABASE_URL", "").strip()
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 — the property validates the port
    except ValueError as error:  # its own message may contain a part of the password
        expected = "postgres://user:password@host:port/name, the password percent-encoded"
        raise SettingError("DATABASE_URL", url, expected) from error
    if not url or parts.scheme == "sqlite":
        name = unquote(parts.path) if url else str(folder / "appraise.sqlite3")
        if not name:
            raise SettingError("DATABASE_URL", url, "sqlite:///path/to/file")
        return configure_sqlite(name)
    if parts.scheme in {"postgres", "postgresql"}:
        return configure_postgresql(url, pool_size)
    raise SettingError("DATABASE_URL", url, "sqlite:///file or postgres://user:password@host:port/name")


def configure_sqlite(name: str) -> dict[str, object]:
    """SQLite with durable commits, and without deadlocks between two writers.

    IMMEDIATE takes the write lock at the start of a transaction, where waiting is possible; a deferred
    transaction asks for it later and fails at once. FULL syncs every commit, NORMAL only checkpoints.

    Threads keep their connections: opening one costs as much as a page, and closing the last one checkpoints
    the write-ahead log, which syncs three more times.
    """
    return {
        "ENGINE": "appraise.operations.sqlite",
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


def configure_postgresql(url: str, pool_size: int) -> dict[str, object]:
    """PostgreSQL with a bounded pool: threads wait for a connection instead of failing.

    A host that falls silent must not hold threads for a quarter of an hour, as the defaults of TCP allow.
    The address may override these times.
    """
    parts = urlsplit(url)
    name = unquote(parts.path.lstrip("/"))
    if not name:
        raise SettingError("DATABASE_URL", url, "a database name at the end")
    query = dict(parse_qsl(parts.query))
    query.pop("prepare_threshold", None)  # earlier versions needed it; plans are no longer prepared
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        # The host part of a URL cannot hold a socket folder, so that is written as ?host=…
        "HOST": query.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {
            "pool": {"min_size": 1, "max_size": pool_size, "timeout": 20},
            "connect_timeout": 5,  # seconds, for each host
            "tcp_user_timeout": 10_000,  # ms until what was sent must have arrived
            "keepalives_idle": 10,
            "keepalives_interval": 3,
            **query,
        },
    }
