"""The parts of ``make faults``: the witness, the comparison, the report. The faults take minutes."""

from __future__ import annotations

import ast
import json
import socket
import sqlite3
import threading
from pathlib import Path
from uuid import UUID

import pytest
from hypothesis import given, strategies as st

from faults import bugs, connections, invariants
from faults.base import BOTH, Ground, Outcome
from faults.catalogue import FAULTS
from faults.databases import Store
from faults.journal import Acknowledged, Journal
from faults.people import Stopped, wait_for
from faults.report import About, as_data, as_page, from_data, good, promises
from faults.runs import Fuzzed, Result, Run, plan, runs_alone

ROOT = Path(__file__).resolve().parents[2]
ABOUT = About("2026-11-16 06:00 UTC", "abc1234", "2 cores", 600, full=False)
F1_FIGURES = {"kills": 205, "acknowledged": 20_200, "lost": 0, "doubled": 0}


def test_faults_are_numbered_and_each_has_a_bug() -> None:
    assert list(FAULTS) == [f"F{n}" for n in range(1, 21)]
    for fault in FAULTS.values():
        # What a browser or a parser does wrong, it does on any database: there one bug is enough.
        needed = {"sqlite"} if fault.key in {"F9", "F12"} else set(fault.databases)
        assert set(fault.bugs) == needed, fault.key
        assert set(fault.bugs.values()) <= {*bugs.BUGS, *bugs.DATABASE_BUGS}


def test_every_fault_but_those_of_one_kind_of_database_runs_on_both() -> None:
    alone = {key for key, fault in FAULTS.items() if fault.databases != BOTH}
    assert alone == {"F5", "F13", "F19"}


def test_the_product_knows_nothing_of_its_faults() -> None:
    for place in ("appraise", "evaluation", "metrics"):
        for path in (ROOT / place).rglob("*.py"):
            if "faults" not in (text := path.read_text("utf-8")):
                continue
            for node in ast.walk(ast.parse(text)):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                assert not [name for name in names if name.split(".")[0] == "faults"], path


def test_a_bug_that_does_not_fit_any_more_is_refused() -> None:
    with pytest.raises(AttributeError, match="does not fit"):
        bugs.replace(bugs, "no_such_function", None)
    with pytest.raises(KeyError, match="no bug is called"):
        bugs.plant("no such bug")


def test_database_bugs_change_a_copy_of_the_settings_only() -> None:
    settings = {"default": {"OPTIONS": {"transaction_mode": "IMMEDIATE", "init_command": "synchronous=FULL"}}}
    assert (
        bugs.databases("deferred_transactions", settings)["default"]["OPTIONS"]["transaction_mode"]
        == "DEFERRED"
    )
    assert "NORMAL" in bugs.databases("relaxed_sync", settings)["default"]["OPTIONS"]["init_command"]
    assert settings["default"]["OPTIONS"] == {
        "transaction_mode": "IMMEDIATE",
        "init_command": "synchronous=FULL",
    }


# --- a crowd of connections --------------------------------------------------------------------------------


def test_only_what_bounds_a_wait_runs_alone() -> None:
    runs = plan(FAULTS.values(), seeded=True)
    assert {run for run in runs if runs_alone(run)} == {Run("F15", kind) for kind in BOTH}


