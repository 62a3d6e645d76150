"""Moving a site to PostgreSQL keeps every row, or nothing happens at all."""

from __future__ import annotations

import socket
from pathlib import Path

import psycopg

from appraise.operations.copying import encode_row
from evaluation.models import Job
from tests.operations.conftest import Moved, run_python


def count(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        row = connection.execute(f'SELECT count(*) FROM "{table}"'.encode()).fetchone()
    return int(row[0]) if row else -1


def test_a_site_moves_to_postgresql_with_every_row_and_only_to_an_empty_one(
    filled_home: Path, moved: Moved
) -> None:
    url, document = moved.url, moved.document
    tables = document["tables"]
    assert tables["evaluation_ranking"]["rows"] == count(url, "evaluation_ranking") > 20
    assert tables["evaluation_job"]["rows"] == 1
    assert document["rows"] == sum(table["rows"] for table in tables.values())
    # The next number is free: the sequence followed the rows.
    with psycopg.connect(url) as connection:
        query = (
            b"SELECT nextval(pg_get_serial_sequence('evaluation_user', 'id')), max(id) FROM evaluation_user"
        )
        following, last = connection.execute(query).fetchone() or (0, 0)
    assert following == last + 1

    again = run_python("manage.py", "copy_to_postgres", url, home=filled_home)
    assert again.returncode == 2
    assert "target_not_empty" in again.stderr


def test_other_targets_are_refused(tmp_path: Path) -> None:
    run = run_python("manage.py", "copy_to_postgres", "sqlite:///x", home=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert "postgres://" in run.stderr


def test_a_target_that_nobody_serves_or_that_is_none_is_refused_at_once(tmp_path: Path) -> None:
    for url, code in (("postgres://nobody@127.0.0.1:1/x", "unreachable:"), ("mysql://x", "bad_target:")):
        run = run_python("manage.py", "copy_to_postgres", url, home=tmp_path)
        assert (run.returncode, run.stdout) == (2, "")
        assert run.stderr.startswith(code)
        assert len(run.stderr.splitlines()) == 1


def test_a_target_that_never_answers_is_not_waited_for(tmp_path: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        url = f"postgres://nobody@127.0.0.1:{silent.getsockname()[1]}/x"
        run = run_python("manage.py", "copy_to_postgres", url, home=tmp_path)
    assert (run.returncode, run.stdout) == (2, "")
    assert "timeout expired" in run.stderr


def test_json_is_compared_by_value() -> None:
    job = Job(arguments={"a": [1e16, 1.5], "b": None})
    same = Job(pk=job.pk, arguments={"b": None, "a": [10**16, 1.5]})
    other = Job(pk=job.pk, arguments={"a": [1e16, 1.25], "b": None})
    rows = [tuple(getattr(j, f.attname) for f in Job._meta.concrete_fields) for j in (job, same, other)]
    first, second, third = (encode_row(Job, row) for row in rows)
    assert first == second != third
