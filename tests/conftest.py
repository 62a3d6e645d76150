"""What every test may use: people, a small task, real data, and a site to click on."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import absl.logging
import psycopg
import pytest
from hypothesis import HealthCheck, settings
from psycopg import sql

import appraise.middleware  # noqa: F401 — as on a site, before anybody signs in
from tests.postgres import running_postgres

ROOT = Path(__file__).resolve().parent.parent

# rouge-score loads absl, whose handler closes its stream when logging is configured again, as by a second
# ``django.setup()``. That stream would be the one in which pytest captures output, until the process ends.
absl.logging.get_absl_handler().python_handler.stream = sys.__stderr__

# Deadlines measure the machine, not the code.
settings.register_profile("appraise", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("appraise")


@pytest.fixture(scope="session")
def real_data() -> Path:
    """Published human judgements, where they are at hand; never part of the project."""
    folder = Path(os.environ.get("APPRAISE_DATA") or ROOT.parent / "shared" / "data" / "dev")
    if not folder.is_dir():
        pytest.skip(f"no measuring data (APPRAISE_DATA={folder})")
    return folder


# --- both databases ----------------------------------------------------------------------------------------

# Where tests may use a database: `make pytest-postgres` looks nowhere else.
WITH_DATABASE = ("database", "journeys", "operations", "security")
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "site_database"}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever touches the database of the run is marked so, and runs on SQLite and on PostgreSQL."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if item.get_closest_marker("django_db") or DATABASE_FIXTURES.intersection(fixtures):
            if item.path.relative_to(ROOT / "tests").parts[0] not in WITH_DATABASE:
                raise pytest.UsageError(f"{item.nodeid} uses a database: its place is in {WITH_DATABASE}")
            item.add_marker("database")


# A browser, a server or a process of its own: these take longest, and share what is costly to set up.
LONG = {"journeys", "operations"}


@pytest.hookimpl(trylast=True, specname="pytest_collection_modifyitems")
def pytest_long_ones_first(items: list[pytest.Item]) -> None:
    """Every worker begins with its share of them, so that none is left to the end, when others have no work.

    A worker is dealt a slice of the list, and who is done early takes from the end of another slice. A file
    stays in one piece, with its set-up. After pytest-django, which puts what empties the tables last: no
    migration of ours fills a table.
    """
    shares: list[list[pytest.Item]] = [
        [] for _ in range(int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))
    ]
    by_file: dict[Path, list[pytest.Item]] = {}
    short: list[pytest.Item] = []
    for item in items:
        if takes_long(item):
            by_file.setdefault(item.path, []).append(item)
        else:
            short.append(item)
    for file in sorted(by_file.values(), key=len, reverse=True):
        min(shares, key=len).extend(file)
    rest = len(items)
    for n, share in enumerate(shares):
        wanted = max(rest // (len(shares) - n) - len(share), 0)
        share += short[:wanted]
        del short[:wanted]
        rest -= len(share)
    items[:] = [item for share in shares for item in share]


def pytest_collection_finish() -> None:
    """What was collected stays to the end: the clean-up of memory need not look through it each time."""
    gc.collect()
    gc.freeze()


def takes_long(item: pytest.Item) -> bool:
    return not LONG.isdisjoint(item.path.parts) or item.get_closest_marker("slow") is not None


MakeDatabase = Callable[[str], str]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The server of this run, or one for the tests that need PostgreSQL whatever the run is on."""
    if url := os.environ.get("DATABASE_URL"):
        yield url
        return
    with running_postgres() as url:
        yield url


@pytest.fixture(scope="session")
def new_postgres(postgres_server: str) -> MakeDatabase:
    """Makes databases, empty or like another; the address of each."""

    def make(like: str = "") -> str:
        name = f"site_{uuid4().hex[:12]}"
        template = psycopg.conninfo.conninfo_to_dict(like)["dbname"] if like else "template1"
        with psycopg.connect(postgres_server, autocommit=True) as connection:
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(
                    sql.Identifier(name), sql.Identifier(str(template))
                )
            )
        return postgres_server.replace("/postgres?", f"/{name}?")

    return make


@pytest.fixture
def site_database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database for a site in a process of its own; of SQLite it is in the home."""
    if not os.environ.get("DATABASE_URL"):
        return ""
    make: MakeDatabase = request.getfixturevalue("new_postgres")
    return make("")