def test_bystanders_whom_the_server_disconnects_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server closes an idle connection after some seconds: without this there would soon be none."""
    monkeypatch.setattr(connections, "IDLE", 3)
    monkeypatch.setattr(connections, "SLOW", 2)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(20)
        bystanders = connections.Bystanders(listener.getsockname()[1], over)
        bystanders.start()
        clients = [listener.accept()[0] for _ in range(5)]
        clients.pop(0).close()
        clients.append(listener.accept()[0])
        assert wait_for(lambda: (bystanders.present, bystanders.returned) == (5, 1))
        over.set()
        bystanders.join(20)
    assert (bystanders.crashed, bystanders.present) == ("", 0)
    for client in clients:
        client.close()


def test_at_the_end_of_a_run_nobody_sends_one_more_request(tmp_path: Path) -> None:
    """Three hundred at once would measure the harness."""
    over = threading.Event()
    over.set()
    person = connections.PacedPerson(0, "session", 1, Journal(tmp_path / "acknowledged"), over, task="long")
    with pytest.raises(Stopped):
        person.request("GET", "/")


# --- the witness -----------------------------------------------------------------------------------------


def test_the_journal_keeps_every_line_of_many_threads(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "acknowledged")

    def write(person: int) -> None:
        for n in range(50):
            journal.write(Acknowledged(f"{person}-{n}", person, "A>B", 1))

    threads = [threading.Thread(target=write, args=(person,)) for person in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = list(journal.entries())
    assert journal.count == len(found) == len({entry.uuid for entry in found}) == 400


def test_an_answer_that_is_refused_for_good_is_a_loss_and_so_is_silence(tmp_path: Path) -> None:
    journal, silent, refused, fine = Journal(tmp_path / "acknowledged"), Outcome(), Outcome(), Outcome()
    invariants.expect_accepted(journal, silent)
    assert silent.violations == ["nothing was acknowledged"]
    journal.write(Acknowledged("u", 1, "A>B", 1))
    invariants.expect_accepted(journal, fine)
    assert fine.violations == []
    journal.refuse(409)
    invariants.expect_accepted(journal, refused)
    assert refused.violations == ["answers were refused for good, by status: {409: 1}"]


answers = st.builds(
    Acknowledged,
    st.uuids().map(str),
    st.integers(0, 63),
    st.sampled_from(sorted(invariants.MIRROR)),
    st.integers(1, 9),
)


@given(st.lists(answers, unique_by=lambda entry: entry.uuid), st.data())
def test_exactly_the_missing_and_the_changed_answers_are_named(
    given: list[Acknowledged], data: st.DataObject
) -> None:
    fates = data.draw(st.lists(st.sampled_from(["kept", "turned", "lost", "changed"]), min_size=len(given)))
    stored = []
    for entry, fate in zip(given, fates, strict=False):
        if fate == "kept":
            stored.append((UUID(entry.uuid), entry.choice, False, entry.version))
        elif fate == "turned":  # shown the other way round: stored mirrored
            stored.append((UUID(entry.uuid), invariants.MIRROR[entry.choice], True, entry.version))
        elif fate == "changed":
            stored.append((UUID(entry.uuid), entry.choice, False, entry.version + 1))
    lost, changed = invariants.compare(given, stored)
    assert lost == [e.uuid for e, fate in zip(given, fates, strict=False) if fate == "lost"]
    assert changed == [e.uuid for e, fate in zip(given, fates, strict=False) if fate == "changed"]


def test_a_reference_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    path = tmp_path / "db"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE parent (id INTEGER PRIMARY KEY)")
        database.execute("CREATE TABLE child (parent INTEGER REFERENCES parent (id))")
        database.execute("INSERT INTO child VALUES (7)")
    database.close()
    assert invariants.broken(Store("sqlite", str(path))) == ["1 references lead nowhere"]


# --- the report ------------------------------------------------------------------------------------------


def test_seeded_bugs_come_after_the_honest_runs_and_can_be_left_out() -> None:
    runs = plan(FAULTS.values(), seeded=True)
    honest = [run for run in runs if not run.bug]
    assert runs[: len(honest)] == honest == plan(FAULTS.values(), seeded=False)
    assert {run.fault for run in runs if run.bug} == set(FAULTS)


def test_a_bug_that_nobody_noticed_fails_the_run() -> None:
    caught = Result(Run("F1", "sqlite", "acknowledge_before_commit"), violations=["3 answers are lost"])
    unnoticed = Result(Run("F1", "sqlite", "acknowledge_before_commit"))
    hung = Result(Run("F1", "sqlite", "acknowledge_before_commit"), error="it took more than 600 s")
    assert caught.good
    assert not unnoticed.good
    assert not hung.good
    assert good([caught], [])
    assert not good([caught, unnoticed], [])
    assert not good([caught], [Fuzzed("tsv", "atheris", 10, 60.0, False, "a finding")])
    assert "**bug caught: no**" in as_page(ABOUT, [unnoticed], [])


@pytest.mark.parametrize(
    ("changes", "kept"), [({}, True), ({"kills": 199}, False), ({"acknowledged": 19_999}, False)]
)
def test_the_promise_needs_its_figures(changes: dict[str, int], kept: bool) -> None:
    result = Result(Run("F1", "postgresql"), counts=F1_FIGURES | changes)
    (text, found), _ = promises([result], [])
    assert found is kept
    assert text.startswith("PostgreSQL: ")


def test_the_page_and_the_data_tell_the_same() -> None:
    results = [
        Result(Run("F1", "sqlite"), counts=dict(F1_FIGURES), seconds=200),
        Result(Run("F7", "sqlite"), error="Traceback\nRuntimeError: no server", seconds=3),
    ]
    fuzzed = [
        Fuzzed("tsv", "atheris", 40_000, 60.0, True),
        Fuzzed("tsv with broken_reader", "", 0, 5.0, True),
    ]
    page, data = as_page(ABOUT, results, fuzzed), as_data(ABOUT, results, fuzzed)
    assert data["good"] is False
    assert from_data(json.loads(json.dumps(data))) == (ABOUT, results, fuzzed)
    assert "kept: SQLite: 205 kill −9 cycles, 20,200 acknowledged rankings, 0 lost, 0 doubled" in page
    assert "RuntimeError: no server" in page
    assert "## Not covered" in page
    assert [one["kept"] for one in data["promises"]] == [True, False, True, True]


def test_a_seeded_bug_needs_less_work_and_a_full_run_more() -> None:
    ground = Ground(Path(), Path(), "sqlite")
    assert ground.size(10, 50, 2) == 10
    assert Ground(Path(), Path(), "sqlite", full=True).size(10, 50, 2) == 50
    assert Ground(Path(), Path(), "sqlite", bug="x", full=True).size(10, 50, 2) == 2


def test_an_outcome_remembers_what_was_broken() -> None:
    outcome = Outcome()
    outcome.expect(True, "not this")
    outcome.expect(False, "this")
    assert outcome.violations == ["this"]
