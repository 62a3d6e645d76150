"""F8: clocks are wrong. The server's jumps a day ahead, an hour back and through the end of summer time."""

from __future__ import annotations

import json
import threading
import time
import uuid
from datetime import UTC, datetime
from pathlib import Path

from faults import invariants
from faults.base import POSTGRESQL, SQLITE, Fault, Ground, Outcome
from faults.journal import Journal
from faults.people import Person, questions
from faults.prepare import CROWDED, OVERLAP
from faults.site import CLOCK, StagedSite

DAY, HOUR = 86_400.0, 3_600.0
SUMMER_TIME_ENDS = datetime(2026, 10, 25, 1, 0, tzinfo=UTC)  # in Berlin, 03:00 becomes 02:00


def run(ground: Ground) -> Outcome:
    outcome, journal = Outcome(), Journal(ground.folder / "acknowledged")
    clock = ground.folder / "clock"
    clock.write_text("0")
    with StagedSite(ground) as site:
        site.environment |= {
            CLOCK: str(clock),
            "TZ": "Europe/Berlin",
            "DJANGO_SETTINGS_MODULE": "faults.settings",
        }
        site.start()
        people = [
            Person(site.port, session, number, journal, threading.Event(), task=CROWDED)
            for number, session in enumerate(site.sessions[: 2 * OVERLAP])
        ]
        early, late = people[:OVERLAP], people[OVERLAP:]
        held = {person: claim(person) for person in early}
        clock.write_text(str(DAY))
        taken = {person: claim(person) for person in late}
        for person, place in (*taken.items(), *held.items()):  # those who come late have lost their seats
            answer_all(person, place, 0)
        corrections_in_the_past(clock, late, taken, outcome)
        summer_time_ends(clock, late, taken, outcome)
        refused = [nonsense(late[0], taken[late[0]], name) for name in ("active_ms", "elapsed_ms")]
        for person in people:
            person.close()
        site.kill()
        invariants.check(site.store, journal, outcome, late=True)
        report(site, outcome)
    outcome.expect(refused == [400, 400], f"negative durations were answered with {refused}")
    return outcome


def claim(person: Person) -> str:
    return person.insist("POST", f"/tasks/{CROWDED}/work")[1]


def answer_all(person: Person, place: str, base: int) -> None:
    for phrase, _ in questions(person.insist("GET", place)[2]):
        person.answer(place, phrase, base)


def corrections_in_the_past(
    clock: Path, people: list[Person], places: dict[Person, str], outcome: Outcome
) -> None:
    """An hour back: the correction carries an earlier time than the answer, and counts nevertheless."""
    clock.write_text(str(-HOUR))
    for person in people:
        answer_all(person, places[person], 1)
        shown = questions(person.insist("GET", places[person])[2])
        outcome.expect(all(version == 2 for _, version in shown), f"a correction does not count: {shown}")


def summer_time_ends(clock: Path, people: list[Person], places: dict[Person, str], outcome: Outcome) -> None:
    """Answers before and after the hour that happens twice."""
    clock.write_text(str(SUMMER_TIME_ENDS.timestamp() - time.time() - 1))
    for base, wait in ((2, 0.0), (3, 1.5)):
        time.sleep(wait)
        for person in people:
            answer_all(person, places[person], base)
    shown = [
        version for person in people for _, version in questions(person.insist("GET", places[person])[2])
    ]
    outcome.expect(set(shown) == {4}, f"versions after the end of summer time: {shown}")


def nonsense(person: Person, place: str, name: str) -> int:
    """What a browser with a broken clock might send."""
    given = {"uuid": str(uuid.uuid4()), "phrase": 0, "choice": "A>B", "base": 9, name: -5}
    return person.request("POST", f"{place}answer", json.dumps(given), "application/json")[0]


def report(site: StagedSite, outcome: Outcome) -> None:
    negative = site.store.number(
        "SELECT count(*) FROM evaluation_ranking WHERE active_ms < 0 OR elapsed_ms < 0"
    )
    surplus = site.store.number("SELECT count(*) FROM evaluation_ranking WHERE slot_id IS NULL")
    outcome.counts |= {"jumps": 3, "late_answers_kept": surplus, "negative_durations": negative}
    outcome.expect(negative == 0, f"{negative} durations are negative")
    outcome.expect(
        surplus == OVERLAP, f"{surplus} instead of {OVERLAP} late answers were stored without a slot"
    )


FAULT = Fault(
    "F8",
    "Wrong clocks",
    "Three clients hold the slots of a sentence; the server's clock jumps a day ahead, three"
    " others claim the slots, and all six answer. Then the clock goes back an hour and through"
    " the end of daylight saving time, with corrections and negative durations.",
    run,
    {SQLITE: "order_by_clock", POSTGRESQL: "order_by_clock"},
)
