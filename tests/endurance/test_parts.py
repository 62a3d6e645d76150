"""The parts of ``python -m endurance`` that take no minutes: catalogue, recipe, network, figures, page."""

from __future__ import annotations

import json
import math
import os
import socket
import threading
from pathlib import Path

import pytest

from endurance import network
from endurance.growth import MEASURED, Point, fit_exponent
from endurance.host_faults import HOST_FAULTS
from endurance.hosts import RECIPE, ROLES, read_settings
from endurance.network import ADDRESSES, BACK, FRONT, Network
from endurance.report import FIGURES, Occasion, as_page, is_good, load_figures, store_part
from endurance.soak import SOAK, Samples
from faults import bugs
from faults.runs import Result, Run
from tests.conftest import ROOT

OCCASION = Occasion("2026-11-19 22:00 UTC", "abc1234", "2 cores", 3.0, 8.0)
EXPLORED = {"database": "SQLite", "size": "short", "overlap": 1}
OBSTACLE = network.find_obstacle()


def result(run: Run, **more: object) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(Result(run)) | more


# --- the catalogue -----------------------------------------------------------------------------------------


def test_every_fault_of_hosts_and_the_soak_have_a_bug() -> None:
    assert list(HOST_FAULTS) == [f"H{n}" for n in range(1, 7)]
    for fault in (*HOST_FAULTS.values(), *SOAK.values()):
        assert set(fault.bugs) == {"postgresql"}
        assert set(fault.bugs.values()) <= {*bugs.BUGS, *bugs.DATABASE_BUGS}


def test_the_bug_without_patience_limits_leaves_no_limit() -> None:
    from appraise.lib.environment import configure_postgresql

    settings = {"default": configure_postgresql("postgres://one/study", 8)}
    changed = bugs.databases("endless_patience", settings)["default"]["OPTIONS"]
    assert "tcp_user_timeout" in str(settings)
    assert list(changed) == ["pool"]


# --- the recipe --------------------------------------------------------------------------------------------


def test_the_recipe_names_the_addresses_of_the_test_and_of_the_page() -> None:
    proxy = (RECIPE / "haproxy.cfg").read_text()
    page = (ROOT / "docs" / "operators.md").read_text("utf-8")
    for host in ("web1", "web2"):
        assert f"server {host} {ADDRESSES[host][FRONT]}:8000" in proxy
        assert ADDRESSES[host][FRONT] in page
    databases = f"{ADDRESSES['db1'][BACK]},{ADDRESSES['db2'][BACK]}"
    assert databases in read_settings()["DATABASE_URL"]
    for statement in ROLES:
        assert f"{statement};" in page
    for file in RECIPE.iterdir():
        assert file.name in page, file.name


# --- the network -------------------------------------------------------------------------------------------


def is_reachable(hosts: Network, host: str, address: str) -> bool:
    """A closed port answers at once where the host is reached."""
    with hosts.inside(host), socket.socket() as probe:
        probe.settimeout(1.0)
        try:
            probe.connect((address, 9))
        except ConnectionRefusedError:
            return True
        except OSError:
            return False
    return True


@pytest.mark.skipif(bool(OBSTACLE), reason=f"several hosts: {OBSTACLE}")
def test_links_are_cut_delayed_and_healed_and_nothing_is_left() -> None:
    database = ADDRESSES["db1"][BACK]
    with Network() as hosts:
        assert is_reachable(hosts, "web1", database)
        assert not is_reachable(hosts, "people", database)
        hosts.cut("web1", BACK)
        assert not is_reachable(hosts, "web1", database)
        assert is_reachable(hosts, "web2", database)
        hosts.heal("web1", BACK)
        hosts.disturb("web1", BACK, milliseconds=5, loss=0.02)
        assert send_through(hosts, 300_000) == 300_000
        hosts.heal("web1", BACK)
        assert is_reachable(hosts, "web1", database)
        prefix = hosts.prefix
    assert not list(network.NAMESPACES.glob(f"{prefix}*"))


