"""A backup holds every answer that was acknowledged before it began, and says so itself."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from appraise.lib.problems import InputError
from appraise.operations import backups, database_dumps
from appraise.operations.backups import Manifest
from appraise.operations.database_dumps import Fingerprint
from tests.conftest import MakeDatabase
from tests.operations.conftest import Moved, read_output, run_python


def fingerprint(rows: list[bytes]) -> Fingerprint:
    print_ = Fingerprint()
    for row in rows:
        print_.add(row)
    return print_


@given(st.lists(st.binary(max_size=8)), st.randoms())
def test_the_order_of_rows_does_not_matter_and_every_row_does(rows: list[bytes], chance: object) -> None:
    shuffled = list(rows)
    chance.shuffle(shuffled)  # type: ignore[attr-defined] # hypothesis types its generator as an object
    assert fingerprint(rows) == fingerprint(shuffled)
    assert fingerprint([*rows, b"more"]) != fingerprint(rows)
    if rows:
        assert fingerprint(rows[1:]) != fingerprint(rows)
        assert fingerprint([rows[0] + b"!", *rows[1:]]) != fingerprint(rows)


@pytest.fixture
def busy(tmp_path: Path) -> Path:
    """A database whose last commits stand in the write-ahead log only, as on any site at work."""
    path = tmp_path / "busy.sqlite3"
    writer = sqlite3.connect(path)
    writer.executescript("PRAGMA journal_mode=WAL; CREATE TABLE answer (id INTEGER PRIMARY KEY, choice TEXT)")
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.executemany("INSERT INTO answer (choice) VALUES (?)", [("A>B",)] * 100)
    writer.commit()
    shutil.copy(path, tmp_path / "plain.sqlite3")  # while the site is up: a closing one would empty its log
    database_dumps.dump_sqlite(path, tmp_path / "copy.sqlite3")
    writer.close()
    return tmp_path


def test_the_copy_holds_every_committed_row_where_a_plain_copy_of_the_file_loses_them(busy: Path) -> None:
    assert database_dumps.check_sqlite(busy / "copy.sqlite3")["answer"]["rows"] == 100
    assert database_dumps.check_sqlite(busy / "plain.sqlite3")["answer"]["rows"] == 0


def test_a_copy_replaces_a_database_that_others_have_open(busy: Path) -> None:
    with closing(sqlite3.connect(busy / "busy.sqlite3")) as reader:
        reader.execute("DELETE FROM answer")
        reader.commit()
        database_dumps.load_sqlite(busy / "copy.sqlite3", busy / "busy.sqlite3")
        assert reader.execute("SELECT count(*) FROM answer").fetchone() == (100,)


def test_a_database_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite3").write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match="damaged_database"):
        database_dumps.check_sqlite(tmp_path / "x.sqlite3")
    with pytest.raises(InputError, match="no_database"):
        database_dumps.check_sqlite(tmp_path / "y.sqlite3")


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "data.bin").write_bytes(bytes(range(64)))
    backups.write_manifest(tmp_path, Manifest("2026-11-16", "0.1", "sqlite", [], {"t": {"rows": 3}}, "k"))
    return tmp_path


def test_a_sealed_folder_reads_back(sealed: Path) -> None:
    found = backups.read_manifest(sealed)
    assert found.rows == 3
    assert list(found.files) == ["a/data.bin"]


def test_one_changed_byte_anywhere_is_noticed(sealed: Path) -> None:
    for path in [p for p in sealed.rglob("*") if p.is_file()]:
        whole = path.read_bytes()
        for place in {0, len(whole) // 2, len(whole) - 12}:
            path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
            with pytest.raises(InputError):
                backups.read_manifest(sealed)
        path.write_bytes(whole)
    backups.read_manifest(sealed)


def test_a_lost_and_a_strange_file_are_named(sealed: Path) -> None:
    (sealed / "a" / "data.bin").rename(sealed / "a" / "other.bin")
    with pytest.raises(InputError) as refusal:
        backups.read_manifest(sealed)
    assert [p.code for p in refusal.value.problems] == ["damaged_backup"] * 2
    assert "data.bin is missing" in str(refusal.value)
    assert "other.bin was not written" in str(refusal.value)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_site_comes_back_as_it_was_and_the_erased_stay_erased(
    kind: str, home: Path, tmp_path: Path, new_postgres: MakeDatabase, moved: Moved
) -> None:
    """tests/operations/story.py tells the day; here is how it must end."""
    url = new_postgres(moved.url) if kind == "postgresql" else ""
    run = run_python("-m", "tests.operations.story", str(tmp_path / "b"), home=home, DATABASE_URL=url)
    story = read_output(run)
    assert story.pop("refused").startswith("exit 2: not_empty")
    assert "damaged_backup" in story.pop("damaged")
    assert story == {
        "vendor": kind,
        "hidden": [],
        "changed by a refusal": False,
        "changed by damage": False,
        "complaint": "",
        "equal": True,
        "model": "{}",
        "complaint 2": "",
        "dora": 0,
        "bob": 1,
    }
