"""H1 to H6: what happens to a site on several hosts when networks and hosts fail."""

from __future__ import annotations

import json
import statistics
import sys
import threading
import time
from collections import Counter
from urllib.parse import urlencode

from endurance.hosts import WEB_HOSTS, Hosts, read_json
from endurance.network import BACK
from faults import invariants
from faults.base import POSTGRESQL, Fault, Ground, Outcome
from faults.journal import Acknowledged, Journal
from faults.people import CSRF, Person, go_home, wait_for
from faults.prepare import CROWDED, LONG
from faults.runs import main

PEOPLE = 64
ONLY = (POSTGRESQL,)
PARTITION = 75.0  # seconds
LONGEST_SILENCE = 60.0  # of a web host without its database: it says 503
LONGEST_OUTAGE = 30.0  # until people go on after a host was lost
DELAY, LOSS = 20.0, 0.01  # milliseconds in each direction
SLOWEST_MEDIAN = 2.0  # seconds, of a request over the disturbed link
STANDBY_DELAY = 50.0  # milliseconds in each direction
BEHIND = 2.0  # seconds
TOKEN = """
from evaluation.models import User
from evaluation.people.api_tokens import create_token
print(create_token(User.objects.get(username="person-0"), name="hosts", scope="write")[1])
"""


class Watched:
    """People at work on several hosts, and the journal of what they were told."""

    def __init__(self, hosts: Hosts, ground: Ground, *, task: str = LONG, corrections: int = 2) -> None:
        self.journal, self.over = Journal(ground.folder / "acknowledged"), threading.Event()
        self.people: list[Person] = hosts.crowd(
            self.journal, self.over, people=PEOPLE, task=task, corrections=corrections
        )

    def work_on(self, answers: int, seconds: float = 60) -> float:
        """Wait until so many more answers are acknowledged; the seconds until the first of them."""
        before, started = self.journal.count, time.monotonic()
        wait_for(lambda: self.journal.count > before, seconds)
        first = time.monotonic() - started
        wait_for(lambda: self.journal.count >= before + answers, seconds)
        return first if self.journal.count >= before + answers else float("inf")

    def go_home(self, outcome: Outcome) -> Counter[int]:
        statuses = go_home(self.people, self.over)
        outcome.counts |= {
            "requests_without_answer": sum(person.unanswered for person in self.people),
            "answers_503": statuses[503],
            "server_errors": statuses[500],
        }
        outcome.expect(statuses[500] == 0, f"{statuses[500]} answers were errors (500)")
        return statuses


def partition(ground: Ground) -> Outcome:
    """H1: one web host loses its database network, silently."""
    outcome = Outcome()
    with Hosts(ground) as hosts:
        watched = Watched(hosts, ground)
        watched.work_on(200)
        hosts.network.cut("web1", BACK)
        began = time.monotonic()
        outage = watched.work_on(100)
        cookie = {"Cookie": f"sessionid={hosts.sessions[0]}"}
        asked = time.monotonic()
        status, *_ = hosts.ask("web1", "GET", "/", headers=cookie, patience=LONGEST_SILENCE)
        silence = time.monotonic() - asked
        time.sleep(max(0.0, PARTITION - (time.monotonic() - began)))
        hosts.network.heal("web1", BACK)
        is_back = wait_for(lambda: hosts.ask("web1", "GET", "/readyz", patience=5)[0] == 200, 40)
        watched.work_on(100)
        watched.go_home(outcome)
        invariants.check(hosts.store(), watched.journal, outcome)
    outcome.counts |= {"partition_seconds": PARTITION, "outage_seconds": round(outage, 1)}
    outcome.counts |= {"silent_seconds": round(silence, 1)}
    outcome.expect(status == 503, f"the cut web host answered {status} after {silence:.0f} s instead of 503")
    outcome.expect(outage <= LONGEST_OUTAGE, f"people went on after {outage:.0f} s only")
    outcome.expect(is_back, "the web host did not come back within 40 s")
    return outcome