def send_through(hosts: Network, size: int) -> int:
    """How many bytes arrive over the disturbed link."""
    with hosts.inside("db1"):
        listener = socket.create_server((ADDRESSES["db1"][BACK], 7000))
    received = []

    def receive() -> None:
        connection, _ = listener.accept()
        with connection:
            while data := connection.recv(65536):
                received.append(len(data))

    thread = threading.Thread(target=receive)
    thread.start()
    with (
        listener,
        hosts.inside("web1"),
        socket.create_connection((ADDRESSES["db1"][BACK], 7000), 20) as client,
    ):
        client.sendall(b"x" * size)
        client.shutdown(socket.SHUT_WR)
        thread.join(60)
    return sum(received)


@pytest.mark.skipif(bool(OBSTACLE), reason=f"several hosts: {OBSTACLE}")
def test_hosts_of_a_killed_process_are_removed() -> None:
    dead = 2**22 + os.getpid()  # above every number that Linux gives out
    network.ip("netns", "add", f"appraise-{dead}-switch")
    network.remove_leftovers()
    assert not list(network.NAMESPACES.glob(f"appraise-{dead}-*"))


# --- figures and page --------------------------------------------------------------------------------------


def test_a_rising_line_is_found_whatever_the_noise() -> None:
    flat, rising = Samples(), Samples()
    for second in range(100):
        noise = 3 * (-1) ** second
        flat.add(second, memory=200 + noise)
        rising.add(second, memory=200 + second + noise)
    assert abs(flat.rise("memory", 10)[0]) < 0.01
    assert rising.rise("memory", 10)[0] > 0.3


@pytest.mark.parametrize(("power", "expected"), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)])
def test_the_exponent_of_a_power_is_found(power: float, expected: float) -> None:
    assert fit_exponent([(10.0**n, 3 * 10.0 ** (power * n)) for n in range(4, 8)]) == pytest.approx(expected)


def test_one_point_has_no_exponent() -> None:
    assert math.isnan(fit_exponent([(10.0, 3.0)]))


def test_the_page_has_what_was_stored_and_parts_are_stored_apart(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    held = result(Run("H4", "postgresql"), counts={"acknowledged": 812, "lost": 0}, seconds=100.0)
    caught = result(Run("H4", "postgresql", "relaxed_sync"), violations=["14 answers are lost"])
    store_part("hosts", OCCASION, [held, caught], path)
    explored = {
        "database": "SQLite",
        "size": "short",
        "overlap": 1,
        "interleavings": 1680,
        "states": 191,
        "transitions": 382,
    }
    store_part("explorer", OCCASION, [{**explored, "bug": "", "violation": ""}], path)
    rows = [Point(what, size, size / 1e4, 100) for what in MEASURED for size in (10**4, 10**5)]
    store_part("growth", OCCASION, [json.loads(json.dumps(vars_of(row))) for row in rows], path)
    figures = load_figures(path)
    page = as_page(figures)
    assert all(is_good(name, part) for name, part in figures.items())
    assert "acknowledged 812, lost 0 | held" in page
    assert "bug caught: yes" in page
    assert "| SQLite | short | 1 | none | 1,680 | 191 | 382 | held |" in page
    assert "| export | 1.0 s, 100 MB | 10.0 s, 100 MB | 1.00 |" in page
    assert "commit `abc1234`" in page
    assert "shared with other work (load 8)" in page


def vars_of(point: Point) -> dict[str, object]:
    from dataclasses import asdict

    return asdict(point)


def test_a_violation_without_a_bug_and_a_bug_without_a_violation_fail(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    store_part("hosts", OCCASION, [result(Run("H1", "postgresql"), violations=["it was silent"])], path)
    store_part("soak", OCCASION, [result(Run("S1", "postgresql", "hoarding"))], path)
    row = {
        "database": "SQLite",
        "size": "short",
        "overlap": 1,
        "interleavings": 0,
        "states": 1,
        "transitions": 1,
    }
    store_part("explorer", OCCASION, [{**row, "bug": "trust_old_pages", "violation": ""}], path)
    store_part("growth", OCCASION, [vars_of(Point("page", 10, float("nan"), 1, "killed"))], path)
    figures = load_figures(path)
    assert [is_good(name, part) for name, part in figures.items()] == [False] * 4
    assert "**bug caught: no**" in as_page(figures)


def test_the_published_page_is_made_from_the_published_figures() -> None:
    assert (ROOT / "docs" / "endurance.md").read_text("utf-8") == as_page(load_figures(FIGURES))