def bad_link(ground: Ground) -> Outcome:
    """H2: delay and loss between web hosts and database."""
    outcome = Outcome()
    with Hosts(ground) as hosts:
        for host in WEB_HOSTS:
            hosts.network.disturb(host, BACK, milliseconds=DELAY, loss=LOSS)
        watched = Watched(hosts, ground)
        watched.work_on(ground.size(600, 5000, 200), 240)
        waits = measure_saves(hosts, ground.size(30, 60, 10))
        watched.go_home(outcome)
        for host in WEB_HOSTS:
            hosts.network.heal(host, BACK)
        invariants.check(hosts.store(), watched.journal, outcome)
    median = statistics.median(waits)
    outcome.counts |= {"delay_milliseconds": 2 * DELAY, "loss_percent": 100 * LOSS}
    outcome.counts |= {"median_seconds": round(median, 2), "slowest_seconds": round(max(waits), 2)}
    outcome.expect(median <= SLOWEST_MEDIAN, f"the median request took {median:.1f} s")
    return outcome


def measure_saves(hosts: Hosts, count: int) -> list[float]:
    """Requests of one more person, directly to a web host: pages that ask the database often wait long."""
    cookie = {"Cookie": f"sessionid={hosts.sessions[PEOPLE]}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
    waits = []
    for _ in range(count):
        started = time.monotonic()
        hosts.ask("web1", "GET", "/", headers=cookie)
        waits.append(time.monotonic() - started)
    return waits


def web_host_killed(ground: Ground) -> Outcome:
    """H3: web hosts lose power in turn."""
    outcome = Outcome()
    kills = ground.size(4, 20, 2)
    slowest = 0.0
    with Hosts(ground) as hosts:
        watched = Watched(hosts, ground)
        for kill in range(kills):
            watched.work_on(200)
            host = WEB_HOSTS[kill % 2]
            hosts.network.kill(host)
            slowest = max(slowest, watched.work_on(100))
            hosts.network.revive(host)
            hosts.start_web(host)
            is_up = wait_for(hosts.is_complete, 90)
            outcome.expect(is_up, f"{host} did not come back")
        watched.go_home(outcome)
        invariants.check(hosts.store(), watched.journal, outcome)
    outcome.counts |= {"kills": kills, "outage_seconds": round(slowest, 1)}
    outcome.expect(slowest <= LONGEST_OUTAGE, f"people went on after {slowest:.0f} s only")
    return outcome


def synchronous_failover(ground: Ground) -> Outcome:
    """H4: the primary's host is lost; the standby had every acknowledged answer."""
    outcome = Outcome()
    with Hosts(ground) as hosts:
        watched = _lose_primary(hosts, ground, outcome, delay=STANDBY_DELAY)
        invariants.check(hosts.store("db2"), watched.journal, outcome)
    del outcome.counts["acknowledged_early"]
    return outcome


def asynchronous_failover(ground: Ground) -> Outcome:
    """H5: the same without waiting for the standby: how many answers are lost, and that no others are."""
    outcome = Outcome()
    for name, behind in (("up_to_date", 0.0), ("behind", BEHIND)):
        own = Outcome()
        folder = ground.folder / name
        folder.mkdir(mode=0o755)
        place = Ground(ground.stage, folder, ground.kind, ground.bug, ground.full)
        with Hosts(place, synchronous=False) as hosts:
            watched = _lose_primary(hosts, place, own, behind=behind)
            stored = hosts.store("db2")
            entries = list(watched.journal.entries())
            lost, changed = invariants.compare(entries, stored.rows(invariants.STORED))
            own.violations += invariants.broken(stored)
        early = own.counts.pop("acknowledged_early")
        own.expect(not changed, f"{len(changed)} answers are stored with another value")
        _expect_only_latest_lost(entries, set(lost), int(early), own)
        own.counts |= {"acknowledged": len(entries), "lost": len(lost)}
        outcome.counts |= {f"{name}_{key}": value for key, value in own.counts.items()}
        outcome.violations += own.violations
    return outcome


def _expect_only_latest_lost(
    entries: list[Acknowledged], lost: set[str], early: int, outcome: Outcome
) -> None:
    too_old = sum(entry.uuid in lost for entry in entries[:early])
    outcome.expect(not too_old, f"{too_old} answers are lost that the standby had time to receive")


def _lose_primary(
    hosts: Hosts, ground: Ground, outcome: Outcome, *, delay: float = 0.0, behind: float = 0.0
) -> Watched:
    """``behind``: for so long the standby has received nothing when the primary's host is killed."""
    if delay:
        hosts.network.disturb("db2", BACK, milliseconds=delay)
    watched = Watched(hosts, ground)
    watched.work_on(ground.size(600, 5000, 200), 120)
    if ground.bug == "stuck_standby":
        hosts.network.cut("db2", BACK)
        watched.work_on(100)
    early = watched.journal.count
    time.sleep(1.0)
    if behind:
        hosts.network.cut("db2", BACK)
        time.sleep(behind)
    before = watched.journal.count
    promotion = hosts.fail_over()
    if hosts.synchronous:
        # The new primary has no standby yet: as the recipe says, it goes on alone until there is one.
        hosts.store("db2").administer(
            "ALTER SYSTEM SET synchronous_standby_names = ''", "SELECT pg_reload_conf()"
        )
    hosts.network.heal("db2", BACK)
    outage = watched.work_on(100, LONGEST_OUTAGE + 15)
    statuses = watched.go_home(outcome)
    outcome.counts |= {
        "acknowledged_before_the_failure": before, "acknowledged_early": early,
        "promotion_seconds": round(promotion, 1), "outage_seconds": round(outage, 1),
        "conflicts": statuses[409],
    }  # fmt: skip
    outcome.expect(outage <= LONGEST_OUTAGE, f"people went on after {outage:.0f} s only")
    return watched


def two_web_hosts(ground: Ground) -> Outcome:
    """H6: sessions, limits, uploads, caches and jobs do not depend on which host answers."""
    outcome = Outcome()
    with Hosts(ground) as hosts:
        hosts.start_worker()
        check_sessions(hosts, outcome)
        check_throttling(hosts, outcome)
        if not ground.bug:
            check_uploads_and_jobs(hosts, outcome)
            check_caches(hosts, outcome)
            watched = Watched(hosts, ground, task=CROWDED, corrections=0)
            for person in watched.people:
                person.join(120)
            watched.go_home(outcome)
            invariants.check(hosts.store(), watched.journal, outcome)
    return outcome


def check_sessions(hosts: Hosts, outcome: Outcome) -> None:
    """Signed in on one host, known on the other; signed out on the other, unknown on the first."""
    cookie = {"Cookie": f"sessionid={hosts.sessions[70]}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
    known = [hosts.ask(host, "GET", "/me/", headers=cookie)[0] for host in WEB_HOSTS]
    hosts.ask("web2", "POST", "/sign-out", headers=cookie)
    after = [hosts.ask(host, "GET", "/me/", headers=cookie)[0] for host in WEB_HOSTS]
    outcome.counts["hosts_that_know_a_session"] = known.count(200)
    outcome.expect(known == [200, 200], f"a session is known like this: {known}")
    outcome.expect(after == [302, 302], f"after signing out the hosts answered {after}")


def check_throttling(hosts: Hosts, outcome: Outcome) -> None:
    """Ten wrong passwords, whichever host they are sent to; the proxy's clients are told apart."""
    form = urlencode({"username": "person-1", "password": "wrong"}).encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    headers = {"Cookie": f"csrftoken={CSRF}", "X-CSRFToken": CSRF, **kind}
    tried = Counter(hosts.ask("proxy", "POST", "/sign-in", form, headers)[0] for _ in range(16))
    outcome.counts |= {"guesses": 16, "guesses_checked": tried[200], "guesses_refused": tried[429]}
    outcome.expect((tried[200], tried[429]) == (10, 6), f"16 wrong passwords were answered {dict(tried)}")
    address = hosts.store().number(
        "SELECT count(DISTINCT address) FROM evaluation_signin WHERE NOT succeeded"
    )
    outcome.expect(address == 1, f"one client was counted as {address} addresses")


def check_uploads_and_jobs(hosts: Hosts, outcome: Outcome) -> None:
    """An upload to one host is imported by the worker on another, and seen on both."""
    lines = "\n".join(
        json.dumps(
            {"id": str(n), "source": f"Satz {n}", "candidates": {"x": f"a red {n}", "y": f"a blue {n}"}}
        )
        for n in range(300)
    )
    token = hosts.manage("shell", "-v", "0", "-c", TOKEN).split()[-1]
    allowed = {"Authorization": f"Bearer {token}"}
    body, kind = multipart(
        {"name": "From afar", "campaign": "afar", "aligner": "exact"}, "items.jsonl", lines
    )
    status, _, text = hosts.ask("web1", "POST", "/api/uploads", body, {**allowed, "Content-Type": kind})
    outcome.expect(status == 202, f"the upload was answered {status}: {text[:300]}")
    if status != 202:
        return
    path = f"/api/jobs/{read_json(text)['id']}"

    def states() -> list[object]:
        return [
            read_json(hosts.ask(host, "GET", path, headers=allowed)[2]).get("state") for host in WEB_HOSTS
        ]

    wait_for(lambda: states() == ["done", "done"], 60)
    outcome.counts["hosts_that_know_a_job"] = states().count("done")
    outcome.expect(states() == ["done", "done"], f"the hosts see the job as {states()}")


def check_caches(hosts: Hosts, outcome: Outcome) -> None:
    """Both hosts have cached the head of an annotation page; a new name of the task is on both at once."""
    cookie = {"Cookie": f"sessionid={hosts.sessions[71]}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
    path = hosts.ask("web1", "POST", f"/tasks/{CROWDED}/work", headers=cookie)[1]["location"]

    def find_name() -> list[bool]:
        return ["Renamed" in hosts.ask(host, "GET", path, headers=cookie)[2] for host in WEB_HOSTS]

    before = find_name()
    hosts.store().change(f"UPDATE evaluation_task SET name = 'Renamed' WHERE slug = '{CROWDED}'")
    after = find_name()
    hosts.ask("web1", "POST", f"{path}skip", headers=cookie)
    outcome.counts["hosts_with_the_new_name"] = sum(after)
    outcome.expect(before == [False, False] and after == [True, True], f"the change is shown on {after}")


def multipart(fields: dict[str, str], name: str, text: str) -> tuple[bytes, str]:
    """A form with one file, and its content type.

    >>> multipart({"a": "b"}, "c.txt", "d")[1]
    'multipart/form-data; boundary=appraise'
    """
    parts = [f'name="{key}"\r\n\r\n{value}' for key, value in fields.items()]
    parts.append(f'name="files"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n{text}')
    lines = [f"--appraise\r\nContent-Disposition: form-data; {part}\r\n" for part in parts]
    return ("".join(lines) + "--appraise--\r\n").encode(), "multipart/form-data; boundary=appraise"


HOST_FAULTS: dict[str, Fault] = {
    fault.key: fault
    for fault in (
        Fault(
            "H1",
            "Partition between web host and database",
            f"While {PEOPLE} annotators answer through the proxy, one of two web hosts is cut off from the"
            f" database for {PARTITION:.0f} s without notice. It must say so (503) within"
            f" {LONGEST_SILENCE:.0f} s, the proxy must go on with the other, and the host must come back by"
            " itself.",
            partition,
            {POSTGRESQL: "endless_patience"},
            ONLY,
        ),
        Fault(
            "H2",
            "Delay and loss",
            f"{2 * DELAY:.0f} ms for a round trip and {LOSS:.0%} loss between the web hosts and the database."
            f" Half of the pages must come within {SLOWEST_MEDIAN:.0f} s.",
            bad_link,
            {POSTGRESQL: "chatty_pages"},
            ONLY,
        ),
        Fault(
            "H3",
            "Web host killed",
            "The web hosts lose power in turn, and start again.",
            web_host_killed,
            {POSTGRESQL: "acknowledge_before_commit"},
            ONLY,
        ),
        Fault(
            "H4",
            "Database host killed, synchronous replication",
            f"The primary's host loses power and the standby, {2 * STANDBY_DELAY:.0f} ms away, is promoted.",
            synchronous_failover,
            {POSTGRESQL: "relaxed_sync"},
            ONLY,
        ),
        Fault(
            "H5",
            "Database host killed, asynchronous replication",
            "The same without `synchronous_standby_names`: with a standby that is up to date, and with one"
            f" that has received nothing for {BEHIND:.0f} s. What was acknowledged in this time may be lost;"
            " nothing that is older by more than a second.",
            asynchronous_failover,
            {POSTGRESQL: "stuck_standby"},
            ONLY,
        ),
        Fault(
            "H6",
            "Two web hosts behind a proxy",
            f"Sessions, sign-in limits, an upload, its job, a changed name, and {PEOPLE} annotators on the"
            " slots of one task: it must not matter which host answers.",
            two_web_hosts,
            {POSTGRESQL: "count_in_process"},
            ONLY,
        ),
    )
}

if __name__ == "__main__":
    main(HOST_FAULTS, *sys.argv[1:])
